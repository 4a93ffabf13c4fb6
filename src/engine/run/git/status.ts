import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { sha256 } from '../../files/digest.ts';
import { readSmall } from '../../files/whole-file.ts';
import type { GitResult } from '../../project/git.ts';
import { decodeName } from '../../project/trees/git-output.ts';
import { lastWords, RunGitError, type UserGit } from './user-git.ts';

export interface Head {
  commit: string;
  /** Absent when no branch is checked out. */
  branch?: string;
}

export async function headOf(git: UserGit): Promise<Head | undefined> {
  const commit = await git.quiet({ args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'] });
  if (commit.exitCode !== 0) return undefined;
  const ref = await git.quiet({ args: ['symbolic-ref', '--quiet', 'HEAD'] });
  const branch = text(ref).replace(/^refs\/heads\//, '');
  return { commit: text(commit), branch: ref.exitCode === 0 ? branch : undefined };
}

export interface Uncommitted {
  /** Files that `git add --all` would take, relative to the top of the checkout. */
  paths: string[];
  /** Repositories inside this one. Git would commit them as links without content. */
  nested: string[];
}

/** Staged, changed and new files; not what git ignores. Writes nothing, not even the index. */
export async function uncommittedIn(git: UserGit): Promise<Uncommitted> {
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

/** An unfinished merge, rebase or the like. A commit now would finish it. */
export function underWay({ repository }: UserGit): string | undefined {
  return UNDER_WAY.find(([file]) => existsSync(join(repository.gitDir, file)))?.[1];
}

/** Throws when git fails. */
export async function must(call: Promise<GitResult>, what: string): Promise<GitResult> {
  const result = await call;
  if (result.exitCode === 0) return result;
  throw new RunGitError(
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

/** The hooks and settings that the user's git would use. A session must not slip in its own. */
export interface GitSetup {
  /** Digest of the hooks. */
  hooks: string;
  /** Digest of the settings that name programs, people or places. */
  settings: string;
}

/** Settings that decide what git runs, in whose name it commits and where it pushes. Upstreams of branches may change. */
const DECIDES =
  /^(?:core\.(?:hookspath|sshcommand|gitproxy|fsmonitor|worktree|bare|attributesfile)|(?:filter|merge|credential|gpg|user|author|committer|commit|push|remote|url|http|include|includeif|protocol|ssh)\.)/;

export async function setupOf(git: UserGit): Promise<GitSetup> {
  const list = await git.asUser({ args: ['config', '--list', '-z'] });
  const settings = list.stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => DECIDES.test(entry));
  return { hooks: hooksDigest(await hooksFolder(git)), settings: sha256(settings.join('\0')) };
}

async function hooksFolder(git: UserGit): Promise<string> {
  const { stdout } = await git.asUser({ args: ['config', '--type=path', '--get', 'core.hooksPath'] });
  const set = stdout.toString('utf8').trim();
  return set === '' ? join(git.repository.commonDir, 'hooks') : resolve(git.repository.top, set);
}

function hooksDigest(folder: string): string {
  // husky keeps a fixed starter for each hook in `_`; what they run lies one folder above.
  const isHusky = basename(folder) === '_' && basename(dirname(folder)) === '.husky';
  const files = [...filesIn(folder), ...(isHusky ? filesIn(dirname(folder)) : [])];
  return sha256(JSON.stringify(files));
}

function filesIn(folder: string): [string, number, string][] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names.flatMap((name): [string, number, string][] => {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || name.endsWith('.sample')) return [];
    return [[name, stat.mode & 0o111, sha256(readSmall(path) ?? '')]];
  });
}

/** What differs from every known setup; undefined when nothing does. */
export function changedSince(known: readonly GitSetup[], now: GitSetup): 'hooks' | 'settings' | undefined {
  if (!known.some(({ hooks }) => hooks === now.hooks)) return 'hooks';
  return known.some(({ settings }) => settings === now.settings) ? undefined : 'settings';
}
