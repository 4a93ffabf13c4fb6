import type { GateContext } from '../gate.ts';
import type { GitStatus } from './status.ts';

export interface HiddenChange {
  path: string;
  how: string;
}

/**
 * Changes since the start that `git status` keeps quiet about: files marked assume-unchanged or skip-worktree, and new
 * files that `.git/info/exclude` or `core.excludesFile` was made to hide. Our own trees see them.
 */
export async function hiddenChanges(
  context: GateContext,
  status: GitStatus,
  signal: AbortSignal,
): Promise<HiddenChange[]> {
  const { baseTree, tree, workspace } = context;
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

/** A submodule is one entry for git, and an untracked repository is shown as its folder. */
function isInOtherRepository(path: string, marks: Map<string, string>, shown: Set<string>): boolean {
  const folders = path.split('/').slice(0, -1);
  return folders.some((_, i) => {
    const folder = folders.slice(0, i + 1).join('/');
    return marks.has(folder) || shown.has(`${folder}/`);
  });
}

/** Line endings aside, which git may convert; of a large file only the beginning is had. */
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
