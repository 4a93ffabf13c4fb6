/** Reads the event that Claude Code writes to stdin. */
import { fstatSync, readSync } from 'node:fs';
import { sleep } from '../files/system.ts';

const STDIN_LIMIT = 32 * 1024 * 1024;

export type Input = { ok: true; text: string } | { ok: false; problem: string };

export function readInput(): Input {
  return isTerminal()
    ? { ok: false, problem: 'expects one hook event as JSON on stdin; Claude Code calls it' }
    : readStdin();
}

/** Loads `node:tty` only for a character device, because it loads all streams with it. */
function isTerminal(): boolean {
  if (!isDevice()) return false;
  const { isatty } = require('node:tty') as typeof import('node:tty');
  return isatty(0);
}

function isDevice(): boolean {
  try {
    return fstatSync(0).isCharacterDevice();
  } catch {
    // There is no stdin. Reading it gives the error.
    return false;
  }
}

/** Reads stdin without a stream: a stream costs more time than the rest of an idle hook call. */
function readStdin(): Input {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  for (let size = 0; ; ) {
    const got = readChunk(bytes.subarray(size));
    if (got === 0) return { ok: true, text: bytes.toString('utf8', 0, size) };
    size += got;
    if (size > STDIN_LIMIT)
      return { ok: false, problem: `stdin is larger than ${STDIN_LIMIT / 1024 / 1024} MiB` };
    if (size === bytes.length) bytes = Buffer.concat([bytes], 4 * size);
  }
}

function readChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') return 0;
      sleep(2);
    }
  }
}
