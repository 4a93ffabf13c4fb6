import { resolve } from 'node:path';
import { withBraces, withVariables } from '../../../src/engine/core/shell/variables.ts';
import type { ToolPlace } from '../../../src/engine/core/tools/tool-rules.ts';

export const HOME = '/home/me';
export const PROJECT = '/home/me/app';

/** A machine without links, on which these files lie. */
export function placeWith(changes: Partial<ToolPlace> & { files?: string[]; cwd?: string } = {}): ToolPlace {
  const { files = [], cwd = PROJECT, ...more } = changes;
  const known: Record<string, string> = { HOME, PWD: cwd, TMPDIR: '/tmp' };
  return {
    roots: [PROJECT],
    home: HOME,
    spellings: (written, variables = new Map()) =>
      withBraces(written)
        .flatMap((word) =>
          withVariables(word, (name) => variables.get(name) ?? (known[name] ? [known[name]] : undefined)),
        )
        .map((word) => resolve(cwd, word.replace(/^~(?=\/|$)/, HOME))),
    inside: (folder) => files.filter((file) => file.startsWith(`${folder === '/' ? '' : folder}/`)),
    gitFolders: () => [`${PROJECT}/.git`],
    worktrees: () => [],
    branch: () => 'feature',
    uncommitted: () => ({ changed: true, untracked: true }),
    ...more,
  };
}
