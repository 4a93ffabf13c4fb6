import type { Workspace } from '../../ports/ports.ts';
import type { GateContext } from '../gate.ts';

const AT_ONCE = 8;

/** Reads many files of one tree. A file that the tree does not have is left out. */
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

/** The trees before and after the work. */
export interface Span {
  from: string;
  to: string;
  /** `commit`: without a loop, everything that is not committed counts as the work. */
  since: 'start' | 'commit';
}

/** The trees to compare; undefined without a start and without a commit. */
export async function workSinceStart(context: GateContext): Promise<Span | undefined> {
  const { request, workspace } = context;
  const to = context.tree ?? (await workspace.tree());
  const from = request.base.tree;
  if (from !== undefined) return { from, to, since: 'start' };
  const { exitCode, stdout } = await workspace.git(['rev-parse', '--verify', '--quiet', 'HEAD:./']);
  return exitCode === 0 ? { from: stdout.trim(), to, since: 'commit' } : undefined;
}

export const NOTHING_TO_COMPARE = 'there is neither a start of the loop nor a commit to compare with';
