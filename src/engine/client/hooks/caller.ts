/**
 * Who calls a hook, told by the processes above it. Claude Code starts a shell for every hook and every tool call; hook and
 * command lie below that shell. The agent can set variables as it likes, but it cannot choose its ancestors.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { ancestors, isRunning, startOf } from '../../files/process-id.ts';

export type Caller =
  /** A hook of Claude Code: its own shell is above, and Claude Code above that. */
  | { by: 'client' }
  /** A tool call of the session, or a process that a tool call left behind. */
  | { by: 'agent'; why: string }
  /** Nothing speaks for either: no Claude Code around, a system without `/proc`, another host. */
  | { by: 'unknown' };

const FROM_TOOL = 'it came from inside of a tool call of this session, and not from Claude Code';
const FROM_NOBODY = 'the process that sent it was not started by the Claude Code of this session';

/** `recorded`: the process of Claude Code that SessionStart saw in this session. Costs a few reads of `/proc`. */
export function callerOf(
  session: string,
  recorded: number | undefined,
  env: NodeJS.ProcessEnv,
  above: readonly number[] = ancestors(),
): Caller {
  const isOwnEnvironment = [undefined, '', session].includes(env.CLAUDE_CODE_SESSION_ID);
  if (env.CLAUDE_CODE_SESSION_ID === session && isAgentsShell(env)) return { by: 'agent', why: FROM_TOOL };
  // Systems without `/proc` name the parent alone.
  if (above[0] === undefined || startOf(above[0]) === undefined) return { by: 'unknown' };
  const clients = [isOwnEnvironment ? Number(env.CLAUDE_PID) : 0, recorded ?? 0].filter((pid) => pid > 1);
  const isOfTool = (pid: number, at: number) => {
    const of = isToolShell(pid) ? sessionIn(pid) : undefined;
    return of === session || (of === '' && clients.includes(above[at + 1] ?? 0));
  };
  if (above.some(isOfTool)) return { by: 'agent', why: FROM_TOOL };
  const at = above.findIndex((pid) => clients.includes(pid));
  const shell = at > 0 ? (above[at - 1] ?? process.pid) : process.pid;
  const writers = [...new Set([process.pid, shell])];
  if (writers.some((pid) => writesForTool(pid, session))) return { by: 'agent', why: FROM_TOOL };
  if (isStray(clients, above[at])) return { by: 'agent', why: FROM_NOBODY };
  // A tool call that has become a hook's shell (`exec`) still has its own input and output.
  return at >= 0 && [0, 1].every((fd) => isSocket(shell, fd)) ? { by: 'client' } : { by: 'unknown' };
}

/** Hooks get the same variable with another ending. */
export function isAgentsShell({ AI_AGENT = '' }: NodeJS.ProcessEnv): boolean {
  return AI_AGENT.endsWith('_agent');
}

/** The shell of the Bash tool reads a snapshot of the user's shell first. */
export function isToolShell(pid: number): boolean {
  return procFile(pid, 'cmdline').includes('shell-snapshots');
}

/** The session whose tool call a shell runs; empty when its Claude Code does not tell. */
function sessionIn(pid: number): string {
  return /(?:^|\0)CLAUDE_CODE_SESSION_ID=([^\0]*)/.exec(procFile(pid, 'environ'))?.[1] ?? '';
}

/** Whether the session's Claude Code runs, but not above this process: `found` is what claims to be it. */
function isStray(clients: readonly number[], found: number | undefined): boolean {
  const living = clients.filter((pid) => pid !== found && isRunning(pid) && isClaude(pid));
  if (living.length === 0) return false;
  // Two terminals with the same session: the other one is the same program.
  return found === undefined || !living.some((pid) => programOf(pid) === programOf(found));
}

/** An installed Claude Code is a program of its own, or a script that Node runs. */
function isClaude(pid: number): boolean {
  const [program = '', script = ''] = procFile(pid, 'cmdline').split('\0');
  const isNamed = [program, script].some((path) => basename(path) === 'claude');
  return (
    isNamed || /\/claude-code\/cli\.m?js$/.test(script) || /\/claude\/versions\/[^/]+$/.test(programOf(pid))
  );
}

function programOf(pid: number): string {
  return link(pid, 'exe').replace(/ \(deleted\)$/, '');
}

/** Claude Code collects what a tool call prints in a file of its session. */
function writesForTool(pid: number, session: string): boolean {
  return [1, 2].some((fd) => {
    const path = link(pid, `fd/${fd}`);
    return path.endsWith('.output') && path.includes(`/${session}/tasks/`);
  });
}

function isSocket(pid: number, fd: number): boolean {
  return link(pid, `fd/${fd}`).startsWith('socket:');
}

function procFile(pid: number, name: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

function link(pid: number, name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return '';
  }
}
