/** Moves the refs of a run on the remote: all of them or none, and only from where they are expected to be. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Fenced, RemoteAway } from '../../engine/core/fleet/errors.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { sha256 } from '../../engine/files/digest.ts';
import type { GitResult } from '../../engine/project/git.ts';
import { findUserRepository } from '../../engine/project/trees/user-repository.ts';
import { identityOf, identityVariables, userGit } from '../../engine/run/git/user-git.ts';
import { refNames } from '../names.ts';
import { type Cache, cacheGit, fetch, locked, mend, ready } from './cache.ts';
import { listRemote, PUSH_MS, remoteGit, said } from './git-calls.ts';
import { writeJournal } from './journal-commit.ts';
import type { Publication, Refs, RunFiles } from './remote-runs.ts';

/** One ref that a push moves: from where (empty: it is not there), and to where (empty: it is removed). */
interface Move {
  ref: string;
  from: string;
  to: string;
}

/** Where the refs of a run stand on the remote. */
export async function refsOf(cache: Cache, run: string): Promise<Refs | undefined> {
  const names = refNames(run);
  const found = await listRemote(cache.world, { gitDir: cache.dir }, cache.repo, [names.journal, names.work]);
  const [journal, work] = [found.get(names.journal), found.get(names.work)];
  return journal === undefined ? undefined : { journal, work };
}

export async function createRun(
  cache: Cache,
  run: string,
  commit: string,
  files: RunFiles,
): Promise<'created' | 'known'> {
  await ready(cache);
  const identity = await identityFor(cache);
  const message = `${run}: submitted\n\nBegins at ${commit}.`;
  const journal = await writeJournal(cache, { files, message, identity });
  const answer = await push(cache, [{ ref: refNames(run).journal, from: '', to: journal }]);
  if (answer.exitCode === 0) return 'created';
  const there = await refsOf(cache, run);
  if (there?.journal === journal) return 'created';
  if (there) return 'known';
  throw refused(cache, answer);
}

/** What this process has tried to publish for a run without learning whether it arrived. */
interface Attempt {
  from: Refs;
  made: Refs;
  /** The digest of what it publishes. */
  what: string;
}

export type Attempts = Map<string, Attempt[]>;

/**
 * A push whose answer was lost may arrive late, even after it was tried again. Such a one is not another worker: what is
 * published next goes on top of it.
 */
export async function publishRun(
  cache: Cache,
  publication: Publication,
  from: string,
  { attempts, note }: { attempts: Attempts; note?: (text: string) => void },
): Promise<Refs> {
  await ready(cache);
  const { run } = publication;
  const tried = (attempts.get(run) ?? []).filter(({ from: was }) => isSame(was, publication.expected));
  const landed = tried.length === 0 ? undefined : landedOf(tried, await refsOf(cache, run));
  const what = digestOf(publication);
  if (landed?.what === what) {
    attempts.delete(run);
    return landed.made;
  }
  const expected = landed?.made ?? publication.expected;
  const made = await makeRefs(cache, publication, expected);
  const all = [...tried, { from: publication.expected, made, what }];
  attempts.set(run, all);
  const moves = movesOf(run, expected, made);
  const branch = publication.branch && (await branchMove(cache, publication.branch, from, note));
  const published = await attempt(cache, run, [...moves, ...(branch ? [branch] : [])], from, expected, made);
  if (published !== true) {
    // The remote may refuse the branch alone, by a rule for its name: the run ends all the same.
    const alone = branch ? await attempt(cache, run, moves, from, expected, made) : published;
    if (alone !== true) {
      const error = afterwards(cache, alone, all);
      if (error instanceof Fenced) attempts.delete(run);
      throw error;
    }
    note?.(`The branch ${publication.branch?.name} was not pushed: ${said(published.answer.stderr)}`);
  }
  attempts.delete(run);
  cache.written.add(made.journal);
  await cacheGit(cache, ['update-ref', refNames(run).journal, made.journal]).catch(() => undefined);
  return made;
}

