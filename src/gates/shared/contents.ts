import type { Workspace } from '../../ports/ports.ts';
import type { GateContext } from '../gate.ts';

const AT_ONCE = 8;

/** The contents of many files of one tree; a file that the tree does not have is missing in the answer. */
export async function contentsAt(
  workspace: Workspace,
  tree: string,
  paths: Iterable<string>,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  const waiting = [...new Set(paths)];
  const work = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      signal.throwIfAborted();
      const text = await workspace.contentAt(tree, path);
      if (text !== undefined) contents.set(path, text);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return contents;
}

/** Two trees between which the work was done. */
export interface Span {
  from: string;
  to: string;
  /** `commit`: there is no loop, so what is not committed counts as the work. */
  since: 'start' | 'commit';
}

/** Undefined when there is nothing that the work could be compared with. */
export async function workSinceStart(context: GateContext): Promise<Span | undefined> {
  const { baseTree, workspace } = context;
  const to = context.tree ?? (await workspace.tree());
  if (baseTree !== undefined) return { from: baseTree, to, since: 'start' };
  const { exitCode, stdout } = await workspace.git(['rev-parse', '--verify', '--quiet', 'HEAD:./']);
  return exitCode === 0 ? { from: stdout.trim(), to, since: 'commit' } : undefined;
}

export const NOTHING_TO_COMPARE = 'there is neither a start of the loop nor a commit to compare with';
