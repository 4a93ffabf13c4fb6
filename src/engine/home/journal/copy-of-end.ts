/**
 * A copy of the last line of each journal, outside of the folder of its loop. The journal is written first. So a crash
 * between the two leaves a copy that is behind, which says nothing; a copy that is ahead shows that lines were removed.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { dirname } from 'node:path';
import { readSmall } from '../../files/whole-file.ts';
import type { LastLine, LineCheck } from './file.ts';

/** Undefined when there is no copy, or a damaged one. */
export function readCopyOfEnd(file: string, check: LineCheck): LastLine | undefined {
  const text = textOf(file);
  const line = text === '' ? undefined : check(text);
  return line && { line, text };
}

function textOf(file: string): string {
  try {
    return (readSmall(file) ?? '').trimEnd();
  } catch {
    return '';
  }
}

/** Never throws: without a copy, the journal still counts. */
export function writeCopyOfEnd(file: string, text: string): void {
  try {
    put(file, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      put(file, text);
    } catch {
      // As above.
    }
  }
}

function put(file: string, text: string): void {
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
}

/** Whether this machine was started since the copy was written: a power cut may have taken the end of the journal. */
export function isOlderThanBoot(file: string): boolean {
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return written !== undefined && written < Date.now() - uptime() * 1000;
}