function digestOf({ files, work, branch, message }: Publication): string {
  const parts = Object.entries(files).map(([path, content]) => [path, sha256(content)]);
  return sha256(JSON.stringify([parts.sort(), work, branch, message]));
}

function afterwards(cache: Cache, { answer, there, expected }: Failure, tried: readonly Attempt[]): Error {
  if (isSame(there, expected)) return refused(cache, answer);
  // An earlier attempt arrived between our look and our push: the next one goes on top of it.
  if (landedOf(tried, there)) return refused(cache, answer);
  const now = there ? `at ${there.journal.slice(0, 10)}` : 'gone';
  return new Fenced(
    `another one has published since: the journal was expected at ${expected.journal.slice(0, 10)} and is ${now}`,
  );
}

interface Failure {
  answer: GitResult;
  there: Refs | undefined;
  expected: Refs;
}

/** True when the refs are where they should be, even if the answer was lost on the way. */
async function attempt(
  cache: Cache,
  run: string,
  moves: readonly Move[],
  from: string,
  expected: Refs,
  made: Refs,
): Promise<true | Failure> {
  const answer = await push(cache, moves, from);
  if (answer.exitCode === 0) return true;
  const there = await refsOf(cache, run);
  if (there && isSame(there, made)) return true;
  if (await mend(cache, answer.stderr)) await needJournal(cache, run, expected.journal);
  return { answer, there, expected };
}

function landedOf(tried: readonly Attempt[], there: Refs | undefined): Attempt | undefined {
  return tried.find(({ made }) => isSame(there, made));
}

function isSame(a: Refs | undefined, b: Refs | undefined): boolean {
  return a?.journal === b?.journal && a?.work === b?.work;
}

async function makeRefs(cache: Cache, publication: Publication, expected: Refs): Promise<Refs> {
  await needJournal(cache, publication.run, expected.journal);
  const { files, message, work = expected.work } = publication;
  const identity = await identityFor(cache);
  const journal = await writeJournal(cache, { files, parent: expected.journal, message, identity });
  return { journal, work };
}

