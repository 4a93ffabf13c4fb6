import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { livenessOf, parseProcessId, renderProcessId, thisProcess } from './process-id.ts';

/** A lock file whose owner cannot be told (no owner written yet, another machine's) is given up after this time. */
const UNKNOWN_OWNER_MS = 30_000;
const EMPTY_LOCK_MS = 2_000;

export class LockTimeout extends Error {
  constructor(path: string, ms: number) {
    super(`another process holds ${path} and did not let go within ${ms / 1000} s`);
  }
}

/** Runs `body` while holding the lock file at `path`. A dead owner's lock is taken over. Synchronous on purpose. */
export function withLock<T>(path: string, body: () => T, limitMs = 10_000): T {
  const ours = acquire(path, limitMs);
  try {
    return body();
  } finally {
    if (inodeAt(path) === ours) removeFile(path);
  }
}

/** Holds the lock until it is released, for work that takes its time; undefined when a living process holds it. */
export function holdLock(path: string): { release(): void } | undefined {
  for (;;) {
    const ours = createOwned(path);
    if (ours !== undefined) {
      return {
        release: () => {
          if (inodeAt(path) === ours) removeFile(path);
        },
      };
    }
    if (!takeOver(path)) return undefined;
  }
}

/** Whether a living process holds it. */
export function isLocked(path: string): boolean {
  const held = inspect(path);
  return held !== undefined && !held.dead;
}

/** Returns the inode of the lock file that is now ours. */
function acquire(path: string, limitMs: number): bigint {
  const deadline = Date.now() + limitMs;
  for (let wait = 1; ; wait = Math.min(wait * 2, 16)) {
    const ours = createOwned(path);
    if (ours !== undefined) return ours;
    const free = takeOver(path);
    if (Date.now() > deadline) throw new LockTimeout(path, limitMs);
    if (!free || wait > 1) sleep(wait);
  }
}

/** Creates the file with our name in it and returns its inode; undefined when it is another's. */
function createOwned(path: string): bigint | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
  try {
    writeSync(fd, renderProcessId(thisProcess()));
    // Whoever was held up before it wrote its name (a suspended machine) may have been taken for dead.
    const { ino } = fstatSync(fd, { bigint: true });
    return inodeAt(path) === ino ? ino : undefined;
  } catch (error) {
    // An empty lock (a full disk) would keep others waiting for an owner that never was.
    removeFile(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

function inodeAt(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

interface Held {
  /** Tells this lock from the next one at the same path. */
  identity: string;
  dead: boolean;
}

function inspect(path: string): Held | undefined {
  let fd: number;
  try {
    // Without waiting: opening a pipe would wait for its other end for ever.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) throw new Error(`${path} is not a regular file`);
    const owner = parseProcessId(readFileSync(fd, 'utf8'));
    // A clock that was set back must not make a lock immortal.
    const age = Math.abs(Date.now() - Number(stat.mtimeMs));
    const liveness = owner ? livenessOf(owner) : 'unknown';
    const patience = owner ? UNKNOWN_OWNER_MS : EMPTY_LOCK_MS;
    const dead = liveness === 'dead' || (liveness === 'unknown' && age > patience);
    return { identity: `${stat.ino}-${stat.mtimeNs}`, dead };
  } finally {
    closeSync(fd);
  }
}

/**
 * Removes a dead owner's lock; true when the caller may try to create its own at once.
 * Two waiters must never both remove it, or one removes the fresh lock of the other. So the right to remove is itself
 * claimed by a file named after this very lock, and the lock is looked at again once the claim is ours. A claimant that
 * died is passed over by the next number. The lock goes before the claim: whoever claims later finds another lock.
 */
function takeOver(path: string): boolean {
  const held = inspect(path);
  if (!held) return true;
  if (!held.dead) return false;
  const claims: string[] = [];
  for (let k = 0; ; k++) {
    const claim = `${path}.dead-${held.identity}.${k}`;
    claims.push(claim);
    if (createOwned(claim) !== undefined) break;
    if (!inspect(claim)?.dead) return false;
  }
  const still = inspect(path);
  // Its age alone does not name a lock: the next one may get the same inode within one tick of the clock.
  if (still?.dead && still.identity === held.identity) removeFile(path);
  for (const claim of claims.reverse()) removeFile(claim);
  sweepClaims(path);
  return true;
}

/** Claims whose claimant died after the lock was gone block nobody; they are only litter. */
function sweepClaims(path: string): void {
  const prefix = `${basename(path)}.dead-`;
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const claim = join(dirname(path), name);
    if (inspect(claim)?.dead && olderThan(claim, 60_000)) removeFile(claim);
  }
}

function olderThan(path: string, ms: number): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > ms;
  } catch {
    return false;
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
