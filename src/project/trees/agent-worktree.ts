import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { sha256 } from '../../files/digest.ts';
import { type Home, projectFolder, realPath } from '../../home/layout.ts';
import { findUserRepository } from './user-repository.ts';

/** Another checkout of the project's repository. */
export interface AgentWorktree {
  /** The checkout. */
  top: string;
  /** The project's folder in it. */
  project: string;
}

/** The worktree that a folder lies in, when it is another one of the project's own repository. */
export function worktreeAt(project: string, folder: string): AgentWorktree | undefined {
  const own = findUserRepository(project);
  const there = findUserRepository(folder);
  if (!own || !there || realPath(own.commonDir) !== realPath(there.commonDir)) return undefined;
  const top = realPath(there.top);
  if (top === realPath(own.top)) return undefined;
  const inside = relative(realPath(own.top), realPath(project));
  const same = realPath(join(top, inside));
  // A link in the place of a folder leads to what somebody else did.
  if (!isInside(top, same) || !statSync(same, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return { top, project: same };
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}

const OLD_MS = 24 * 3_600_000;

/** Trees of a worktree are made in the shadow of its project; only what was seen last is remembered by itself. */
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

/** Worktrees of agents come and go. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > OLD_MS) rmSync(path, { force: true });
  }
}
