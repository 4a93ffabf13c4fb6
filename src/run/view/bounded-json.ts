/** What others wrote, as values of a JSON line: without secrets and control characters, and never long. */
import { stripAnsi } from '../../core/text/ansi.ts';
import { redact } from '../../core/text/redact.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Never shown beyond this, so it need not be searched for secrets either. */
const MOST = 16_000;

/** At most `limit` characters; of a longer text the beginning, and how long it is. */
export function boundedText(text: string, limit: number): string {
  const plain = redact(stripAnsi(text.slice(0, MOST)).replace(CONTROLS, ''));
  if (text.length <= MOST && plain.length <= limit) return plain.toWellFormed();
  const note = `\n[... ${text.length} characters in all]`;
  return plain.slice(0, Math.max(0, limit - note.length)).toWellFormed() + note;
}

const ROOM = 8_000;
const VALUE = 1_000;
const NAME = 200;
const DEEPEST = 6;

/** What a tool was called with: the shape stays as far as there is room, and an object that was cut says so. */
export function boundedInput(input: Record<string, unknown>): unknown {
  return bound(input, { left: ROOM }, 0);
}

function bound(value: unknown, room: { left: number }, depth: number): unknown {
  if (typeof value === 'string') return take(value, VALUE, room);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[...]';
  return Array.isArray(value) ? boundList(value, room, depth) : boundObject(value, room, depth);
}

function boundList(list: readonly unknown[], room: { left: number }, depth: number): unknown[] {
  const kept: unknown[] = [];
  for (const item of list) {
    if (isFull(room)) return [...kept, `[... ${list.length} in all]`];
    kept.push(bound(item, room, depth + 1));
  }
  return kept;
}

function boundObject(object: object, room: { left: number }, depth: number): object {
  const kept: [string, unknown][] = [];
  const entries = Object.entries(object);
  for (const [name, inner] of entries) {
    if (isFull(room)) {
      kept.push(['...', `${entries.length} in all`]);
      break;
    }
    const secret = typeof inner === 'string' && namesSecret(name);
    kept.push([take(name, NAME, room), secret ? '[redacted]' : bound(inner, room, depth + 1)]);
  }
  return Object.fromEntries(kept);
}

/** Every value takes some room, an empty one too. */
function isFull(room: { left: number }): boolean {
  room.left -= 4;
  return room.left <= 0;
}

function take(text: string, most: number, room: { left: number }): string {
  const kept = boundedText(text, Math.min(most, Math.max(0, room.left)));
  room.left -= kept.length;
  return kept;
}

/** A name such as `api_key` makes a secret of whatever stands behind it. */
function namesSecret(name: string): boolean {
  const pair = `${name}="aaaa"`;
  return redact(pair) !== pair;
}
