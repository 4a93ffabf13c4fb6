/** Reads the event that Claude Code writes to the stdin of its hooks. */
import { fstatSync, read, readSync, type Stats } from 'node:fs';

const LIMIT = 32 * 1024 * 1024;

/** A larger event is not parsed before its end: that would take as long as answering it. */
const SMALL = 256 * 1024;

/** Twice as long nothing may arrive. A machine that stalls uses up one of the two. */
const WAIT_MS = 5_000;

export type Input = ({ ok: true; text: string } | { ok: false; problem: string; text: string }) & {
  /** A read still waits. Node waits for it, too, and does not end by itself. */
  isStuck?: true;
};

/**
 * Reads without a stream: a stream costs more time than the rest of an idle hook call. Ends with the end of stdin, with a
 * whole JSON value, or when nothing more arrives. Never throws.
 */
export async function readInput(): Promise<Input> {
  if (isTerminal())
    return failed('expects one hook event as JSON on stdin; Claude Code calls it', Buffer.alloc(0));
  let bytes = Buffer.allocUnsafe(64 * 1024);
  for (let size = 0; ; ) {
    const got = await readChunk(bytes.subarray(size));
    if (got === 'late') return late(bytes.subarray(0, size));
    size += got;
    if (got === 0 || (size < SMALL && isWhole(bytes.subarray(0, size))))
      return { ok: true, text: bytes.toString('utf8', 0, size) };
    if (size > LIMIT)
      return failed(`stdin is larger than ${LIMIT / 1024 / 1024} MiB`, bytes.subarray(0, 1000));
    if (size === bytes.length) bytes = Buffer.concat([bytes], 4 * size);
  }
}

function failed(problem: string, bytes: Buffer): Input {
  return { ok: false, problem, text: bytes.toString('utf8') };
}

function late(bytes: Buffer): Input {
  if (isWhole(bytes)) return { ok: true, text: bytes.toString('utf8'), isStuck: true };
  const problem = `stdin stayed open, and nothing more came for ${(2 * WAIT_MS) / 1000} s`;
  return { ...failed(problem, bytes), isStuck: true };
}

/** Loads `node:tty` only for a character device, because it loads all streams with it. */
function isTerminal(): boolean {
  if (!stdin()?.isCharacterDevice()) return false;
  const { isatty } = require('node:tty') as typeof import('node:tty');
  return isatty(0);
}

/** Undefined: there is no stdin. Reading it gives the error. */
function stdin(): Stats | undefined {
  try {
    return fstatSync(0);
  } catch {
    return undefined;
  }
}

/** Whether an object has arrived whole, although stdin is still open. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.subarray(-2).toString('latin1').trimEnd();
  if (!end.endsWith('}')) return false;
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

const AGAIN_MS = 2;

/** The bytes that were read; 0 at the end and after an error. */
async function readChunk(chunk: Buffer): Promise<number | 'late'> {
  // Nobody waits for a file.
  if (stdin()?.isFile()) return readFile(chunk);
  for (const deadline = Date.now() + 2 * WAIT_MS; ; ) {
    const got = await Promise.race([readOnce(chunk), waited()]);
    if (got !== 'again') return got;
    if (Date.now() > deadline) return 'late';
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

function readFile(chunk: Buffer): number {
  try {
    return readSync(0, chunk);
  } catch {
    return 0;
  }
}

function readOnce(chunk: Buffer): Promise<number | 'again'> {
  return new Promise((resolve) => {
    read(0, chunk, 0, chunk.length, null, (error, got) => {
      resolve(!error ? got : error.code === 'EAGAIN' ? 'again' : 0);
    });
  });
}

function waited(): Promise<'late'> {
  return new Promise((resolve) => {
    setTimeout(() => setTimeout(() => resolve('late'), WAIT_MS).unref(), WAIT_MS).unref();
  });
}
