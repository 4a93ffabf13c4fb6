/**
 * The work folder. Several workers may share one: each has a folder of its own in it, by name, with a lock, and all share the
 * caches of repositories.
 *
 *   caches/                      clones, shared
 *   workers/<name>.lock          held as long as the worker runs
 *   workers/<name>/<run>-<n>/    one take of a run
 */
import { mkdirSync, realpathSync, statfsSync, utimesSync } from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../engine/core/text/errors.ts';
import { holdLock } from '../../engine/files/lock.ts';
import { namesIn } from '../../engine/files/whole-file.ts';
import { endLeftProcesses } from './driver-process.ts';

export const WORKER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const MOST_ON_ONE_MACHINE = 100;
const LOCK = '.lock';

export class WorkerFolders {
  readonly workdir: string;
  readonly worker: string;
  readonly #own: string;
  readonly #lock: { release(): void };
  #made = 0;

  private constructor(workdir: string, worker: string, lock: { release(): void }) {
    this.workdir = workdir;
    this.worker = worker;
    this.#lock = lock;
    this.#own = join(workdir, 'workers', worker);
    mkdirSync(this.#own, { recursive: true, mode: 0o700 });
  }

  /** Takes the folder of this name, or of the first free one like `machine-2` when no name was given. */
  static open(folder: string, given: string | undefined, machine: string): WorkerFolders {
    mkdirSync(join(folder, 'workers'), { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, 'caches'), { recursive: true, mode: 0o700 });
    const workdir = realpathSync(folder);
    const usual = machine.replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'worker';
    for (let number = 1; number <= MOST_ON_ONE_MACHINE; number++) {
      const name = given ?? (number === 1 ? usual.slice(0, 50) : `${usual.slice(0, 50)}-${number}`);
      const lock = holdLock(join(workdir, 'workers', `${name}${LOCK}`));
      if (lock) return new WorkerFolders(workdir, name, lock);
      if (given !== undefined) break;
    }
    throw new UsageError(
      `a worker named ${given ?? usual} works in ${workdir} already: give this one another name (--name), or another folder (--workdir)`,
    );
  }

  get caches(): string {
    return join(this.workdir, 'caches');
  }

  makeFolder(run: string): string {
    this.#made++;
    const folder = join(this.#own, `${run}-${process.pid}-${this.#made}`);
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }

  /** Never throws: what cannot be removed now is swept when a worker starts. */
  async removeFolder(folder: string): Promise<void> {
    try {
      await removeAll(folder);
    } catch {
      // It only takes up room.
    }
  }

  /** Removes what killed workers left, and ends what is left of their processes. Returns how many folders were swept. */
  async sweep(): Promise<number> {
    const all = join(this.workdir, 'workers');
    let swept = await this.#sweepOf(this.#own);
    for (const name of namesIn(all).filter((found) => !found.endsWith(LOCK) && WORKER_NAME.test(found))) {
      if (name === this.worker) continue;
      const lock = holdLock(join(all, `${name}${LOCK}`));
      if (!lock) continue;
      try {
        swept += await this.#sweepOf(join(all, name));
        await this.removeFolder(join(all, name));
      } finally {
        lock.release();
      }
    }
    return swept;
  }

  async #sweepOf(folder: string): Promise<number> {
    const left = namesIn(folder).map((name) => join(folder, name));
    for (const one of left) {
      await endLeftProcesses(one);
      await this.removeFolder(one);
    }
    return left.length;
  }

  /** A machine that shares the folder cannot see whether this process lives, but how old its lock is. */
  touchLock(): void {
    try {
      const now = new Date();
      utimesSync(join(this.workdir, 'workers', `${this.worker}${LOCK}`), now, now);
    } catch {
      // The disk may be full or gone: the runs tell.
    }
  }

  /** Free bytes; undefined where the system does not tell. */
  diskFree(): number | undefined {
    try {
      const { bavail, bsize } = statfsSync(this.workdir);
      return Number(bavail) * Number(bsize);
    } catch {
      return undefined;
    }
  }

  release(): void {
    this.#lock.release();
  }
}

/** Removes a folder, also one in which programs took away the right to write. */
async function removeAll(folder: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 };
  try {
    await rm(folder, options);
  } catch {
    await makeWritable(folder);
    await rm(folder, options);
  }
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => {});
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}

/** The bytes that a folder takes up. What changes meanwhile counts as it is found. */
export async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += await bytesIn(path);
    else sum += (await lstat(path).catch(() => undefined))?.size ?? 0;
  }
  return sum;
}
