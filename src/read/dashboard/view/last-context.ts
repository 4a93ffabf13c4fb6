import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Entry } from '../../../engine/core/loop/entry.ts';
import { parseLine } from '../../../engine/home/journal/line.ts';

const LOOKED_AT = 64 * 1024;

/** How full the context was at the last Stop, from the end of the journal; undefined when that does not tell. */
export function lastContext(path: string, last: Entry): number | undefined {
  if (last.kind === 'stop') return last.seen.contextShare;
  for (const text of endOf(path).reverse()) {
    if (!text.includes('"entry":{"kind":"stop"')) continue;
    const parsed = parseLine(text);
    if (parsed.ok && parsed.line.entry.kind === 'stop') return parsed.line.entry.seen.contextShare;
  }
  return undefined;
}

function endOf(path: string): string[] {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, LOOKED_AT));
      readSync(file, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString('utf8').split('\n').slice(1);
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}
