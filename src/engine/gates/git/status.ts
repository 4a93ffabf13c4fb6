import type { GateContext } from '../gate.ts';

/** Reads `git status --porcelain=v2 --branch -z`. */

interface StatusEntry {
  kind: 'changed' | 'unmerged' | 'untracked';
  /** Two letters, as git writes them: index and working tree. */
  letters: string;
  path: string;
}

export interface GitStatus {
  /** Undefined before the first commit. */
  commit?: string;
  /** Undefined when HEAD is detached. */
  branch?: string;
  upstream?: string;
  /** Commits that the upstream does not have; undefined when the upstream is gone. */
  ahead?: number;
  entries: StatusEntry[];
}

/** Reads the output. git names paths relative to the repository; `prefix` is the project's folder in it, with a slash at its end. */
export function parseStatus(output: string, prefix: string): GitStatus {
  const status: GitStatus = { entries: [] };
  const parts = output.split('\0');
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? '';
    if (part.startsWith('# ')) readHeader(part, status);
    const entry = entryOf(part, prefix);
    if (entry) status.entries.push(entry);
    // A renamed file is followed by its old name.
    if (part.startsWith('2 ')) i++;
  }
  return status;
}

function readHeader(line: string, status: GitStatus): void {
  const [, name, value = ''] = /^# branch\.(\S+) (.*)$/s.exec(line) ?? [];
  if (name === 'oid' && value !== '(initial)') status.commit = value;
  if (name === 'head' && value !== '(detached)') status.branch = value;
  if (name === 'upstream') status.upstream = value;
  if (name === 'ab') status.ahead = Number(/^\+(\d+)/.exec(value)?.[1] ?? 0);
}

/** The number of words before the path, by type of line. */
const WORDS = { '1': 8, '2': 9, u: 10, '?': 1 } as const;
const KINDS = { '1': 'changed', '2': 'changed', u: 'unmerged', '?': 'untracked' } as const;

function entryOf(line: string, prefix: string): StatusEntry | undefined {
  const type = line[0] as keyof typeof WORDS;
  if (line[1] !== ' ' || !(type in WORDS)) return undefined;
  const words = line.split(' ');
  const path = words.slice(WORDS[type]).join(' ');
  return {
    kind: KINDS[type],
    letters: type === '?' ? '??' : (words[1] ?? ''),
    path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
  };
}

const WORD_OF: Record<string, string> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  T: 'type changed',
};

/** `modified, not committed: src/a.ts`. */
export function describeEntry({ kind, letters, path }: StatusEntry): string {
  if (kind === 'untracked') return `untracked: ${path}`;
  if (kind === 'unmerged') return `not merged: ${path}`;
  const letter = letters.replaceAll('.', '').at(-1) ?? 'M';
  const staged = letters[1] === '.' ? 'staged, not committed' : 'not committed';
  return `${WORD_OF[letter] ?? 'modified'}, ${staged}: ${path}`;
}

export interface HiddenChange {
  path: string;
  how: string;
}

/**
 * Changes since the start that `git status` does not show: files marked assume-unchanged or skip-worktree, and new files
 * that `.git/info/exclude` or `core.excludesFile` hides. The trees of untildone have them.
 */
export async function hiddenChanges(
  context: GateContext,
  status: GitStatus,
  signal: AbortSignal,
): Promise<HiddenChange[]> {
  const { request, tree, workspace } = context;
  const baseTree = request.base.tree;
  if (baseTree === undefined || tree === undefined || baseTree === tree) return [];
  const shown = new Set(status.entries.map((entry) => entry.path));
  const quiet = (await workspace.changes(baseTree, tree)).filter((change) => !shown.has(change.path));
  if (quiet.length === 0) return [];
  const { exitCode, stdout, stderr } = await workspace.git(['ls-files', '-v', '-z'], signal);
  if (exitCode !== 0) throw new Error(`git ls-files failed: ${stderr.trim()}`);
  const marks = new Map(stdout.split('\0').map((entry) => [entry.slice(2), entry[0] ?? '']));
  const hidden: HiddenChange[] = [];
  for (const { path, change } of quiet) {
    const mark = marks.get(path);
    if (mark !== undefined && /[a-zS]/.test(mark) && (await differsFromCommit(context, tree, path, signal))) {
      hidden.push({ path, how: mark.toUpperCase() === 'S' ? 'skip-worktree' : 'assume-unchanged' });
    } else if (mark === undefined && change !== 'deleted' && !isInOtherRepository(path, marks, shown)) {
      hidden.push({ path, how: 'an exclude file outside the project' });
    }
  }
  return hidden;
}

/** Whether a path lies in a submodule or in an untracked repository: git shows only its folder. */
function isInOtherRepository(path: string, marks: Map<string, string>, shown: Set<string>): boolean {
  const folders = path.split('/').slice(0, -1);
  return folders.some((_, i) => {
    const folder = folders.slice(0, i + 1).join('/');
    return marks.has(folder) || shown.has(`${folder}/`);
  });
}

/** Compares a file with its commit. Line endings do not count, and of a large file only the beginning does. */
async function differsFromCommit(
  { workspace }: GateContext,
  tree: string,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  const committed = await workspace.git(['cat-file', 'blob', `HEAD:./${path}`], signal);
  const now = await workspace.contentAt(tree, path);
  if (committed.exitCode !== 0 || now === undefined)
    return (committed.exitCode === 0) !== (now !== undefined);
  const beginning = (text: string) => text.replaceAll('\r\n', '\n').slice(0, 1_000_000);
  return beginning(committed.stdout) !== beginning(now);
}
