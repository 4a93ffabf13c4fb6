/** The checkout that a run begins with: the base commit, and the work of the runs before it. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import { oneLine } from '../../engine/core/text/clip.ts';
import { gitOutput, runGit } from '../../engine/project/git.ts';
import { ownVariables } from '../../engine/run/git/user-git.ts';
import { refNames } from '../names.ts';
import type { RemoteRuns } from '../remote/remote-runs.ts';
import { Hopeless } from './hopeless.ts';
import type { DriveOrder } from './protocol.ts';

const NAME = 'untildone';
const EMAIL = 'untildone@localhost';
const NAMED = 20;

/** Makes a checkout of a commit, in a folder that is not there yet, in which commits can be made. */
export async function checkOut(remoteRuns: RemoteRuns, commit: string, tree: string): Promise<void> {
  mkdirSync(dirname(tree), { recursive: true, mode: 0o700 });
  await remoteRuns.checkout(commit, tree);
  await setIdentity(tree);
}

/** Gives the checkout a name for commits, where git knows none. */
async function setIdentity(tree: string): Promise<void> {
  const env = ownVariables(process.env);
  const known = async (who: string) =>
    (await runGit({ args: ['-c', 'user.useConfigOnly=true', 'var', who], cwd: tree, env })).exitCode === 0;
  if ((await known('GIT_AUTHOR_IDENT')) && (await known('GIT_COMMITTER_IDENT'))) return;
  await gitOutput({ args: ['config', 'user.name', NAME], cwd: tree, env: {} });
  await gitOutput({ args: ['config', 'user.email', EMAIL], cwd: tree, env: {} });
}

/**
 * Merges the work of the runs before this one, in the order in which they are named. Returns the base commit. `before`: the
 * commits that count, as the worker read them under the seals of those runs, whose keys this process does not have.
 */
export async function mergeRunsBefore(
  remoteRuns: RemoteRuns,
  spec: RunSpec,
  tree: string,
  before: DriveOrder['before'],
): Promise<string> {
  for (const run of spec.after) {
    const commit = before
      ? before.find((each) => each.run === run)?.commit
      : (await remoteRuns.read(run))?.refs.work;
    // A run of another repository has nothing to merge here.
    if (commit !== undefined) await mergeOne(remoteRuns.repo, run, commit, tree);
  }
  return (await git(tree, ['rev-parse', '--verify', 'HEAD'])).trim();
}

async function mergeOne(repo: string, run: string, work: string, tree: string): Promise<void> {
  const env = ownVariables(process.env);
  const { work: ref } = refNames(run);
  const args = ['fetch', '--quiet', '--no-tags', '--', repo, ref];
  const fetched = await runGit({ args, cwd: tree, env, lets: 'remotes' });
  if (fetched.exitCode !== 0)
    throw new Error(`the work of run ${run} cannot be fetched: ${oneLine(fetched.stderr.trim(), 300)}`);
  // A session can seal what it likes for its own run, but only its own published work is built on.
  const isItsWork = await runGit({
    args: ['merge-base', '--is-ancestor', work, 'FETCH_HEAD'],
    cwd: tree,
    env,
  });
  if (isItsWork.exitCode !== 0)
    throw new Hopeless(
      `commit ${work.slice(0, 10)}, which run ${run} names as its work, is no part of what it published (${ref}): look at that run, and submit this one anew`,
    );
  const message = `Work of run ${run}`;
  const merge = ['merge', '--quiet', '--no-edit', '--no-gpg-sign', '-m', message, work];
  const merged = await runGit({ args: merge, cwd: tree, env });
  if (merged.exitCode === 0) return;
  const files = (await git(tree, ['diff', '--name-only', '-z', '--diff-filter=U']))
    .split('\0')
    .filter(Boolean);
  if (files.length === 0)
    throw new Error(`the work of run ${run} cannot be merged: ${oneLine(merged.stderr.trim(), 300)}`);
  const names = files.slice(0, NAMED).join(', ') + (files.length > NAMED ? ', ...' : '');
  throw new Hopeless(
    `the work of run ${run} and what comes before it change the same lines (${names}): merge them yourself, and submit the run with --ref and that branch`,
  );
}

async function git(tree: string, args: readonly string[]): Promise<string> {
  return (await gitOutput({ args, cwd: tree, env: {} })).toString('utf8');
}

/** What one commit differs in from another, as a patch that git can apply. */
export function differenceOf(tree: string, from: string, to: string): Promise<Buffer> {
  const args = [
    'diff',
    '--binary',
    '--full-index',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
  ];
  return gitOutput({ args: [...args, from, to, '--'], cwd: tree, env: {} });
}

/** Puts the files that git does not ignore into the state of the start. */
export async function layStart(tree: string, patch: Buffer): Promise<void> {
  await git(tree, ['reset', '--quiet', '--hard']);
  await git(tree, ['clean', '--quiet', '-ffd']);
  if (patch.length > 0)
    await gitOutput({ args: ['apply', '--whitespace=nowarn', '-'], cwd: tree, env: {}, input: patch });
}

/** The project's folder in the checkout. */
export function projectIn(tree: string, { folder }: RunSpec): string {
  return folder === undefined ? tree : join(tree, folder);
}
