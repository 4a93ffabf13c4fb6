import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import {
  scanSignals,
  type TranscriptSignals,
  type TranscriptUsage,
  tallyUsage,
} from '../../core/loop/transcript.ts';
import type { Transcripts } from '../../ports/ports.ts';
import { parseTranscriptLine, turnEndIn } from './lines.ts';

/** The most bytes that one hook reads of a transcript, in either direction. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The most bytes of a transcript that a loop reads first: a long one is older than the loop, so only its end counts. */
const MAX_FIRST_BYTES = 1024 * 1024;
/** The most bytes that are read to find the end of the last turn. */
const TURN_BYTES = 512 * 1024;
const FIRST_CHUNK = 64 * 1024;
const LARGEST_CHUNK = 1024 * 1024;
const POLL_EVERY_MS = 20;
const NEWLINE = 0x0a;

export interface SignalsOptions {
  maxBytes?: number;
  /** Read the lines of subagents instead of the main agent's. In a subagent's transcript all lines are its own. */
  sidechain?: boolean;
}

export interface UsageOptions {
  maxBytes?: number;
  /** `lastMessageId` of the read that ended at `from`. */
  lastMessageId?: string;
}

/**
 * Reads backwards from the end until the signals are known, `maxBytes` are read or the file begins. Never throws and
 * never waits: anything but a readable regular file has no signals.
 */
export function readSignals(path: string, options: SignalsOptions = {}): TranscriptSignals {
  const scan = scanSignals(options.sidechain);
  withFile(path, (fd, size) => {
    for (const line of linesFromEnd(fd, size, options.maxBytes ?? MAX_BYTES)) {
      if (scan.see(parseTranscriptLine(line))) return;
    }
  });
  return scan.signals();
}

/** When the last turn of the session ended, as far as the end of its transcript tells. Never throws and never waits. */
export function readTurnEnd(path: string): number | undefined {
  return withFile(path, (fd, size) => {
    for (const line of linesFromEnd(fd, size, TURN_BYTES)) {
      const at = turnEndIn(line);
      if (at !== undefined) return at;
    }
    return undefined;
  });
}

/** Whether `/goal`, the loop of Claude Code itself, was used lately in the session. Never throws and never waits. */
export function readGoal(path: string): boolean {
  const used = withFile(path, (fd, size) => {
    const start = Math.max(0, size - TURN_BYTES);
    // Quotes inside JSON strings are escaped, so these bytes are a whole value.
    return readAt(fd, start, size - start).includes('"type":"goal_status"');
  });
  return used === true;
}

/** Reads again whenever the file has changed, until `until` holds or `limitMs` have passed; returns what it saw last. */
export async function pollSignals(
  path: string,
  until: (signals: TranscriptSignals) => boolean,
  limitMs = 1000,
  options: SignalsOptions = {},
): Promise<TranscriptSignals> {
  const deadline = performance.now() + limitMs;
  let size = sizeOf(path);
  let signals = readSignals(path, options);
  while (!until(signals) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
    const sizeNow = sizeOf(path);
    if (sizeNow === size) continue;
    size = sizeNow;
    signals = readSignals(path, options);
  }
  return signals;
}

/**
 * Reads forwards from a byte offset and counts what the complete lines there cost. A torn last line waits for the next read.
 * When more than `maxBytes` were added, only the last of them count. A file shorter than `from` is a new file, and is read
 * from its start. Never throws.
 */
export function readUsage(path: string, from: number, options: UsageOptions = {}): TranscriptUsage {
  const tally = tallyUsage(options.lastMessageId);
  let offset = Number.isSafeInteger(from) && from > 0 ? from : 0;
  let skippedBytes = 0;
  withFile(path, (fd, size) => {
    const start = offset > size ? 0 : offset;
    const windowStart = Math.max(start, size - (options.maxBytes ?? MAX_BYTES));
    let firstLine: number | undefined;
    for (const line of completeLines(fd, windowStart, size)) {
      firstLine ??= line.start;
      offset = line.end;
      skippedBytes = firstLine - start;
      if (mayCost(line.bytes)) tally.see(parseTranscriptLine(decode(line.bytes)));
    }
  });
  return { offset, skippedBytes, ...tally.result() };
}

