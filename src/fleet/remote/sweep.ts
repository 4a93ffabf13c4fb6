/** Keeps the disk of a worker bounded: removes caches that nobody uses, the longest unused first. */
import { renameSync, statSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { holdLock, isLocked } from '../../engine/files/lock.ts';
import { isRunning } from '../../engine/files/process-id.ts';
import { namesIn } from '../../engine/files/whole-file.ts';
import { cacheFolder, isBorrowed, usedAt } from './cache.ts';

const CACHE = /^[0-9a-f]{32}\.git$/;
const ASIDE = /^([0-9a-f]{32}\.git)\.(?:new|damaged|removed)-[0-9a-f]{8}$/;
const TEMPORARY = /^tmp-(\d+)-/;
const DAY_MS = 24 * 3_600_000;

export interface Swept {
  /** What is left. */
  bytes: number;
  /** How many caches were removed. */
  removed: number;
}

/**
 * `inUse`: repositories of runs that are worked on. Those, and caches from which a checkout borrows that is still there, stay
 * whatever their size.
 */
export async function sweepCaches(
  caches: string,
  mostBytes: number,
  inUse: ReadonlySet<string>,
): Promise<Swept> {
  await removeLeftovers(caches);
  const busy = new Set([...inUse].map((repo) => cacheFolder(caches, repo)));
  const found = await Promise.all(
    namesIn(caches)
      .filter((name) => CACHE.test(name))
      .map((name) => join(caches, name))
      .map(async (dir) => ({ dir, bytes: await bytesIn(dir), used: usedAt(dir) })),
  );
  let bytes = found.reduce((sum, cache) => sum + cache.bytes, 0);
  let removed = 0;
  for (const { dir, bytes: own } of found.sort((a, b) => a.used - b.used)) {
    if (bytes <= mostBytes) break;
    if (busy.has(dir) || isBorrowed(dir) || !(await removeCache(dir))) continue;
    bytes -= own;
    removed++;
  }
  return { bytes, removed };
}

/** False when another process is at work on it. */
async function removeCache(dir: string): Promise<boolean> {
  const lock = holdLock(`${dir}.lock`);
  if (!lock) return false;
  const aside = `${dir}.removed-${Math.random().toString(16).slice(2, 10).padEnd(8, '0')}`;
  try {
    renameSync(dir, aside);
  } finally {
    lock.release();
  }
  await rm(aside, { recursive: true, force: true });
  return true;
}

/** What killed processes left, caches that were damaged, and indexes of workspaces that were not used for a day. */
async function removeLeftovers(caches: string): Promise<void> {
  const names = namesIn(caches).filter((name) => {
    const cache = ASIDE.exec(name)?.[1];
    if (cache !== undefined) return !isLocked(join(caches, `${cache}.lock`));
    const pid = TEMPORARY.exec(name)?.[1];
    return pid !== undefined && !isRunning(Number(pid));
  });
  const indexes = namesIn(join(caches, 'indexes')).map((name) => join('indexes', name));
  const old = indexes.filter((name) => {
    const stat = statSync(join(caches, name), { throwIfNoEntry: false });
    return (
      stat !== undefined && Date.now() - stat.mtimeMs > DAY_MS && !isLocked(join(caches, `${name}.lock`))
    );
  });
  for (const name of [...names, ...old]) await rm(join(caches, name), { recursive: true, force: true });
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesIn(path);
    else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
