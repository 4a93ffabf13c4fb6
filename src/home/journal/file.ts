import { closeSync, fstatSync, fsyncSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Entry } from '../../core/loop/entry.ts';
import { advance } from '../../core/loop/journal.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { hmacSha256, sha256 } from '../../files/digest.ts';
import { writeAll } from '../../files/whole-file.ts';
import { JOURNAL_VERSION, type JournalLine, parseLine, renderLine, sealLine, unseal } from './line.ts';

export class JournalError extends Error {}

/** The end of a journal: its last valid line, and what follows it that is not valid. */
export interface Tail {
  line: JournalLine;
  text: string;
  /** True when a line that a crash cut short follows. */
  torn: boolean;
  /** How many whole lines follow that are damaged, or not ours. */
  bad: number;
  /** Identifies the content of the file when it was read. */
  mark: string;
}

const FIRST_CHUNK = 8 * 1024;
const MOST = 64 * 1024 * 1024;
export const NO_PREVIOUS = '0'.repeat(64);

/**
 * Reads backwards from the end until it finds a valid line, so that a long journal costs no more than a short one. `known`
 * is the last result for the same path, which is returned when the file has not changed.
 */
export function readTail(path: string, key: string, known?: Tail): Tail {
  const now = known && statSync(path, { throwIfNoEntry: false });
  if (known && now && known.mark === markOf(now)) return known;
  const check = lineCheck(path, key);
  const fd = openJournal(path, 'r');
  try {
    const stat = fstatSync(fd);
    const { size } = stat;
    const mark = markOf(stat);
    for (let chunk = FIRST_CHUNK; ; chunk *= 4) {
      const length = Math.min(chunk, size);
      const tail = lastValid(readAt(fd, size - length, length), length === size, check);
      if (tail) return { ...tail, mark };
      if (length === size || chunk > MOST) break;
    }
  } finally {
    closeSync(fd);
  }
  throw new JournalError(
    `the journal ${path} has no valid line: it is damaged, or another installation wrote it`,
  );
}

function markOf({ size, ino, ctimeMs }: Stats): string {
  return `${ino} ${size} ${ctimeMs}`;
}

function lastValid(bytes: Buffer, fromStart: boolean, check: LineCheck): Omit<Tail, 'mark'> | undefined {
  const lines = bytes.toString('utf8').split('\n');
  const torn = lines[lines.length - 1] !== '';
  // The text before the first line break may be the rest of an earlier line.
  const first = fromStart ? 0 : 1;
  for (let i = lines.length - 1, bad = 0; i >= first; i--) {
    const text = lines[i] ?? '';
    if (text === '') continue;
    const line = check(text);
    if (line && !isOutOfPlace(line, lines.slice(first, i), check)) {
      return { line, text, torn: torn && i < lines.length - 1, bad };
    }
    if (line || !isTornLine(text)) bad++;
  }
  return undefined;
}

/** Whether a valid line does not follow from the lines above it. A copy of an old line would turn the state back. */
function isOutOfPlace(line: JournalLine, above: readonly string[], check: LineCheck): boolean {
  // The line above is the one that this line names, so the seal of this line covers both.
  if (line.prev === sha256(above.at(-1) ?? '')) return false;
  for (let i = above.length - 1; i >= 0; i--) {
    const text = above[i] ?? '';
    const before = text === '' ? undefined : check(text);
    if (!before) continue;
    // A gap in the numbers is damage in between; the lines after it still count.
    return before.seq >= line.seq || (before.seq === line.seq - 1 && line.prev !== sha256(text));
  }
  return false;
}

/** Whether a text is the start of one of our lines, which a crash cut short. Other text is another program's. */
function isTornLine(text: string): boolean {
  if (!text.startsWith(`{"v":${JOURNAL_VERSION},`) && !`{"v":${JOURNAL_VERSION},`.startsWith(text))
    return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/** Parses a line that has our seal and belongs to this journal. Throws for a sealed line that this version cannot read. */
export type LineCheck = (text: string) => JournalLine | undefined;

export function lineCheck(path: string, key: string): LineCheck {
  // The folder is named after the loop: a sealed line of another loop does not count here.
  const loop = basename(dirname(path));
  return (text) => {
    const sealed = unseal(text);
    if (!sealed || sealed.mac !== seal(sealed.body, key)) return undefined;
    const parsed = parseLine(text);
    if (!parsed.ok)
      throw new JournalError(`this version of untildone cannot read a line of ${path}: ${parsed.problem}`);
    return parsed.line.state.loop === loop ? parsed.line : undefined;
  };
}

/** Appends one entry after the given tail (none for the first line) and returns the state after it. */
export function appendAfter(
  path: string,
  key: string,
  tail: Tail | undefined,
  entry: Entry,
  at: number,
  durable: boolean,
): LoopState {
  const written = asWritten(entry);
  const state = asWritten(advance(tail?.line.state, written, at));
  const body = renderLine({
    v: JOURNAL_VERSION,
    seq: (tail?.line.seq ?? 0) + 1,
    at: new Date(at).toISOString(),
    entry: written,
    state,
    prev: tail ? sha256(tail.text) : NO_PREVIOUS,
  });
  const line = `${sealLine(body, seal(body, key))}\n`;
  const fd = openJournal(path, 'a+');
  try {
    // A last line without a line break gets one first, whether it is cut short or whole.
    writeAll(fd, Buffer.from(endsOpen(fd) ? `\n${line}` : line));
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return state;
}

/** The value as it will be read back: a key without a value is absent. So the state after an append is that of a replay. */
function asWritten<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function endsOpen(fd: number): boolean {
  const size = fstatSync(fd).size;
  return size > 0 && readAt(fd, size - 1, 1)[0] !== 0x0a;
}

function openJournal(path: string, flags: 'r' | 'a+'): number {
  // Opening a pipe would wait for its other end for ever.
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw new JournalError(`${path} is not a regular file`);
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    throw new JournalError(`cannot open ${path}: ${(error as Error).message}`);
  }
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const got = readSync(fd, bytes, done, length - done, position + done);
    if (got === 0) break;
    done += got;
  }
  return bytes.subarray(0, done);
}

function seal(body: string, key: string): string {
  return hmacSha256(key, body).slice(0, 32);
}
