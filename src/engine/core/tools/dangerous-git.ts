/** Git commands that lose something for good: shared branches, work that is in no commit, commits that are in no branch. */

import { inFolder, type ShellCall } from '../shell/calls.ts';
import { firstFound } from '../text/lists.ts';
import { fold } from './tool-paths.ts';
import type { ToolPlace, Variables } from './tool-rules.ts';

/** Branches that others build on. */
const SHARED =
  /^(?:main|master|trunk|mainline|develop|development|dev|staging|production|prod|stable|releases?(?:[/-].*)?)$/i;

/** A call of git: its command, the words after it, and the folder. */
export interface GitCall {
  command: string;
  words: string[];
  folder: string;
}

export function gitCallOf(args: readonly string[], folder = ''): GitCall {
  let rest = [...args];
  let where = folder;
  while (rest[0]?.startsWith('-')) {
    if (rest[0] === '-C') where = inFolder(where, rest[1] ?? '');
    rest = rest.slice(/^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env))$/.test(rest[0]) ? 2 : 1);
  }
  return { command: rest[0] ?? '', words: rest.slice(1), folder: where };
}

export function lossInGit(look: Look): string | undefined {
  if (look.call.program !== 'git') return undefined;
  const git = gitCallOf(look.call.args, look.call.folder);
  return lostOnServer(git, look) ?? lostWaysBack(git) ?? lostWork(git, look);
}

/** Whether words hold an option: short, joined with other short ones, or long. */
export const has = (words: readonly string[], short: string, ...long: string[]) =>
  words.some(
    (word) =>
      long.some((name) => word === name || word.startsWith(`${name}=`)) ||
      (short !== '' && new RegExp(`^-[a-zA-Z]*${short}`).test(word)),
  );

function lostOnServer({ command, words }: GitCall, { place }: Look): string | undefined {
  if (command !== 'push') return undefined;
  const forced = has(words, 'f', '--force', '--force-with-lease');
  const everything = has(words, '', '--mirror') || (forced && has(words, '', '--all', '--branches'));
  if (everything) return 'overwrites every branch on the server';
  return firstFound(branchesAtRisk(words, forced, place), lostBranch);
}

interface BranchAtRisk {
  /** Undefined when it cannot be told. */
  branch: string | undefined;
  deleted: boolean;
}

/** The branches that a push overwrites or deletes. */
function branchesAtRisk(words: readonly string[], forced: boolean, place: ToolPlace): BranchAtRisk[] {
  const [, ...refs] = words.filter((word) => !word.startsWith('-'));
  if (refs.length === 0) return forced ? [{ branch: place.branch(), deleted: false }] : [];
  const deletes = has(words, 'd', '--delete');
  return refs.flatMap((ref) => {
    const deleted = deletes || /^\+?:./.test(ref);
    const overwritten = forced || ref.startsWith('+');
    return deleted || overwritten ? [{ branch: branchOf(ref, place.branch()), deleted }] : [];
  });
}

function lostBranch({ branch, deleted }: BranchAtRisk): string | undefined {
  if (branch === undefined) return 'overwrites a branch on the server that is not named';
  if (branch.includes('*')) return 'overwrites every branch on the server';
  if (!SHARED.test(branch)) return undefined;
  return `${deleted ? 'deletes' : 'overwrites'} the branch ${branch} on the server`;
}

