/** Streams one transcript of any size as records, in bounded memory. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { parseFields } from '../../../engine/client/fields.ts';
import { byteText } from './byte-text.ts';
import { LineRecords } from './line-records.ts';
import { mayTell } from './may-tell.ts';
import type { ReadingCounts, SeeRecord } from './records.ts';
import { Squeezer } from './squeeze.ts';

const CHUNK = 1024 * 1024;
/** A longer line is made shorter before it is parsed. */
const LONG_LINE = 512 * 1024;
const PROGRESS_EVERY = 8 * CHUNK;
const NEWLINE = 0x0a;

/**
 * Reads a regular file, which a link may lead to. Anything else is a `problem` in the counts. Never waits on a pipe.
 * `progress` gets the bytes that were read since its last call.
 */
export function readTranscript(
  path: string,
  see: SeeRecord,
  progress: (bytes: number) => void = () => {},
): ReadingCounts {
  let file: { fd: number; size: number };
  try {
    file = openRegular(path);
  } catch (error) {
    return { ...nothingRead(), problem: problemOf(error) };
  }
  try {
    // Most transcripts are small, and there are many of them.
    const reader = new TranscriptReader(see, Math.min(LONG_LINE, file.size + 1));
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, file.size + 1));
    let unsaid = 0;
    for (;;) {
      const count = readInto(chunk, file.fd);
      if (typeof count === 'string') return { ...reader.end(), problem: count };
      unsaid += count;
      if (count === 0 || unsaid >= PROGRESS_EVERY) {
        progress(unsaid);
        unsaid = 0;
      }
      if (count === 0) return reader.end();
      reader.feed(chunk.subarray(0, count));
    }
  } finally {
    closeSync(file.fd);
  }
}

/** How many bytes came, or why none did. */
function readInto(chunk: Buffer, fd: number): number | string {
  try {
    return readSync(fd, chunk, 0, chunk.length, null);
  } catch (error) {
    return problemOf(error);
  }
}

function openRegular(path: string): { fd: number; size: number } {
  if (!statSync(path).isFile()) throw new Error('it is not a regular file');
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = fstatSync(fd);
  if (stat.isFile()) return { fd, size: stat.size };
  closeSync(fd);
  throw new Error('it is not a regular file');
}

function problemOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

function nothingRead(): ReadingCounts {
  return { bytes: 0, lines: 0, badLines: 0, longLines: 0, torn: false };
}

/** Takes the bytes of a transcript in pieces of any size. */
export class TranscriptReader {
  private readonly counts = nothingRead();
  private readonly records: LineRecords;
  private readonly squeezer = new Squeezer();
  /** The beginning of a line whose end has not come yet. */
  private readonly begun: Buffer;
  private begunLength = 0;
  /** A long line under way: it is squeezed, or passed over. */
  private long: 'squeezed' | 'passed' | undefined;

  constructor(see: SeeRecord, longLine = LONG_LINE) {
    this.records = new LineRecords(see);
    this.begun = Buffer.allocUnsafe(longLine);
  }

  feed(bytes: Buffer): void {
    this.counts.bytes += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const newline = bytes.indexOf(NEWLINE, at);
      const end = newline < 0 ? bytes.length : newline;
      if (newline < 0) this.begin(bytes, at, end);
      else this.finish(bytes, at, end);
      at = end + 1;
    }
  }

  /** A torn last line counts, but is not looked at, unless it is whole JSON after all. */
  end(): ReadingCounts {
    if (this.begunLength > 0 || this.long) {
      const before = this.counts.badLines;
      this.finish(this.begun, 0, 0);
      this.counts.torn = this.counts.badLines > before;
      this.counts.badLines = before;
    }
    return this.counts;
  }

  /** Keeps a part of a line. */
  private begin(bytes: Buffer, from: number, to: number): void {
    const room = this.long ? 0 : this.begun.length - this.begunLength;
    if (to - from <= room) {
      bytes.copy(this.begun, this.begunLength, from, to);
      this.begunLength += to - from;
      return;
    }
    // The first bytes of a line decide whether it is looked at, always the same number of them.
    bytes.copy(this.begun, this.begunLength, from, from + room);
    if (!this.long) {
      this.long = mayTell(this.begun, 0, this.begun.length) ? 'squeezed' : 'passed';
      this.squeezer.reset();
      if (this.long === 'squeezed') this.squeezer.feed(this.begun, 0, this.begun.length);
    }
    this.begunLength = 0;
    if (this.long === 'squeezed') this.squeezer.feed(bytes, from + room, to);
  }

  /** Takes the last part of a line. */
  private finish(bytes: Buffer, from: number, to: number): void {
    this.counts.lines++;
    const isWhole = this.begunLength === 0 && !this.long && to - from <= this.begun.length;
    if (isWhole) {
      this.parse(bytes, from, to);
      return;
    }
    this.begin(bytes, from, to);
    if (this.long) this.finishLong();
    else this.parse(this.begun, 0, this.begunLength);
    this.begunLength = 0;
    this.long = undefined;
  }

  private finishLong(): void {
    if (this.long === 'passed') return;
    const line = this.squeezer.line();
    if (this.squeezer.dropped) this.counts.longLines++;
    this.see(line, 0, line.length);
  }

  private parse(bytes: Buffer, from: number, to: number): void {
    if (from < to && mayTell(bytes, from, to)) this.see(bytes, from, to);
  }

  private see(bytes: Buffer, from: number, to: number): void {
    // Bytes of zero stand before a line when the machine has crashed.
    let start = from;
    while (start < to && bytes[start] === 0) start++;
    const entry = parseFields(byteText(bytes, start, to));
    if (entry) this.records.take(entry, this.counts.lines);
    else this.counts.badLines++;
  }
}
