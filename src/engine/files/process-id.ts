import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names one process for ever. A pid alone does not: the system gives it to another process later. */
export interface ProcessId {
  pid: number;
  /** Start time in the system's ticks; empty where the system does not tell. */
  started: string;
  host: string;
}

/** Nothing of it changes while the process runs, and every lock bears it. */
let own: ProcessId | undefined;

export function thisProcess(): ProcessId {
  own ??= { pid: process.pid, started: startOf(process.pid) ?? '', host: hostname() };
  return own;
}

/**
 * Whether a process still runs. `unknown` for a process of another machine that shares this folder, and on systems without
 * start times, where another process may have its pid by now.
 */
export function livenessOf(id: ProcessId): 'alive' | 'dead' | 'unknown' {
  if (id.host !== hostname()) return 'unknown';
  if (!isRunning(id.pid) || isZombie(id.pid)) return 'dead';
  const started = startOf(id.pid);
  if (id.started !== '' && started !== undefined) return started === id.started ? 'alive' : 'dead';
  // Its entry is also missing when it ended between the two looks.
  return isRunning(id.pid) ? 'unknown' : 'dead';
}

export function renderProcessId(id: ProcessId): string {
  return `${id.pid} ${id.started || '-'} ${id.host}\n`;
}

export function parseProcessId(text: string): ProcessId | undefined {
  const match = /^(\d+) (\S+) (.+)\n$/.exec(text);
  if (!match?.[1] || !match[2] || !match[3]) return undefined;
  return { pid: Number(match[1]), started: match[2] === '-' ? '' : match[2], host: match[3] };
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A dead process whose parent has not asked for its exit code. The first process of a container often never asks. */
function isZombie(pid: number): boolean {
  return ['Z', 'X'].includes(statField(pid, 3) ?? '');
}

/** The start time of a process in ticks; undefined where the system does not tell. */
export function startOf(pid: number): string | undefined {
  return statField(pid, 22);
}

/** One field of /proc/PID/stat, by its number in the manual. */
function statField(pid: number, field: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 2, the command name, may hold spaces and brackets: count from its closing bracket.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[field - 3];
  } catch {
    return undefined;
  }
}

/** The pids of this process's ancestors, nearest first, as far as the system tells. */
export function ancestors(): number[] {
  const found: number[] = [];
  let pid = process.ppid;
  while (pid > 1 && found.length < 64 && !found.includes(pid)) {
    found.push(pid);
    pid = Number(statField(pid, 4) ?? 0);
  }
  return found;
}

const TICKS_A_SECOND = 100;
const CLOCK_SLACK_MS = 2_000;

/** Whether the process with this pid ran at that time and still runs. Without start times, whether the pid is in use. */
export function wasRunningAt(pid: number, time: number): boolean {
  if (!isRunning(pid)) return false;
  const ticks = startOf(pid);
  const boot = bootTime();
  if (ticks === undefined || ticks === '' || boot === undefined) return true;
  return boot + (Number(ticks) / TICKS_A_SECOND) * 1000 <= time + CLOCK_SLACK_MS;
}

function bootTime(): number | undefined {
  try {
    const seconds = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1000;
  } catch {
    return undefined;
  }
}
