/** Makes the checkout in which a run works: a branch in the user's tree, or a worktree beside it. */
import { accessSync, constants, existsSync, lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { quoteForShell } from '../../core/shell/words.ts';
import { realPath } from '../../home/layout.ts';
import { findUserRepository, type UserRepository } from '../../project/trees/user-repository.ts';
import { type Head, headOf, must, notCommitted, uncommittedIn, underWay } from './status.ts';
import { RunGitError, type UserGit } from './user-git.ts';

export interface RunCheckout {
  /** The project's folder in that checkout. */
  folder: string;
  branch: string;
  base: Head;
  notes: string[];
}

const CHECKOUT_MS = 10 * 60_000;
const NAMED = 5;

export function repositoryOf(project: string): UserRepository {
  const repository = findUserRepository(project);
  if (repository) return repository;
  throw new RunGitError(
    `${project} is not in a git repository; make one (git init && git add --all && git commit), or run without --branch, --worktree and --pr`,
  );
}

/** The commit that the work begins at. */
export async function baseOf(git: UserGit): Promise<Head> {
  const head = await headOf(git);
  if (head) return head;
  throw new RunGitError(
    'there is no commit yet that a branch could begin at; make a first one: git add --all && git commit',
  );
}

/** Makes a branch in the user's own tree. It has to be clean, because all later changes count as the run's work. */
export async function openBranch(git: UserGit, project: string, branch: string): Promise<RunCheckout> {
  const base = await baseOf(git);
  const going = underWay(git);
  if (going)
    throw new RunGitError(
      `a ${going} is under way in ${git.repository.top}: finish it first, or use --worktree`,
    );
  const { paths, nested } = await uncommittedIn(git);
  const dirty = [...paths, ...nested];
  if (dirty.length > 0) {
    const names = dirty.slice(0, NAMED).join(', ') + (dirty.length > NAMED ? ', ...' : '');
    throw new RunGitError(
      `${notCommitted(dirty.length)} in ${git.repository.top} (${names}): commit (git add --all && git commit), put it aside (git stash --include-untracked), or leave it and use --worktree`,
    );
  }
  await must(
    git.quiet({ args: ['checkout', '--quiet', '--no-track', '-b', branch], timeoutMs: CHECKOUT_MS }),
    `checkout -b ${branch}`,
  );
  return {
    folder: realPath(project),
    branch,
    base,
    notes: [`The run works on branch ${branch}, which begins at ${sayHead(base)}.`],
  };
}

/** Makes a worktree beside the user's tree, which stays as it is, with its uncommitted work. */
export async function openWorktree(
  git: UserGit,
  project: string,
  branch: string,
  where: { loop: string; worktrees?: string; from?: Head; reads: readonly string[] },
): Promise<RunCheckout> {
  const { top } = git.repository;
  const base = where.from ?? (await baseOf(git));
  const prefix = relative(top, realPath(project));
  const { paths, nested } = await uncommittedIn(git);
  const missing = where.reads.find((file) => paths.includes(join(prefix, file)));
  if (missing !== undefined) {
    throw new RunGitError(
      `${missing} is not committed as it is now, and a worktree begins at the last commit: git add ${quoteForShell(missing)} && git commit`,
    );
  }
  const path = join(where.worktrees ?? besideOf(git.repository), where.loop);
  if (existsSync(path)) throw new RunGitError(`${path} exists already, so no worktree can be made there`);
  const ref = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
  if ((await git.quiet({ args: ref })).exitCode === 0)
    throw new RunGitError(`there is a branch ${branch} already`);
  makeFolder(dirname(path));
  await addWorktree(git, path, branch, base.commit);
  const left = paths.length + nested.length;
  return {
    folder: join(realPath(path), prefix),
    branch,
    base,
    notes: [
      `The run works on branch ${branch} in ${path}, which begins at ${sayHead(base)}; your tree stays as it is.`,
      ...(left > 0 ? [`${notCommitted(left)} in your tree, and so not in the worktree.`] : []),
      'What git ignores is not there either (installed packages, .env): a gate that needs it fails until it is made there.',
    ],
  };
}

/** Another process can make a worktree at the same moment, so this is tried again. */
const TRIES = 5;
const BETWEEN_TRIES_MS = 300;

async function addWorktree(git: UserGit, path: string, branch: string, commit: string): Promise<void> {
  const args = ['worktree', 'add', '--quiet', '--no-track', '-b', branch, path, commit];
  for (let left = TRIES - 1; ; left--) {
    try {
      const added = inTurn(git, () => git.quiet({ args, timeoutMs: CHECKOUT_MS }));
      await must(added, `worktree add ${path}`);
      return;
    } catch (error) {
      await removeWorktree(git, path, branch, { force: true });
      if (left === 0 || !/failed to read .*worktrees/.test((error as Error).message)) throw error;
      await wait(BETWEEN_TRIES_MS);
    }
  }
}

const turns = new Map<string, Promise<unknown>>();

/** Runs one call at a time: git reads all worktrees of a repository, and fails at one that is half made. */
function inTurn<Result>({ repository }: UserGit, work: () => Promise<Result>): Promise<Result> {
  const before = turns.get(repository.commonDir) ?? Promise.resolve();
  const turn = before.then(work);
  turns.set(
    repository.commonDir,
    turn.catch(() => undefined),
  );
  return turn;
}

/** Removes a worktree of a run. Without `force` git keeps one that holds work. */
export async function removeWorktree(
  git: UserGit,
  path: string,
  branch: string,
  { force, keepBranch = false }: { force: boolean; keepBranch?: boolean },
): Promise<boolean> {
  const args = ['worktree', 'remove', ...(force ? ['--force'] : []), path];
  return inTurn(git, async () => {
    const removed = !existsSync(path) || (await git.quiet({ args })).exitCode === 0;
    if (removed) {
      if (!keepBranch) await git.quiet({ args: ['branch', '--quiet', '--delete', branch] });
      removeEmpty(dirname(path));
    }
    return removed;
  });
}

/** Removes the worktree and the branch that an interrupted beginning left behind. */
export async function sweep(
  git: UserGit,
  branch: string,
  { loop, worktrees }: { loop: string; worktrees?: string },
): Promise<void> {
  const path = join(worktrees ?? besideOf(git.repository), loop);
  await inTurn(git, async () => {
    if (existsSync(path)) {
      await git.quiet({ args: ['worktree', 'remove', '--force', path], timeoutMs: CHECKOUT_MS });
      rmSync(path, { recursive: true, force: true });
    }
    await git.quiet({ args: ['worktree', 'prune'] });
    await git.quiet({ args: ['branch', '--quiet', '--delete', '--force', branch] });
  });
}

/**
 * The folder for worktrees, beside the repository. Not in the home of untildone, where sessions may not write, and not
 * inside another repository, which would see new files.
 */
function besideOf(repository: UserRepository): string {
  const own = basename(repository.commonDir) === '.git' ? dirname(repository.commonDir) : repository.top;
  const found = [outermost(own), own].find((top) => isWritable(dirname(top)));
  if (found) return join(dirname(found), `${basename(found)}-untildone`);
  throw new RunGitError(
    `${dirname(own)} cannot be written to, so there is no place for a worktree beside ${basename(own)}; name one: UNTILDONE_WORKTREES=/some/folder`,
  );
}

function outermost(top: string): string {
  const outer = findUserRepository(dirname(top));
  return outer && outer.top !== top ? outermost(outer.top) : top;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes the folder for worktrees, for this account alone. One that is there already must not be another's. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    refuseOthers(path);
  } catch (error) {
    if (error instanceof RunGitError) throw error;
    throw new RunGitError(
      `there is no place for a worktree (${(error as Error).message}); name one: UNTILDONE_WORKTREES=/some/folder`,
    );
  }
}

