import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../files/names-in.ts';
import { wasRunningAt } from '../../files/process-id.ts';
import { readSmall } from '../../files/whole-file.ts';
import { parseSessionRecord } from '../../home/hook-line.ts';
import type { Home } from '../../home/layout.ts';

const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Removes what SessionStart recorded of sessions that are long over: every session of a machine leaves such a file. One
 * that is resumed later records itself anew. Never throws: nothing depends on it.
 */
export function forgetOldSessions(home: Home, now: number): void {
  for (const name of namesIn(home.sessions)) {
    if (!name.endsWith('.at')) continue;
    const file = join(home.sessions, name);
    try {
      const { mtimeMs } = statSync(file);
      if (now - mtimeMs < KEPT_MS || isOwner(home, name.slice(0, -'.at'.length))) continue;
      const pid = parseSessionRecord(readSmall(file) ?? '')?.pid;
      if (pid === undefined || !wasRunningAt(pid, mtimeMs)) rmSync(file, { force: true });
    } catch {
      // Gone already, or not ours to remove.
    }
  }
}

/** A living loop of it is found by its marker. */
function isOwner({ active }: Home, session: string): boolean {
  return statSync(join(active, session), { throwIfNoEntry: false }) !== undefined;
}
