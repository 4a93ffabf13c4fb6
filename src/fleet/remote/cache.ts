/**
 * The cache of a repository on this machine: a bare repository from which checkouts borrow objects. Several processes share
 * it. Whoever changes its refs holds its lock; objects are only ever added, so reading and pushing need none.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { RemoteAway } from '../../engine/core/fleet/errors.ts';
import { sha256 } from '../../engine/files/digest.ts';
import { holdLock } from '../../engine/files/lock.ts';
import { namesIn } from '../../engine/files/whole-file.ts';
import type { GitCall, GitResult } from '../../engine/project/git.ts';
import { FETCH_MS, listRemote, localGit, type RemoteGit, remoteGit, said } from './git-calls.ts';

const MARKER = 'untildone-cache';
const BORROWERS = 'borrowers';
const HAVE = 'refs/have/';

export interface Cache {
  readonly dir: string;
  readonly repo: string;
  readonly caches: string;
  readonly world: RemoteGit;
  /** Ids of files and commits that are known to be in it. */
  readonly written: Set<string>;
  /** When damage made this process make it anew. */
  mendedAt: number;
}

export function cacheOf(caches: string, repo: string, world: RemoteGit): Cache {
  return { dir: cacheFolder(caches, repo), repo, caches, world, written: new Set(), mendedAt: 0 };
}

export function cacheFolder(caches: string, repo: string): string {
  return join(caches, `${sha256(repo).slice(0, 32)}.git`);
}

/** Makes the cache on first use, and again when it is not whole. */
export async function ready(cache: Cache): Promise<void> {
  if (isWhole(cache)) return;
  await locked(cache, async () => {
    if (!isWhole(cache)) await make(cache);
  });
}

function isWhole({ dir, repo }: Cache): boolean {
  try {
    const whole = ['HEAD', 'config', 'objects', 'refs'].every((name) => existsSync(join(dir, name)));
    if (!whole || readFileSync(join(dir, MARKER), 'utf8') !== `${repo}\n`) return false;
    const now = Date.now() / 1000;
    utimesSync(join(dir, MARKER), now, now);
    return true;
  } catch {
    return false;
  }
}

/** Makes it beside its place and moves it there whole. What lies there is set aside, and its commits are fetched again. */
async function make(cache: Cache): Promise<void> {
  const { dir, repo, world, caches } = cache;
  cache.written.clear();
  const refs = await listRemote(world, { folder: caches }, repo, ['HEAD', 'refs/heads/*']);
  const [id = ''] = refs.values();
  const made = `${dir}.new-${randomBytes(4).toString('hex')}`;
  const format = id.length === 64 ? ['--object-format=sha256'] : [];
  const args = ['init', '--quiet', '--bare', '--template=', ...format, made];
  const { exitCode, stderr } = await localGit(world, caches, args);
  if (exitCode !== 0) throw new Error(`no cache can be made in ${caches}: ${said(stderr)}`);
  mkdirSync(join(made, BORROWERS), { recursive: true });
  writeFileSync(join(made, MARKER), `${repo}\n`);
  const lost = existsSync(dir) ? wantedOf(dir) : { commits: [], borrowers: [] };
  for (const { name, text } of lost.borrowers) writeFileSync(join(made, BORROWERS, name), text);
  if (existsSync(dir)) renameSync(dir, `${dir}.damaged-${randomBytes(4).toString('hex')}`);
  renameSync(made, dir);
  for (const commit of lost.commits) await fetchCommit(cache, commit).catch(() => undefined);
}

/** What checkouts borrow from a cache that is damaged, as far as it can still be told. */
function wantedOf(dir: string): { commits: string[]; borrowers: { name: string; text: string }[] } {
  const packed = (() => {
    try {
      return readFileSync(join(dir, 'packed-refs'), 'latin1');
    } catch {
      return '';
    }
  })();
  const inPacked = [...packed.matchAll(/ refs\/have\/([0-9a-f]{40,64})$/gm)].map(([, id = '']) => id);
  const loose = namesIn(join(dir, HAVE)).filter((name) => /^[0-9a-f]{40,64}$/.test(name));
  const borrowers = namesIn(join(dir, BORROWERS)).map((name) => ({
    name,
    text: readFileSync(join(dir, BORROWERS, name), 'utf8'),
  }));
  return { commits: [...new Set([...inPacked, ...loose])], borrowers };
}

/** One process at a time. A process that died is passed over. */
export async function locked<Result>(
  { dir, caches, world }: Pick<Cache, 'dir' | 'caches' | 'world'>,
  work: () => Promise<Result>,
): Promise<Result> {
  mkdirSync(caches, { recursive: true, mode: 0o700 });
  const lock = await lockAt(`${dir}.lock`, world.signal);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function lockAt(path: string, signal: AbortSignal | undefined): Promise<{ release(): void }> {
  const until = Date.now() + FETCH_MS;
  for (let ms = 5; ; ms = Math.min(ms * 2, 200)) {
    const lock = holdLock(path);
    if (lock) return lock;
    if (Date.now() > until) throw new Error(`another process has held the lock ${path} for too long`);
    await wait(ms, undefined, signal ? { signal } : {});
  }
}

/** Git on the cache. What it says of damaged objects makes the cache anew, once. */
export async function cacheGit(
  cache: Cache,
  args: readonly string[],
  more: Partial<GitCall> = {},
): Promise<GitResult> {
  const call = () =>
    localGit(cache.world, cache.dir, args, { ...more, env: { GIT_DIR: cache.dir, ...more.env } });
  const result = await call();
  if (result.exitCode === 0) return result;
  return (await mend(cache, result.stderr)) ? call() : result;
}

export async function cacheOutput(
  cache: Cache,
  args: readonly string[],
  more: Partial<GitCall> = {},
): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await cacheGit(cache, args, more);
  if (exitCode === 0) return stdout;
  throw new Error(`git ${args[0]} failed in ${cache.dir}: ${said(stderr) || `it ended with ${exitCode}`}`);
}

