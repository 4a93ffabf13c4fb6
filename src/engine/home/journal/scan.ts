import { type FileHandle, open, stat } from 'node:fs/promises';
import { sha256 } from '../../files/digest.ts';
import { JournalError, type LineCheck, lineCheck, NEVER_WRITTEN, NO_PREVIOUS } from './file.ts';
import { type JournalLine, parseLine } from './line.ts';

/** One line of a journal as found: valid, or what is wrong with it; `start` is its first byte, `bytes` its length. */
export type Scanned = { start: number; bytes: number } & (
  | { ok: true; line: JournalLine; text: string; sha256: string; chained: boolean }
  | { ok: false; number: number; problem: string }
);

/** Reads a journal line by line, and later the lines that were added since. A torn last line waits for the next call. */
export class JournalScan {
  private offset = 0;
  private number = 0;
  /** Where the line that is looked at begins. */
  private start = 0;
  private rest = Buffer.alloc(0);
  private previous: string | undefined;
  private readonly path: string;
  private readonly valid: LineCheck;

  constructor(path: string, key: string) {
    this.path = path;
    this.valid = lineCheck(path, key);
  }

  /** The lines that were added since the last call. */
  async *next(): AsyncGenerator<Scanned> {
    // Opening a pipe would wait for its other end for ever.
    if (!(await stat(this.path)).isFile()) throw new JournalError(`${this.path} is not a regular file`);
    const file = await open(this.path, 'r');
    try {
      for await (const text of this.lines(file)) {
        this.number++;
        if (text !== '') yield this.check(text);
      }
    } finally {
      await file.close();
    }
    yield* this.openEnd();
  }

  /** Yields a last line that is whole except for its line break. The break, when it comes, ends an empty line. */
  private *openEnd(): Generator<Scanned> {
    const text = this.rest.toString('utf8');
    if (!this.valid(text)) return;
    this.start = this.offset - this.rest.length;
    this.rest = Buffer.alloc(0);
    yield this.check(text);
  }

  private async *lines(file: FileHandle): AsyncGenerator<string> {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(256 * 1024), 0, 256 * 1024, this.offset);
      if (bytesRead === 0) return;
      this.offset += bytesRead;
      this.rest = Buffer.concat([this.rest, buffer.subarray(0, bytesRead)]);
      for (let cut = this.rest.indexOf(0x0a); cut >= 0; cut = this.rest.indexOf(0x0a)) {
        const text = this.rest.subarray(0, cut).toString('utf8');
        this.start = this.offset - this.rest.length;
        this.rest = this.rest.subarray(cut + 1);
        yield text;
      }
    }
  }

  private check(text: string): Scanned {
    const line = this.valid(text);
    const place = { start: this.start, bytes: Buffer.byteLength(text) };
    if (!line) {
      return { ...place, ok: false, number: this.number, problem: problemWith(text) };
    }
    const chained = line.prev === (this.previous ?? NO_PREVIOUS);
    this.previous = sha256(text);
    return { ...place, ok: true, line, text, sha256: this.previous, chained };
  }
}

function problemWith(text: string): string {
  if (text.includes(NEVER_WRITTEN)) return 'it was cut short by a power cut';
  const parsed = parseLine(text);
  return parsed.ok ? 'its seal is wrong: it was changed, or another installation wrote it' : parsed.problem;
}
