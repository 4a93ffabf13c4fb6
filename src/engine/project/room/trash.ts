/** What is no longer needed: moved out of the way by one rename, and removed by another process, for which nobody waits. */
import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../files/whole-file.ts';
import { removeWhole } from '../trees/scratch.ts';

/** More that is still there is a sign that it cannot be removed in this way. The disk would fill up. */
const MOST_WAITING = 6;

/** Afterwards nothing lies at these paths. Never throws. */
export async function throwAway(paths: readonly string[], trash: string): Promise<void> {
  if (paths.every((path) => moveAway(path, trash)) && removeInBackground(trash)) return;
  await Promise.all([...paths, trash].map(removeWhole));
}

let moved = 0;

function moveAway(path: string, trash: string): boolean {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) return true;
    mkdirSync(trash, { recursive: true, mode: 0o700 });
    // Through a link, files of somebody else would be removed.
    if (!lstatSync(trash).isDirectory()) return false;
    renameSync(path, join(trash, `${process.pid}-${Date.now()}-${++moved}`));
    return true;
  } catch {
    return false;
  }
}

/** Package managers leave write-protected folders. */
const REMOVE = 'rm -rf -- "$@" || { chmod -R u+rwx -- "$@"; rm -rf -- "$@"; }';

/** Includes what a process left that was killed. */
function removeInBackground(trash: string): boolean {
  const waiting = namesIn(trash).map((name) => join(trash, name));
  if (waiting.length === 0) return true;
  if (waiting.length > MOST_WAITING || process.platform === 'win32') return false;
  try {
    // The programs of the system, not those that the agent may have put on PATH. No pipe of this process stays open.
    const child = spawn('/bin/sh', ['-c', REMOVE, 'sh', ...waiting], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: 'ignore',
      detached: true,
    });
    child.on('error', () => {});
    child.unref();
    return true;
  } catch {
    return false;
  }
}
