import { mkdirSync } from 'node:fs';
import { lockPaths } from '../../formats/lock/lock-files.ts';
import { pendingChanges, pendingSession, reflectionPaths } from '../../formats/lock/reflection.ts';
import { filesLock, type Home } from '../../home/layout.ts';
import { isQueued, queueReflection } from '../../home/reflections.ts';
import { applyChanges, foreignFiles } from '../../project/files.ts';

/** Leaves `.reflection_pending` in a project of document 004, and counts it. Returns what could not be written. */
export function markReflection(
  folder: string,
  pending: { session: string; transcript?: string; minTurns: number; now: number },
  home: Home,
): string[] {
  const { runtime } = lockPaths(folder);
  try {
    mkdirSync(runtime, { recursive: true });
  } catch (error) {
    // It is queued in the home all the same.
    return [(error as Error).message];
  }
  takeUpOlder(folder, pending, home);
  return applyChanges(pendingChanges(folder, pending, foreignFiles), filesLock(home), [runtime]);
}

/** A marker that names another session was left by the hooks of document 004: that session is queued, too. */
function takeUpOlder(
  folder: string,
  { session, minTurns, now }: { session: string; minTurns: number; now: number },
  home: Home,
) {
  const read = foreignFiles.read(reflectionPaths(folder).pending);
  const older = read.kind === 'text' ? pendingSession(read.text) : undefined;
  if (older === undefined || older === session || isQueued(home, older)) return;
  queueReflection(home, { v: 1, session: older, project: folder, minTurns, queuedAt: now, ended: true });
}
