import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Entry } from '../../core/loop/entry.ts';
import { advance } from '../../core/loop/journal.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { hmacSha256, sha256 } from '../../files/digest.ts';
import { writeAll } from '../../files/whole-file.ts';
import { JOURNAL_VERSION, type JournalLine, parseLine, renderLine, sealLine, unseal } from './line.ts';

export class JournalError extends Error {}

/** The last valid line of a journal. */
export interface LastLine {
  line: JournalLine;
  text: string;
}

/** The end of a journal: its last valid line, and what follows it that is not valid. */
export interface Tail extends LastLine {
  /** True when a line that a crash cut short follows. */
  torn: boolean;
  /** How many whole lines follow that are damaged, or not ours. */
  bad: number;
  /** True when bytes follow that never reached the disk before a power cut. */
  unwritten: boolean;
  /** How many lines are missing at the end. `line` is then the copy of the last of them. */
  cut: number;
  /** Identifies the content of the file when it was read. */
  mark: string;
}

const FIRST_CHUNK = 8 * 1024;
const MOST = 64 * 1024 * 1024;
export const NO_PREVIOUS = '0'.repeat(64);

/**
 * Reads backwards from the end until it finds a valid line, so that a long journal costs no more than a short one. `known`
 * is the last result for the same path, which is returned when the file has not changed. `copyOfEnd` finds the copy of the
 * last line, from which a journal that has lost its end goes on.
 */
export function readTail(
  path: string,
  key: string,
  known?: Tail,
  copyOfEnd: (check: LineCheck) => LastLine | undefined = () => undefined,
): Tail {
  const now = known && statSync(path, { throwIfNoEntry: false });
  if (known && now && known.mark === markOf(now)) return known;
  const check = lineCheck(path, key);
  // Read before the journal: another process writes it after the journal.
  const copy = copyOfEnd(check);
  // The two are the same text unless something went wrong: it is checked once.
  const checkOnce: LineCheck = (text) => (text === copy?.text ? copy.line : check(text));
  const end = copy && isGone(path) ? EMPTY : readEnd(path, checkOnce);
  if (copy && copy.line.seq > (end.last?.line.seq ?? 0))
    return { ...end, ...copy, cut: copy.line.seq - (end.last?.line.seq ?? 0) };
  if (end.last) return { ...end, ...end.last, cut: 0 };
  throw new JournalError(
    `the journal ${path} has no valid line: it is damaged, or another installation wrote it`,
  );
}

/** The end of a file: its last valid line, if there is one, and what follows it. */
interface End extends Omit<Tail, 'line' | 'text' | 'cut'> {
  last?: LastLine;
}

/** Whether a journal is missing in its folder. Where the folder is gone as well, nothing is left to go on with. */
function isGone(path: string): boolean {
  const isThere = (each: string) => statSync(each, { throwIfNoEntry: false }) !== undefined;
  return !isThere(path) && isThere(dirname(path));
}

const EMPTY: End = { torn: false, bad: 0, unwritten: false, mark: '' };

function readEnd(path: string, check: LineCheck): End {
  const fd = openJournal(path, 'r');
  try {
    const stat = fstatSync(fd);
    const { size } = stat;
    for (let chunk = FIRST_CHUNK; ; chunk *= 4) {
      const length = Math.min(chunk, size);
      const end = lastValid(readAt(fd, size - length, length), length === size, check);
      if (end.last || length === size || chunk > MOST) return { ...end, mark: markOf(stat) };
    }
  } finally {
    closeQuietly(fd);
  }
}

function markOf({ size, ino, ctimeMs }: Stats): string {
  return `${ino} ${size} ${ctimeMs}`;
}