export const transcriptFiles: Omit<Transcripts, 'subagents'> = {
  signals: (path) => readSignals(path),
  turnEnd: readTurnEnd,
  poll: (path, until) => pollSignals(path, until),
  usage: (path, { offset, lastMessageId }) =>
    readUsage(path, offset, {
      maxBytes: offset === 0 ? MAX_FIRST_BYTES : MAX_BYTES,
      lastMessageId,
    }),
};

/** Whether a line may hold costs. Quotes inside JSON strings are escaped, so these bytes are a key or a whole value. */
export function mayCost(line: Buffer): boolean {
  return line.includes('"usage"') || line.includes('"cost-state"');
}

/** Returns what `use` makes of an open regular file; undefined when it cannot be read. Never waits on a pipe. */
export function withFile<T>(path: string, use: (fd: number, size: number) => T): T | undefined {
  let fd: number | undefined;
  try {
    if (!statSync(path).isFile()) return undefined;
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(fd);
    return stat.isFile() ? use(fd, stat.size) : undefined;
  } catch {
    // The file is missing, unreadable or gone.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return -1;
  }
}

/** The file's lines, last one first. Leaves out a line of which the limit cuts off a part. */
function* linesFromEnd(fd: number, size: number, maxBytes: number): Generator<string> {
  const stopAt = Math.max(0, size - maxBytes);
  let chunkSize = FIRST_CHUNK;
  let pieces: Buffer[] = [];
  for (let position = size; position > stopAt; ) {
    const start = Math.max(stopAt, position - chunkSize);
    const chunk = readAt(fd, start, position - start);
    let end = chunk.length;
    for (let newline = lastNewline(chunk, end); newline >= 0; newline = lastNewline(chunk, end)) {
      pieces.push(chunk.subarray(newline + 1, end));
      yield lineFrom(pieces);
      pieces = [];
      end = newline;
    }
    pieces.push(chunk.subarray(0, end));
    position = start;
    chunkSize = Math.min(chunkSize * 2, LARGEST_CHUNK);
  }
  if (stopAt === 0) yield lineFrom(pieces);
}

function lastNewline(chunk: Buffer, end: number): number {
  return end === 0 ? -1 : chunk.lastIndexOf(NEWLINE, end - 1);
}

/** Joins before decoding, because a character may lie across two pieces. */
function lineFrom(piecesFromEnd: Buffer[]): string {
  return decode(Buffer.concat(piecesFromEnd.reverse()));
}

/** Drops NULs at the start: a crash of the machine can leave them before the next line. */
export function decode(line: Buffer): string {
  return line.toString('utf8').replace(/^\0+/, '');
}

interface Line {
  start: number;
  /** After its newline. */
  end: number;
  bytes: Buffer;
}

/** The lines that begin and end between two offsets, in order. */
export function* completeLines(fd: number, from: number, to: number): Generator<Line> {
  // The byte before `from` shows whether a line begins there.
  let lineStart = from === 0 ? 0 : undefined;
  let pieces: Buffer[] = [];
  for (let position = Math.max(0, from - 1); position < to; ) {
    const chunk = readAt(fd, position, Math.min(LARGEST_CHUNK, to - position));
    if (chunk.length === 0) return;
    let begin = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline >= 0; newline = chunk.indexOf(NEWLINE, begin)) {
      const end = position + newline + 1;
      pieces.push(chunk.subarray(begin, newline));
      if (lineStart !== undefined) yield { start: lineStart, end, bytes: Buffer.concat(pieces) };
      pieces = [];
      begin = newline + 1;
      lineStart = end;
    }
    pieces.push(chunk.subarray(begin));
    position += chunk.length;
  }
}

/** Shorter than asked for only where the file has become shorter. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, buffer, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}