/** Brings the journal's last commit into the cache; `all`: with the journals of all other runs. */
export async function needJournal(
  cache: Cache,
  run: string,
  journal: string,
  which: 'this' | 'all' = 'this',
): Promise<void> {
  if (cache.written.has(journal)) return;
  const known = await cacheGit(cache, ['cat-file', '-e', `${journal}^{tree}`]);
  if (known.exitCode === 0) return;
  const { journal: ref } = refNames(which === 'all' ? '*' : run);
  const { exitCode, stderr } = await locked(cache, () => fetch(cache, [`+${ref}:${ref}`]));
  if (exitCode !== 0 && !/couldn't find remote ref/.test(stderr))
    throw new RemoteAway(`${cache.repo} cannot be fetched: ${said(stderr)}`);
  const again = await cacheGit(cache, ['cat-file', '-e', `${journal}^{tree}`]);
  if (again.exitCode !== 0)
    throw new Fenced(
      `the journal of ${run} is not at ${journal.slice(0, 10)} any more: another one has published`,
    );
}

function movesOf(run: string, expected: Refs, made: Refs): Move[] {
  const names = refNames(run);
  const moves = [
    { ref: names.journal, from: expected.journal, to: made.journal },
    { ref: names.work, from: expected.work ?? '', to: made.work ?? '' },
  ];
  return moves.filter(({ from, to }) => from !== to);
}

/** Undefined when the branch is there already, or has commits of others. */
async function branchMove(
  cache: Cache,
  { name, commit }: { name: string; commit: string },
  from: string,
  note: ((text: string) => void) | undefined,
): Promise<Move | undefined> {
  const ref = `refs/heads/${name}`;
  const there = (await listRemote(cache.world, { gitDir: cache.dir }, cache.repo, [ref])).get(ref);
  if (there === commit) return undefined;
  if (there === undefined) return { ref, from: '', to: commit };
  const args = ['merge-base', '--is-ancestor', there, commit];
  const { exitCode } = await cacheGit(cache, args, { env: borrowing(from) });
  if (exitCode === 0) return { ref, from: there, to: commit };
  note?.(
    `The branch ${name} has other commits on the remote and stays as it is. The work of this run is commit ${commit.slice(0, 10)}.`,
  );
  return undefined;
}

export async function removeRun(cache: Cache, run: string, expected: Refs): Promise<void> {
  await ready(cache);
  const names = refNames(run);
  const moves = [
    { ref: names.journal, from: expected.journal, to: '' },
    ...(expected.work === undefined ? [] : [{ ref: names.work, from: expected.work, to: '' }]),
  ];
  const answer = await push(cache, moves);
  const there = answer.exitCode === 0 ? undefined : await refsOf(cache, run);
  if (there && !isSame(there, expected))
    throw new Fenced(`another one has published for ${run} since: it was not removed`);
  if (there) throw refused(cache, answer);
  await cacheGit(cache, ['update-ref', '-d', names.journal]);
}

/**
 * Pushes from the cache, whose settings and hooks are ours, and not from the checkout, whose settings a session may have
 * changed. Objects of the checkout are borrowed.
 */
function push(cache: Cache, moves: readonly Move[], from?: string): Promise<GitResult> {
  const leases = moves.map(({ ref, from: was }) => `--force-with-lease=${ref}:${was}`);
  const specs = moves.map(({ ref, to }) => `${to}:${ref}`);
  const options = ['--atomic', '--porcelain', '--no-verify', '--no-signed'];
  const args = ['push', ...options, ...leases, '--', cache.repo, ...specs];
  const { world } = cache;
  const env = from === undefined ? {} : borrowing(from);
  return remoteGit(world, { gitDir: cache.dir }, args, world.pushMs ?? PUSH_MS, env).catch(
    (error: unknown) => {
      if (!(error instanceof RemoteAway)) throw error;
      return { exitCode: 1, stdout: Buffer.alloc(0), stderr: error.message, cut: false };
    },
  );
}

/** Lets git see the objects of a checkout. */
function borrowing(folder: string): Record<string, string> {
  const repository = findUserRepository(folder);
  if (!repository) return {};
  const objects = join(realpathSync(repository.commonDir), 'objects');
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: /[:"\n]/.test(objects) ? JSON.stringify(objects) : objects };
}

function refused({ repo }: Cache, { stderr, stdout }: GitResult): Error {
  if (/does not support --atomic/.test(stderr))
    return new UsageError(
      `${repo} cannot move several refs at once (git push --atomic), which a fleet needs: use a newer git server, or ssh or smart HTTP instead of dumb HTTP`,
    );
  const rejected = /^!\t[^\t]*\t(.*)$/m.exec(stdout.toString('utf8'))?.[1];
  const words = said(stderr) || said(rejected ?? '') || 'git push failed without a word';
  return new RemoteAway(`${repo} did not take the push: ${words}`);
}

const NOBODY = {
  GIT_AUTHOR_NAME: 'untildone',
  GIT_AUTHOR_EMAIL: 'untildone@localhost',
  GIT_COMMITTER_NAME: 'untildone',
  GIT_COMMITTER_EMAIL: 'untildone@localhost',
};

const identities = new WeakMap<Cache, Promise<Record<string, string>>>();

/** Who publishes: the user of this machine, or nobody in particular where git knows none. */
export function identityFor(cache: Cache): Promise<Record<string, string>> {
  const known = identities.get(cache);
  if (known) return known;
  const { dir, world } = cache;
  const git = userGit({ top: dir, gitDir: dir, commonDir: dir }, world.env, world.signal);
  const asked = identityOf(git).then(identityVariables, () => NOBODY);
  identities.set(cache, asked);
  return asked;
}