function branchOf(ref: string, current: string | undefined): string | undefined {
  const target = ref.replace(/^\+/, '').split(':').at(-1) ?? '';
  return target === 'HEAD' || target === '@' ? current : target.replace(/^refs\/heads\//, '');
}

/** Finds commands that delete commits which no branch holds. */
function lostWaysBack({ command, words }: GitCall): string | undefined {
  const lost =
    (command === 'reflog' &&
      words[0] === 'expire' &&
      words.some((word) => /^--expire(?:-unreachable)?=(?:now|all|0)/.test(word))) ||
    (command === 'gc' && words.some((word) => /^--prune=(?:now|all)/.test(word))) ||
    (command === 'prune' && !has(words, 'n', '--dry-run')) ||
    (command === 'stash' && words[0] === 'clear');
  return lost ? 'deletes commits that are in no branch, for good' : undefined;
}

function lostWork(git: GitCall, { place, before, variables, line }: Look): string | undefined {
  const lost = whatGoes(git);
  if (lost === undefined) return undefined;
  if (lost === 'ignored')
    return 'deletes files that git ignores (local settings, databases), which are in no commit';
  // What is uncommitted in another repository is not known.
  const isHere =
    git.folder === '' ||
    place
      .spellings(git.folder, variables)
      .some((path) => place.roots.some((root) => `${fold(path)}/`.startsWith(`${fold(root)}/`)));
  const open = isHere && !isKept(lost, before, line) ? place.uncommitted() : undefined;
  if (lost === 'changed' && open?.changed) return 'throws away changes that are in no commit';
  if (lost === 'untracked' && open?.untracked) return 'deletes new files that are in no commit';
  return undefined;
}

/** Whether an earlier command of the line, which has to succeed first, commits or stashes all of it. */
function isKept(lost: 'changed' | 'untracked', before: readonly ShellCall[], line: string): boolean {
  if (line.includes('||')) return false;
  const calls = before.flatMap(({ program, args }) => (program === 'git' ? [gitCallOf(args)] : []));
  const wholeTree = (words: readonly string[]) => has(words, 'A', '--all') || words.includes('.');
  const isAdded = calls.some(
    ({ command, words }) =>
      command === 'add' && (wholeTree(words) || (lost === 'changed' && has(words, 'u', '--update'))),
  );
  return calls.some(({ command, words }) => {
    if (command === 'stash')
      return (
        isWholeStash(words) && (lost === 'changed' || has(words, '[ua]', '--include-untracked', '--all'))
      );
    if (command !== 'commit' || has(words, '', '--dry-run') || /[;\n]/.test(line)) return false;
    return isAdded || (lost === 'changed' && has(words, 'a', '--all'));
  });
}

/** `git stash` and `git stash push`, of everything. */
function isWholeStash(words: readonly string[]): boolean {
  const [first = ''] = words;
  if (!first.startsWith('-') && !/^(?:|push|save)$/.test(first)) return false;
  return !words.includes('--') && !has(words, '[pSk]', '--patch', '--staged', '--keep-index');
}

/** What a command would throw away, when it is about the whole tree. */
function whatGoes({ command, words }: GitCall): 'changed' | 'untracked' | 'ignored' | undefined {
  const end = words.indexOf('--');
  const paths = end >= 0 ? words.slice(end + 1) : words.filter((word) => !word.startsWith('-'));
  const wholeTree = paths.some((path) => /^(?:\.\/?|:\/|:\(top\)|\*)$/.test(path));
  switch (command) {
    case 'reset':
      return words.includes('--hard') ? 'changed' : undefined;
    case 'checkout':
      return wholeTree || has(words, 'f', '--force') ? 'changed' : undefined;
    case 'switch':
      return has(words, 'f', '--force', '--discard-changes') ? 'changed' : undefined;
    case 'restore':
      return wholeTree && (!has(words, 'S', '--staged') || has(words, 'W', '--worktree'))
        ? 'changed'
        : undefined;
    case 'clean':
      return whatCleanTakes(words, paths);
    default:
      return undefined;
  }
}

function whatCleanTakes(
  words: readonly string[],
  paths: readonly string[],
): 'untracked' | 'ignored' | undefined {
  const kept = words.flatMap((word, i) => (/^(?:-e|--exclude)$/.test(word) ? [words[i + 1] ?? ''] : []));
  const named = paths.some((path) => !/^(?:\.\/?|:\/)$/.test(path) && !kept.includes(path));
  if (!has(words, 'f', '--force') || has(words, 'n', '--dry-run') || named) return undefined;
  return has(words, '[xX]') ? 'ignored' : 'untracked';
}

/** One call of a shell line, and what is known about it. */
export interface Look {
  call: ShellCall;
  /** The calls of the line before it. */
  before: readonly ShellCall[];
  /** The line itself. */
  line: string;
  place: ToolPlace;
  variables: Variables;
  at(word: string): readonly string[];
}
