import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { livenessOf, type ProcessId, parseProcessId, renderProcessId, thisProcess } from './process-id.ts';
import { sleep } from './system.ts';

/** A lock is taken over at this age when nobody can tell whether its owner lives, such as one on another machine. */
const UNKNOWN_OWNER_MS = 30_000;
/** What counts at most between two looks at a lock: when the machine stalls, the owner does not get on either. */
const LONGEST_LOOK_MS = 250;
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
const unreleased = new Map<string, string>();

/** Never throws: what was done under the lock is done. The lock is removed later, by this process or after its end. */
function release(path: string, ours: string): void {
  try {
    if (inspect(path)?.text === ours) removeFile(path);
    unreleased.delete(path);
  } catch {
    unreleased.set(path, ours);
  }
}

/** Whether a running process holds the lock. */
export function isLocked(path: string): boolean {
  const held = inspect(path);
  return held !== undefined && !held.isDead();
}

/** Returns the text of the lock file that is now ours. */
function acquire(path: string, limitMs: number): string {
  let waited = 0;
  for (let wait = 1; ; wait = Math.min(wait * 2, 16)) {
    const began = Date.now();
    const ours = createOwned(path);
    if (ours !== undefined) return ours;
    const free = takeOver(path);
    if (waited > limitMs) throw new LockTimeout(path, limitMs);
    if (!free || wait > 1) sleep(wait);
    waited += Math.min(Math.max(1, Date.now() - began), LONGEST_LOOK_MS);
  }
}

let taken = 0;

/**
 * Creates the lock file and returns its text; undefined when another process has it. The text is written before the file
 * gets its name, so that no lock is ever without its owner, and no two locks have the same text.
 */
function createOwned(path: string): string | undefined {
  const left = unreleased.get(path);
  if (left !== undefined) release(path, left);
  taken++;
  const serial = `${process.pid}-${taken}-${Date.now()}`;
  const text = `${renderProcessId(thisProcess())}${serial}\n`;
  const written = `${path}.new-${serial}`;
  try {
    writeFileSync(written, text, { mode: 0o600 });
    putInPlace(written, path);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    removeFile(written);
  }
}

const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

function putInPlace(written: string, path: string): void {
  try {
    linkSync(written, path);
  } catch (error) {
    if (!NO_HARD_LINKS.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    copyFileSync(written, path, constants.COPYFILE_EXCL);
  }
}

interface Held {
  text: string;
  /** Tells this lock from every other one at the same path. */
  identity: string;
  /** Asked only where it counts: it takes a few looks at processes. */
  isDead(): boolean;
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
    const text = readFileSync(fd, 'utf8');
    // The absolute value, so that a lock from the future (the clock was set back) ages, too.
    const age = Math.abs(Date.now() - Number(stat.mtimeMs));
    const serial = /^[\d-]+$/.exec(text.split('\n')[1] ?? '')?.[0] ?? '0';
    const identity = `${stat.ino}-${stat.mtimeNs}-${serial}`;
    return { text, identity, isDead: () => isDead(ownerIn(text), age) };
  } finally {
    closeSync(fd);
  }
}

function ownerIn(text: string): ProcessId | undefined {
  return parseProcessId(text.slice(0, text.indexOf('\n') + 1));
}

function isDead(owner: ProcessId | undefined, ageMs: number): boolean {
  const liveness = owner ? livenessOf(owner) : 'unknown';
  if (liveness !== 'unknown') return liveness === 'dead';
  return ageMs > (owner ? UNKNOWN_OWNER_MS : EMPTY_LOCK_MS);
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
  if (!held.isDead()) return false;
  const claims: string[] = [];
  for (let k = 0; ; k++) {
    const claim = `${path}.dead-${held.identity}.${k}`;
    claims.push(claim);
    if (createOwned(claim) !== undefined) break;
    if (!inspect(claim)?.isDead()) return false;
  }
  const still = inspect(path);
  if (still?.isDead() && still.identity === held.identity) removeFile(path);
  for (const claim of claims.reverse()) removeFile(claim);
  sweep(path);
  return true;
}

const LEFT_BEHIND_MS = 60_000;

/** Removes what processes left that died while they took a lock or took one over. It blocks nobody. */
function sweep(path: string): void {
  const prefixes = [`${basename(path)}.dead-`, `${basename(path)}.new-`];
  const current = inspect(path)?.identity;
  for (const name of readdirSync(dirname(path))) {
    if (!prefixes.some((prefix) => name.startsWith(prefix))) continue;
    // A claim on the lock that is there now is still in use.
    if (current !== undefined && name.includes(current)) continue;
    const left = join(dirname(path), name);
    if (inspect(left)?.isDead() && olderThan(left, LEFT_BEHIND_MS)) removeFile(left);
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