const DAMAGED =
  /not a git repository|bad config|is corrupt|corrupt (?:loose|patch)|object file .* is empty|inflate: |packfile .* (?:cannot be|is) |index file .* is too small|bad object|unable to (?:read|unpack|find) [0-9a-f]{40}|unable to (?:read|unpack) .*(?:header|object)|could not read [0-9a-f]{40}|missing (?:blob|tree|commit)|broken link|wrong (?:index|pack) /i;

const BETWEEN_MENDS_MS = 10 * 60_000;

/**
 * Makes the cache anew when git's words tell of damage. Not again and again: the damage may lie in a checkout, or on the
 * remote.
 */
export async function mend(cache: Cache, stderr: string): Promise<boolean> {
  if (!DAMAGED.test(stderr) || Date.now() - cache.mendedAt < BETWEEN_MENDS_MS) return false;
  cache.mendedAt = Date.now();
  await locked(cache, () => make(cache));
  return true;
}

/** Brings a commit with everything that it leads to into the cache. */
export async function need(cache: Cache, commit: string): Promise<void> {
  await ready(cache);
  if (await has(cache, commit)) return;
  await locked(cache, async () => {
    if (!(await has(cache, commit))) await fetchCommit(cache, commit);
  });
}

/** Whether a commit was fetched whole: the object alone may be what a fetch left that was killed. */
async function has(cache: Cache, commit: string): Promise<boolean> {
  const args = ['rev-parse', '--verify', '--quiet', `${HAVE}${commit}^{commit}`];
  return (await cacheGit(cache, args)).exitCode === 0;
}

async function fetchCommit(cache: Cache, commit: string): Promise<void> {
  const alone = await fetch(cache, [`${commit}:${HAVE}${commit}`]);
  if (alone.exitCode === 0) return;
  // A server may give out only what its refs name.
  const all = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*', '+refs/untildone/*:refs/all/*'];
  const { exitCode, stderr } = await fetch(cache, ['--prune', ...all]);
  if (exitCode !== 0) throw new RemoteAway(`${cache.repo} cannot be fetched: ${said(stderr)}`);
  const kept = await cacheGit(cache, ['update-ref', `${HAVE}${commit}`, commit]);
  if (kept.exitCode !== 0) throw new NotThere(`${cache.repo} does not give out the commit ${commit}`);
}

/** The remote answers, and does not have it. */
export class NotThere extends Error {}

const LOCKED = /unable to create '.*\.lock'|cannot lock ref|could not lock/i;
/** Git holds its own locks for moments. */
const STALE_MS = 10_000;

/** Under the lock of the cache. */
export async function fetch(cache: Cache, refspecs: readonly string[]): Promise<GitResult> {
  const { world, repo, dir } = cache;
  const options = refspecs.filter((text) => text.startsWith('--'));
  const specs = refspecs.filter((text) => !text.startsWith('--'));
  const plain = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  const args = ['fetch', ...plain, ...options, '--', repo, ...specs];
  const call = () => remoteGit(world, { gitDir: dir }, args, world.fetchMs ?? FETCH_MS);
  const deadline = Date.now() + STALE_MS + 5_000;
  for (;;) {
    const result = await call();
    if (result.exitCode === 0) {
      await keepTidy(cache);
      return result;
    }
    if (!LOCKED.test(result.stderr) || Date.now() > deadline) return result;
    clearLocks(dir);
    await wait(500, undefined, world.signal ? { signal: world.signal } : {});
  }
}

/** Removes lock files of git whose process was killed. Only under the lock of the cache. */
function clearLocks(dir: string): void {
  const tops = namesIn(dir).filter((name) => name.endsWith('.lock'));
  const below = namesBelow(join(dir, 'refs')).filter((name) => name.endsWith('.lock'));
  for (const path of [...tops.map((name) => join(dir, name)), ...below]) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Math.abs(Date.now() - stat.mtimeMs) > STALE_MS) rmSync(path, { force: true });
  }
}

export function namesBelow(folder: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isDirectory() ? namesBelow(path) : stat ? [path] : [];
  });
}

const MANY_LOOSE = 20;

/** Packs loose objects when there are many. Nothing is removed that is in no pack, because checkouts may borrow it. */
async function keepTidy(cache: Cache): Promise<void> {
  // One folder of 256 stands for all.
  if (namesIn(join(cache.dir, 'objects', '17')).length < MANY_LOOSE) return;
  await localGit(cache.world, cache.dir, ['repack', '--quiet', '--geometric=2', '-d', '-l'], {
    env: { GIT_DIR: cache.dir },
  }).catch(() => undefined);
}

/** Notes that a checkout borrows objects, so that the cache stays as long as the checkout. */
export function noteBorrower({ dir }: Cache, folder: string): void {
  mkdirSync(join(dir, BORROWERS), { recursive: true });
  writeFileSync(join(dir, BORROWERS, sha256(folder).slice(0, 32)), `${folder}\n`);
}

export function isBorrowed(dir: string): boolean {
  return namesIn(join(dir, BORROWERS)).some((name) => {
    try {
      return existsSync(join(readFileSync(join(dir, BORROWERS, name), 'utf8').slice(0, -1), '.git'));
    } catch {
      return true;
    }
  });
}

/** When the cache was used last. */
export function usedAt(dir: string): number {
  return statSync(join(dir, MARKER), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Gives a folder for one call that only this process uses. */
export async function withTemporary<Result>(
  { caches }: Pick<Cache, 'caches'>,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  mkdirSync(caches, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(caches, `tmp-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
