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

/** A lock is taken over at this age when nobody can tell whether its owner lives, such as one on another machine. */
const UNKNOWN_OWNER_MS = 30_000;
/** A lock without an owner is taken over at this age: its process died before it wrote its name. */
const EMPTY_LOCK_MS = 2_000;

export class LockTimeout extends Error {
  constructor(path: string, ms: number) {
    super(
      `another process has held the lock ${path} for more than ${ms / 1000} s: try again when it has ended`,
    );
  }
}

/** Runs `body` while holding the lock file at `path`. Takes over the lock of a dead process. Throws `LockTimeout`. */
export function withLock<T>(path: string, body: () => T, limitMs = 10_000): T {
  const ours = acquire(path, limitMs);
  try {
    return body();
  } finally {
    release(path, ours);
  }
}

/** Takes the lock until it is released, for work that takes long; undefined when a running process holds it. */
export function holdLock(path: string): { release(): void } | undefined {
  for (;;) {
    const ours = createOwned(path);
    if (ours !== undefined) {
      return { release: () => release(path, ours) };
    }
    if (!takeOver(path)) return undefined;
  }
}

/** Locks of this process that could not be removed. */
const unreleased = new Map<string, bigint>();

/** Never throws: what was done under the lock is done. The lock is removed later, by this process or after its end. */
function release(path: string, ours: bigint): void {
  try {
    if (inodeAt(path) === ours) removeFile(path);
    unreleased.delete(path);
  } catch {
    unreleased.set(path, ours);
  }
}

/** Whether a running process holds the lock. */
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

/** Creates the lock file with our name in it and returns its inode; undefined when another process has it. */
function createOwned(path: string): bigint | undefined {
  const left = unreleased.get(path);
  if (left !== undefined) release(path, left);
  let fd: number;
  try {
    fd = openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
  try {
    writeSync(fd, renderProcessId(thisProcess()));
    // Another process may have taken over the empty file, if this one was suspended before it wrote its name.
    const { ino } = fstatSync(fd, { bigint: true });
    return inodeAt(path) === ino ? ino : undefined;
  } catch (error) {
    // On a full disk the lock stays empty, and others would wait for an owner that does not exist.
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
    // O_NONBLOCK, because opening a pipe would wait for its other end for ever.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) throw new Error(`the lock ${path} is not a regular file: move it out of the way`);
    const owner = parseProcessId(readFileSync(fd, 'utf8'));
    // The absolute value, so that a lock from the future (the clock was set back) ages, too.
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
 * Removes the lock of a dead owner; returns true when the caller may try at once to create its own.
 * If two processes removed it, one of them could remove the other's new lock. So a process first claims the right to remove,
 * with a file named after this very lock, and then looks at the lock again. When a claimant died, the claim with the next
 * number counts. The lock is removed before the claim, so that a later claimant finds another lock.
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
  // `dead` is checked again: a new lock may have the same identity, if it got the same inode within one clock tick.
  if (still?.dead && still.identity === held.identity) removeFile(path);
  for (const claim of claims.reverse()) removeFile(claim);
  sweepClaims(path);
  return true;
}

/** Removes claims of processes that died after they had removed the lock. Such claims block nobody. */
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