/** Refuses a folder into which another account, or a link, could bring files that are run as the user. */
function refuseOthers(path: string): void {
  const other = 'name another one: UNTILDONE_WORKTREES=/some/folder';
  const found = lstatSync(path);
  if (found.isSymbolicLink())
    throw new RunGitError(`${path} is a link, and no worktree is made behind one: remove it, or ${other}`);
  if (!found.isDirectory()) throw new RunGitError(`${path} is no folder: remove it, or ${other}`);
  const me = process.getuid?.();
  if (me === undefined) return;
  // What root owns, such as /tmp, is nobody else's.
  if (found.uid !== me && found.uid !== 0)
    throw new RunGitError(
      `${path} belongs to another account (uid ${found.uid}), which could change what is run there: remove it, or ${other}`,
    );
  // The sticky bit, as /tmp has it, lets nobody touch what is another's.
  if ((found.mode & 0o002) === 0 || (found.mode & 0o1000) !== 0) return;
  throw new RunGitError(
    `every account may write to ${path}, and so could change what is run there: chmod o-w ${quoteForShell(path)}, or ${other}`,
  );
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Other runs work there.
  }
}

export function sayHead({ commit, branch }: Head): string {
  return branch === undefined ? commit.slice(0, 10) : `${branch} (${commit.slice(0, 10)})`;
}

/** How the user takes the work over. */
export function howToMerge(
  { branch, base }: { branch: string; base: Head },
  project: string | undefined,
): string {
  const look = `Look: git log ${base.branch ?? base.commit.slice(0, 10)}..${branch}`;
  if (base.branch === undefined) return `${look}. Take it, on the branch you want it on: git merge ${branch}`;
  const go = project === undefined ? `git switch ${base.branch}` : `cd ${quoteForShell(project)}`;
  return `${look}. Take it: ${go} && git merge ${branch}`;
}
