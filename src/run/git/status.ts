/** Where a checkout stands: its branch, its commit, what is not committed, what is under way. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GitResult } from '../../project/git.ts';
import { decodeName } from '../../project/trees/git-output.ts';
import { type FlowGit, GitFlowError, lastWords } from './user-git.ts';

export interface Head {
  commit: string;
  /** Absent when no branch is checked out. */
  branch?: string;
}

export async function headOf(git: FlowGit): Promise<Head | undefined> {
  const commit = await git.quiet({ args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'] });
  if (commit.exitCode !== 0) return undefined;
  const ref = await git.quiet({ args: ['symbolic-ref', '--quiet', 'HEAD'] });
  const branch = text(ref).replace(/^refs\/heads\//, '');
  return { commit: text(commit), ...(ref.exitCode === 0 ? { branch } : {}) };
}

export interface Uncommitted {
  /** Everything that a commit of all would take, relative to the top of the checkout. */
  paths: string[];
  /** Repositories inside this one that it does not know: git would take them as a link to nowhere. */
  nested: string[];
}

/** Staged, changed and new files; not what git ignores. Writes nothing, not even the index. */
export async function uncommittedIn(git: FlowGit): Promise<Uncommitted> {
  const args = [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=dirty',
  ];
  const names = decodeName((await must(git.quiet({ args }), 'status')).stdout)
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(3));
  const isFolder = (name: string) => name.endsWith('/');
  return { paths: names.filter((name) => !isFolder(name)), nested: names.filter(isFolder) };
}

const UNDER_WAY: readonly [string, string][] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** A merge or the like that somebody has begun and not ended: a commit now would end it for them. */
export function underWay({ repository }: FlowGit): string | undefined {
  return UNDER_WAY.find(([file]) => existsSync(join(repository.gitDir, file)))?.[1];
}

/** For calls of which nothing but success is of use. */
export async function must(call: Promise<GitResult>, what: string): Promise<GitResult> {
  const result = await call;
  if (result.exitCode === 0) return result;
  throw new GitFlowError(
    `git ${what} failed: ${lastWords(result.stderr) || `it ended with ${result.exitCode}`}`,
  );
}

export function text({ stdout }: GitResult): string {
  return stdout.toString('utf8').trim();
}

export function notCommitted(count: number): string {
  return `${files(count)} ${count === 1 ? 'is' : 'are'} not committed`;
}

export function files(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}
