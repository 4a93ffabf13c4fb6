import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAll } from '../../files/whole-file.ts';

/** The first and the last bytes of a stream of any length. */
export class BoundedText {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #droppedBytes = 0;

  constructor(headLimit: number, tailLimit: number) {
    this.#headLimit = headLimit;
    this.#tailLimit = tailLimit;
  }

  add(chunk: Buffer): void {
    const room = this.#headLimit - this.#headBytes;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#head.push(part);
      this.#headBytes += part.length;
    }
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    this.#dropWhatIsTooMuch();
  }

  #dropWhatIsTooMuch(): void {
    while (this.#tailBytes > this.#tailLimit) {
      const [first] = this.#tail;
      if (first === undefined) return;
      const excess = Math.min(first.length, this.#tailBytes - this.#tailLimit);
      if (excess === first.length) this.#tail.shift();
      else this.#tail[0] = first.subarray(excess);
      this.#tailBytes -= excess;
      this.#droppedBytes += excess;
    }
  }

  /** What is no text becomes replacement characters; where something is missing, a line says how much. */
  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (this.#droppedBytes === 0) return Buffer.concat([head, tail]).toString('utf8');
    const note = `\n[... ${this.#droppedBytes} bytes left out ...]\n`;
    return `${head.toString('utf8').replace(/\uFFFD+$/, '')}${note}${tail.toString('utf8').replace(/^\uFFFD+/, '')}`;
  }
}

const FILE_LIMIT = 32 * 1024 * 1024;

/** The whole output in a file, up to a bound; a disk that fills up costs the rest of the file, never the judgement. */
export class OutputFile {
  #fd: number | undefined;
  #written = 0;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#fd = openSync(path, 'w', 0o600);
  }

  add(chunk: Buffer): void {
    if (this.#fd === undefined) return;
    const part = chunk.subarray(0, FILE_LIMIT - this.#written);
    try {
      writeAll(this.#fd, part);
      this.#written += part.length;
      if (part.length === chunk.length) return;
      writeAll(this.#fd, Buffer.from(`\n[cut: only the first ${FILE_LIMIT} bytes are kept]\n`));
    } catch {
      // What was written so far stays.
    }
    this.close();
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 64 * 1024;
const ANSWER_BYTES = 1024 * 1024;

/** Everything that is kept of a command's output. */
export class Recording {
  readonly #hash = createHash('sha256');
  readonly #both = new BoundedText(HEAD_BYTES, TAIL_BYTES);
  readonly #stdout = new BoundedText(ANSWER_BYTES, 0);
  readonly #stderr = new BoundedText(0, TAIL_BYTES);
  readonly #file: OutputFile | undefined;
  #bytes = 0;

  constructor(outputFile: string | undefined) {
    this.#file = outputFile === undefined ? undefined : new OutputFile(outputFile);
  }

  add(chunk: Buffer, stream: 'stdout' | 'stderr'): void {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#both.add(chunk);
    (stream === 'stdout' ? this.#stdout : this.#stderr).add(chunk);
    this.#file?.add(chunk);
  }

  finish(): { output: string; stdout: string; stderr: string; outputSha256: string; outputBytes: number } {
    this.#file?.close();
    return {
      output: this.#both.text(),
      stdout: this.#stdout.text(),
      stderr: this.#stderr.text(),
      outputSha256: this.#hash.digest('hex'),
      outputBytes: this.#bytes,
    };
  }
}