function lastValid(bytes: Buffer, fromStart: boolean, check: LineCheck): Omit<End, 'mark'> {
  const lines = bytes.toString('utf8').split('\n');
  const torn = lines[lines.length - 1] !== '';
  // The text before the first line break may be the rest of an earlier line.
  const first = fromStart ? 0 : 1;
  let bad = 0;
  let unwritten = false;
  for (let i = lines.length - 1; i >= first; i--) {
    const text = lines[i] ?? '';
    if (text === '') continue;
    const line = check(text);
    if (line && !isOutOfPlace(line, lines.slice(first, i), check)) {
      return { last: { line, text }, torn: torn && i < lines.length - 1, bad, unwritten };
    }
    if (line || !isTornLine(text)) bad++;
    unwritten ||= text.includes(NEVER_WRITTEN);
  }
  return { torn, bad, unwritten };
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

/** Bytes that were never written: after a power cut, a file may be longer than what reached the disk. */
export const NEVER_WRITTEN = '\0';

/** Whether a text is one of our lines, which a crash or a power cut cut short. Other text is another program's. */
function isTornLine(text: string): boolean {
  if (text.includes(NEVER_WRITTEN)) return true;
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

/** A line that can be appended. */
export interface NextLine {
  text: string;
  seq: number;
  /** The state after it. */
  state: LoopState;
}

/** The line for an entry after the given tail (none for the first line). */
export function nextLine(key: string, tail: LastLine | undefined, entry: Entry, at: number): NextLine {
  const written = asWritten(entry);
  const state = asWritten(advance(tail?.line.state, written, at));
  const seq = (tail?.line.seq ?? 0) + 1;
  const line = { v: JOURNAL_VERSION, seq, at: new Date(at).toISOString(), entry: written, state } as const;
  return { text: lineAfter(tail?.text, line, key), seq, state };
}

/** The text of a line that follows from the given one (none for the first line). */
export function lineAfter(before: string | undefined, line: Omit<JournalLine, 'prev'>, key: string): string {
  const body = renderLine({ ...line, prev: before === undefined ? NO_PREVIOUS : sha256(before) });
  return sealLine(body, seal(body, key));
}

/** Appends a line, whole or not at all. */
export function appendLine(path: string, text: string, durable: boolean): void {
  const fd = openJournal(path, 'a+');
  try {
    const { mode } = fstatSync(fd);
    if (mode & 0o077) fchmodSync(fd, 0o600);
    const size = withoutUnwritten(fd);
    // A last line without a line break gets one first, whether it is cut short or whole.
    const bytes = Buffer.from(endsOpen(fd, size) ? `\n${text}\n` : `${text}\n`);
    try {
      writeAll(fd, bytes);
      if (durable) fsyncSync(fd);
    } catch (error) {
      // What others would read counts, even if it may not survive a power cut.
      if (!isTakenBack(fd, size) && endsWith(fd, bytes)) return;
      throw error;
    }
  } finally {
    closeQuietly(fd);
  }
}

/** Appends one entry after the given tail (none for the first line) and returns the state after it. */
export function appendAfter(
  path: string,
  key: string,
  tail: LastLine | undefined,
  entry: Entry,
  at: number,
  durable: boolean,
): LoopState {
  const { text, state } = nextLine(key, tail, entry, at);
  appendLine(path, text, durable);
  return state;
}

/** Removes bytes at the end that a power cut left unwritten; returns the size after that. */
function withoutUnwritten(fd: number): number {
  const { size } = fstatSync(fd);
  let end = size;
  while (end > 0) {
    const chunk = readAt(fd, Math.max(0, end - FIRST_CHUNK), Math.min(FIRST_CHUNK, end));
    const kept = chunk.findLastIndex((byte) => byte !== 0) + 1;
    end -= chunk.length - kept;
    if (kept > 0) break;
  }
  if (end < size) ftruncateSync(fd, end);
  return end;
}

/** Removes what was appended to a journal of this size. */
function isTakenBack(fd: number, size: number): boolean {
  try {
    ftruncateSync(fd, size);
    return true;
  } catch {
    return false;
  }
}

function endsWith(fd: number, bytes: Buffer): boolean {
  try {
    const { size } = fstatSync(fd);
    return size >= bytes.length && readAt(fd, size - bytes.length, bytes.length).equals(bytes);
  } catch {
    return false;
  }
}

/** The line is written by then; a failure to close changes nothing. */
function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // As above.
  }
}

/** The value as it will be read back: a key without a value is absent. So the state after an append is that of a replay. */
function asWritten<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function endsOpen(fd: number, size: number): boolean {
  return size > 0 && readAt(fd, size - 1, 1)[0] !== 0x0a;
}

function openJournal(path: string, flags: 'r' | 'a+'): number {
  // Opening a pipe would wait for its other end for ever.
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw new JournalError(`${path} is not a regular file`);
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    throw new JournalError(`cannot open ${path}: ${(error as Error).message}`, { cause: error });
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
