import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { quoteForShell } from '../../core/shell/words.ts';
import { UsageError } from '../../core/text/errors.ts';
import { ancestors, wasRunningAt } from '../../files/process-id.ts';
import { readSmall } from '../../files/whole-file.ts';
import { parseSessionRecord } from '../../home/hook-line.ts';
import type { Home } from '../../home/layout.ts';

/**
 * Refuses a command inside a Claude Code session that only the user may give. What you type there with `!` has the same
 * environment, parent and terminal as what the agent runs (docs/adr/0016-what-a-hold-looks-like.md), so it is refused, too. The
 * agent has a shell of the same user, so cheating becomes visible, not impossible (docs/security-model.md).
 */
export function refuseInsideClient(
  command: string,
  home: Home,
  env: NodeJS.ProcessEnv,
  typed: { argv: readonly string[]; cwd: string } = { argv: process.argv, cwd: process.cwd() },
): void {
  if (isTyped || !isInsideClient(home, env)) return;
  const line = lineForTerminal(typed, env);
  throw new UsageError(
    `"untildone ${command}" is for a person. Inside a Claude Code session untildone cannot tell you from the agent, ` +
      `not even with "!": type it in another terminal${line === undefined ? '' : `: ${line}`}`,
  );
}

let isTyped = false;

/** Runs a command that a person typed as a slash command, which `typedProblem` has looked at. */
export async function asTyped<Result>(command: () => Promise<Result>): Promise<Result> {
  const before = isTyped;
  isTyped = true;
  try {
    return await command();
  } finally {
    isTyped = before;
  }
}

const LINE_LIMIT = 500;

/** The same command for another terminal; undefined for one that cannot be typed exactly, or for another program. */
function lineForTerminal(
  { argv, cwd }: { argv: readonly string[]; cwd: string },
  { UNTILDONE_HOME }: NodeJS.ProcessEnv,
): string | undefined {
  const [, program = '', ...words] = argv;
  if (!/(?:^|[/\\])untildone[^/\\]*$/.test(program)) return undefined;
  const home = UNTILDONE_HOME ? `UNTILDONE_HOME=${quoteForShell(UNTILDONE_HOME)} ` : '';
  const line = `cd ${quoteForShell(cwd)} && ${home}untildone ${words.map(quoteForShell).join(' ')}`;
  return line.length > LINE_LIMIT || /\p{C}/u.test(line) ? undefined : line;
}

/** Whether this process runs inside a Claude Code session, whoever typed its command. */
export function isInsideClient(home: Home, env: NodeJS.ProcessEnv): boolean {
  if (env.CLAUDECODE) return true;
  const above = new Set(ancestors());
  return clientPids(home, env).some((pid) => above.has(pid));
}

/** Process ids of Claude Code: from the environment, and as SessionStart recorded them. */
export function clientPids(home: Home, env: NodeJS.ProcessEnv): number[] {
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
