import { mkdirSync, readdirSync, readFileSync, rmSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { sha256 } from '../../files/digest.ts';
import { type Home, projectFolder, realPath } from '../../home/layout.ts';
import {
  asArguments,
  filtersOff,
  filtersOffSync,
  type GitCall,
  type GitResult,
  runGit,
  runGitSync,
} from '../git.ts';

/** The git repository that holds the project. It is found without git, so that its own configuration cannot interfere. */
export interface UserRepository {
  /** The folder that git tracks: the project, or one above it. */
  top: string;
  gitDir: string;
  /** The git folder that all worktrees of this repository share. */
  commonDir: string;
}

/**
 * Finds the nearest repository at or above the project. A `.git` above it that belongs to another user is passed over,
 * because its configuration could run commands: a folder such as /tmp may hold one.
 */
export function findUserRepository(project: string): UserRepository | undefined {
  const start = realPath(project);
  const owners = [process.getuid?.(), statOf(start)?.uid];
  for (let folder = start; ; folder = dirname(folder)) {
    const found = repositoryAt(folder);
    if (found && (folder === start || owners.includes(statOf(found.gitDir)?.uid))) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

function repositoryAt(top: string): UserRepository | undefined {
  const gitDir = gitDirOf(top);
  if (gitDir === undefined || !statOf(join(gitDir, 'HEAD'))) return undefined;
  const common = firstLine(join(gitDir, 'commondir'));
  return { top, gitDir, commonDir: common === undefined ? gitDir : resolve(gitDir, common) };
}

/** The git folder of a checkout. In worktrees and submodules `.git` is a file that names it. */
function gitDirOf(folder: string): string | undefined {
  const path = join(folder, '.git');
  const stat = statOf(path);
  if (stat?.isDirectory()) return path;
  if (!stat?.isFile()) return undefined;
  const named = /^gitdir: (.+)$/.exec(firstLine(path) ?? '')?.[1];
  return named === undefined ? undefined : resolve(folder, named);
}

/**
 * Other worktrees of the same repository inside `top`, relative to it. Only those count that git has registered and whose
 * own `.git` agrees.
 */
export function worktreesInside(repository: UserRepository): string[] {
  const registered = join(repository.commonDir, 'worktrees');
  let names: string[];
  try {
    names = readdirSync(registered);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const dotGit = firstLine(join(registered, name, 'gitdir'));
    if (dotGit === undefined || basename(dotGit) !== '.git') return [];
    const folder = realPath(dirname(resolve(registered, name, dotGit)));
    const inside = relative(repository.top, folder);
    const below = inside !== '' && inside.split(sep)[0] !== '..' && !isAbsolute(inside);
    return below && realPath(gitDirOf(folder) ?? '') === realPath(join(registered, name)) ? [inside] : [];
  });
}

/** A text that changes whenever the repository tracks other files. */
export function trackedStamp(repository: UserRepository | undefined): string {
  if (!repository) return 'none';
  const stat = statSync(join(repository.gitDir, 'index'), { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.ino}-${stat.size}-${stat.mtimeNs}` : 'empty';
}

/** Git commands that may run programs of the repository to show a difference. */
const PRINTS_DIFFS = new Set(['diff', 'log', 'show', 'diff-tree', 'diff-index', 'diff-files']);
/** Of these, with `status`, the commands that compare files of the working tree. */
const COMPARES_FILES = new Set(['status', 'diff', 'diff-index', 'diff-files']);

/** `filters`: the filters of the repository run, because a person trusted what is judged. */
type UserGitCall = Pick<GitCall, 'args' | 'signal' | 'maxBytes' | 'input'> & { filters?: boolean };

/** Runs git on the user's repository: no discovery, nothing of `QUIET`, no external diff, and no filters unless they are asked for. */
export async function runUserGit(
  repository: UserRepository,
  cwd: string,
  { filters, ...call }: UserGitCall,
): Promise<GitResult> {
  const { signal } = call;
  const place = { cwd, env: placeOf(repository), signal };
  const off = filters || !readsFiles(call.args) ? undefined : await filtersOff(place);
  return runGit({ ...call, ...place, args: quietly(call.args, off) });
}

/** Runs git on the user's repository, as `runUserGit` does, for callers that cannot wait. */
export function runUserGitSync(
  repository: UserRepository,
  cwd: string,
  args: readonly string[],
  limitMs: number,
) {
  const place = { cwd, env: placeOf(repository) };
  const off = readsFiles(args) ? filtersOffSync(place, limitMs) : undefined;
  return runGitSync({ ...place, args: quietly(args, off) }, limitMs);
}

function placeOf({ gitDir, top }: UserRepository): Record<string, string> {
  return { GIT_DIR: gitDir, GIT_WORK_TREE: top };
}

function readsFiles([command = '']: readonly string[]): boolean {
  return COMPARES_FILES.has(command);
}

function quietly([command = '', ...rest]: readonly string[], off: readonly string[] | undefined): string[] {
  const plain = PRINTS_DIFFS.has(command) ? ['--no-ext-diff', '--no-textconv'] : [];
  // Git compares the files of a submodule by a git of its own, to which the filters of that repository are unknown here.
  const shallow = off ? ['--ignore-submodules=dirty'] : [];
  return [
    '-c',
    'core.untrackedCache=false',
    ...asArguments(off ?? []),
    command,
    ...plain,
    ...shallow,
    ...rest,
  ];
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function firstLine(path: string): string | undefined {
  if (!statOf(path)?.isFile()) return undefined;
  try {
    return readFileSync(path, 'utf8').split('\n')[0]?.trimEnd();
  } catch {
    return undefined;
  }
}

/** Another worktree of the project's repository. */
interface AgentWorktree {
  /** The worktree's top folder. */
  top: string;
  /** The project's folder in it. */
  project: string;
}

/** The worktree that holds a folder, when it belongs to the project's repository and is not the project's own. */
export function worktreeAt(project: string, folder: string): AgentWorktree | undefined {
  const own = findUserRepository(project);
  const there = findUserRepository(folder);
  if (!own || !there || realPath(own.commonDir) !== realPath(there.commonDir)) return undefined;
  const top = realPath(there.top);
  if (top === realPath(own.top)) return undefined;
  const inside = relative(realPath(own.top), realPath(project));
  const same = realPath(join(top, inside));
  // A link in place of the folder could lead out of the worktree.
  if (!isInside(top, same) || !statSync(same, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return { top, project: same };
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}

const OLD_MS = 24 * 3_600_000;

/** Where the trees of a worktree are written: in the shadow of its project, with an index of its own. */
export function shadowOfWorktree(
  home: Home,
  project: string,
  worktree: AgentWorktree,
): { shadowDir: string; indexFile: string } {
  const folder = projectFolder(home, project);
  const indexes = join(folder, 'worktrees');
  mkdirSync(indexes, { recursive: true, mode: 0o700 });
  sweep(indexes);
  return {
    shadowDir: join(folder, 'shadow.git'),
    indexFile: join(indexes, sha256(worktree.top).slice(0, 32)),
  };
}

/** Removes the indexes of worktrees that were not used for a day. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > OLD_MS) rmSync(path, { force: true });
  }
}
