/**
 * Counts beside the journals, for what a journal does not count: in the home, and where the home cannot be written in the
 * system's folder for temporary files. Each count is an empty file, because a full disk still takes a name. The names are
 * made with the key of the home, so that nobody who lacks it creates them ahead.
 */
import { closeSync, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hmacSha256, sha256 } from '../files/digest.ts';
import type { FallbackCounts } from '../ports/ports.ts';
import { type Home, readKey } from './layout.ts';

const KEPT_MS = 3_600_000;
const MOST = 64;

/** `home`: where counts are kept first. Without one, and where it cannot be written, they are kept in `folder`. */
export function fallbackCounts(
  folder: string = tmpdir(),
  now: () => number = Date.now,
  home?: Home,
): FallbackCounts {
  return {
    next(session, what) {
      const nameOf = namesWith(home, `${session}\n${what}`);
      const places = [() => ownFolder(folder)];
      if (home) places.unshift(() => inHome(home));
      for (const place of places) {
        try {
          return nextIn(place(), nameOf, now());
        } catch {
          // The next place counts.
        }
      }
      return undefined;
    },
  };
}

/** What is counted, as the name of each count. Without a key that can be read, anybody can make such a name. */
function namesWith(home: Home | undefined, what: string): (count: number) => string {
  const key = home && keyOf(home);
  return (count) => {
    const text = `count ${count} of ${what}`;
    return (key === undefined ? sha256(text) : hmacSha256(key, text)).slice(0, 32);
  };
}

function keyOf(home: Home): string | undefined {
  try {
    return readKey(home);
  } catch {
    return undefined;
  }
}

function nextIn(folder: string, nameOf: (count: number) => string, now: number): number {
  const path = (count: number) => join(folder, nameOf(count));
  forgetOld(path, now);
  for (let count = 1; count <= MOST; count++) if (createEmpty(path(count))) return count;
  return MOST + 1;
}

/** Throws where the home is missing or cannot be written. */
function inHome({ root }: Home): string {
  const own = join(root, 'counts');
  makeFolder(own);
  return own;
}

/** Our own folder among the temporary files. Throws when another user has made one of this name. */
function ownFolder(folder: string): string {
  const uid = process.getuid?.();
  const own = join(folder, `untildone-${uid ?? 'counts'}`);
  makeFolder(own);
  const stat = lstatSync(own);
  if (!stat.isDirectory() || (uid !== undefined && stat.uid !== uid))
    throw new Error(`${own} belongs to another user`);
  return own;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function forgetOld(path: (count: number) => string, now: number): void {
  const last = lstatSync(path(1), { throwIfNoEntry: false });
  if (!last || Math.abs(now - last.mtimeMs) < KEPT_MS) return;
  for (let count = 1; count <= MOST; count++) rmSync(path(count), { force: true });
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
