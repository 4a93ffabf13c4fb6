/**
 * Counts in the system's folder for temporary files, for times when the home cannot be written. Each count is an empty file,
 * because a full disk still takes a name.
 */
import { closeSync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../files/digest.ts';
import type { FallbackCounts } from '../ports/ports.ts';

const KEPT_MS = 3_600_000;
const MOST = 64;

export function fallbackCounts(folder?: string, now: () => number = Date.now): FallbackCounts {
  return {
    next(session, what) {
      try {
        const own = ownFolder(folder ?? tmpdir());
        const name = join(own, sha256(`${session}\n${what}`).slice(0, 32));
        forgetOld(name, now());
        for (let count = 1; count <= MOST; count++) if (createEmpty(`${name}.${count}`)) return count;
        return MOST + 1;
      } catch {
        return undefined;
      }
    },
  };
}

/** Our own folder among the temporary files. Throws when another user has made one of this name. */
function ownFolder(folder: string): string {
  const uid = process.getuid?.();
  const own = join(folder, `untildone-${uid ?? 'counts'}`);
  try {
    mkdirSync(own, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const stat = lstatSync(own);
  if (!stat.isDirectory() || (uid !== undefined && stat.uid !== uid))
    throw new Error(`${own} belongs to another user`);
  return own;
}

function forgetOld(name: string, now: number): void {
  const last = lstatSync(`${name}.1`, { throwIfNoEntry: false });
  if (!last || Math.abs(now - last.mtimeMs) < KEPT_MS) return;
  for (let count = 1; count <= MOST; count++) rmSync(`${name}.${count}`, { force: true });
}

function createEmpty(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
