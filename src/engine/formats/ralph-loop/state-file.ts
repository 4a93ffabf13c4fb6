/**
 * `.claude/ralph-loop.local.md`: front matter between two `---` lines, then the prompt. Lines are read one by one, not as
 * YAML, because shell scripts write them without quotes. Lines that are not understood stay as they are.
 */
export interface RalphState {
  fields: ReadonlyMap<string, string>;
  prompt: string;
}

const BOM = '\uFEFF';
const FENCE = /^---[ \t]*\r?$/;
const FIELD = /^[ \t]*([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*?)[ \t]*\r?$/;

/** Undefined when there is no front matter. */
export function parseState(text: string): RalphState | undefined {
  const parts = partsOf(text);
  if (!parts) return undefined;
  const fields = new Map<string, string>();
  for (const line of parts.front) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name !== undefined && !fields.has(name)) fields.set(name, unquoted(value ?? ''));
  }
  return {
    fields,
    prompt: parts.rest
      .join('\n')
      .replace(/^(?:[ \t]*\r?\n)+/, '')
      .trimEnd(),
  };
}

/** The same text with another iteration; undefined when the front matter has none. */
export function withIteration(text: string, iteration: number): string | undefined {
  const parts = partsOf(text);
  const at = parts?.front.findIndex((line) => FIELD.exec(line)?.[1] === 'iteration') ?? -1;
  const line = parts?.front[at];
  if (!parts || line === undefined) return undefined;
  const value = /^([ \t]*iteration[ \t]*:[ \t]*)(.*?)([ \t]*\r?)$/.exec(line);
  const front = [...parts.front];
  front[at] = `${value?.[1] ?? 'iteration: '}${iteration}${value?.[3] ?? ''}`;
  return [parts.open, ...front, parts.close, ...parts.rest].join('\n');
}

interface Parts {
  open: string;
  front: string[];
  close: string;
  rest: string[];
}

function partsOf(text: string): Parts | undefined {
  const lines = text.split('\n');
  const open = lines[0] ?? '';
  if (!FENCE.test(open.startsWith(BOM) ? open.slice(1) : open)) return undefined;
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end < 0) return undefined;
  return { open, front: lines.slice(1, end), close: lines[end] ?? '', rest: lines.slice(end + 1) };
}

/** Removes outer quotes only. Shell scripts escape nothing between them. */
function unquoted(value: string): string {
  const quoted = /^"(.*)"$/s.exec(value) ?? /^'(.*)'$/s.exec(value);
  return quoted?.[1] ?? value;
}

/** The text of a state file. */
export function renderState(fields: readonly (readonly [string, string])[], prompt: string): string {
  return ['---', ...fields.map(([name, value]) => `${name}: ${value}`), '---', '', prompt, ''].join('\n');
}
