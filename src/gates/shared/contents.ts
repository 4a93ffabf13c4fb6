import type { Workspace } from '../../ports/ports.ts';

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
