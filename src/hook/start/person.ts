import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../core/text/errors.ts';
import { ancestors, wasRunningAt } from '../../files/process-id.ts';
import { readSmall } from '../../files/whole-file.ts';
import { parseSessionRecord } from '../../home/hook-line.ts';
import type { Home } from '../../home/layout.ts';

/**
 * Refuses a command inside a Claude Code session that only the user may give. The agent has a shell of the same user, so
 * cheating becomes visible, not impossible (docs/security-model.md).
 */
export function refuseInsideClient(command: string, home: Home, env: NodeJS.ProcessEnv): void {
  if (!insideClient(home, env)) return;
  throw new UsageError(
    `"untildone ${command}" is for a person: run it in a terminal of your own, not from inside a Claude Code session`,
  );
}

function insideClient(home: Home, env: NodeJS.ProcessEnv): boolean {
  if (env.CLAUDECODE) return true;
  const above = new Set(ancestors());
  return clientPids(home, env).some((pid) => above.has(pid));
}

/** Process ids of Claude Code: from the environment, and as SessionStart recorded them. */
function clientPids(home: Home, env: NodeJS.ProcessEnv): number[] {
  return [Number(env.CLAUDE_PID), ...sessionFiles(home).map(recordedPid)].filter(
    (pid) => Number.isInteger(pid) && pid > 1,
  );
}

function recordedPid(file: string): number {
  try {
    const pid = parseSessionRecord(readSmall(file) ?? '')?.pid ?? 0;
    // Process ids are reused: a process that began after the record was written is another one.
    return wasRunningAt(pid, statSync(file).mtimeMs) ? pid : 0;
  } catch {
    return 0;
  }
}

function sessionFiles(home: Home): string[] {
  try {
    return readdirSync(home.sessions)
      .filter((name) => name.endsWith('.at'))
      .map((name) => join(home.sessions, name));
  } catch {
    return [];
  }
}
