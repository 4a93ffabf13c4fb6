import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** How long processes may take to clean up after SIGTERM. */
const GRACE_MS = 1_500;
const POLL_MS = 20;
/** How often to look again for processes that a tree forks while it is being killed. */
const KILL_ROUNDS = 20;

interface Process {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Start time. Together with it, a pid names one process for ever. */
  started: string;
}

/**
 * All processes that one command started. `root` is the pid of its first process, which leads a group and a session of its
 * own. On Linux the tree is that group, that session, all descendants, and every process that has `marker` in its
 * environment. On macOS it is the group. On Windows it is what `taskkill` finds below the root.
 */
export class ProcessTree {
  readonly #root: number;
  readonly #marker: string;
  /** The root waits for the command, and everything is killed when it ends: it gets no SIGTERM, but ends after the others. */
  readonly #rootWaits: boolean;
  readonly #platform: NodeJS.Platform;
  #known = new Map<number, Process>();

  constructor(root: number, marker: string, { rootWaits = false, platform = process.platform } = {}) {
    this.#platform = platform;
    this.#root = root;
    this.#marker = marker;
    this.#rootWaits = rootWaits;
  }

  /** Sends SIGTERM to all, gives them time to clean up, then sends SIGKILL until none is left. */
  async end(): Promise<void> {
    this.signal('SIGTERM');
    const deadline = performance.now() + GRACE_MS;
    while (this.isAlive() && performance.now() < deadline) await wait(POLL_MS);
    for (let round = 0; round < KILL_ROUNDS; round++) {
      this.signal('SIGKILL');
      if (!this.isAlive()) return;
      await wait(POLL_MS);
    }
  }

  /** Finds the members of this moment and signals each, without waiting. */
  signal(signal: NodeJS.Signals): void {
    // Windows knows no signals: a process ends at once, or it goes on.
    if (this.#platform === 'win32') {
      endOnWindows(this.#root);
      return;
    }
    const running = runningProcesses(this.#platform);
    if (running === undefined) {
      send(-this.#root, signal);
      return;
    }
    this.#known = this.#membersAmong(running);
    if (this.#rootWaits && signal === 'SIGTERM' && this.#known.size > 1) {
      for (const { pid } of this.#known.values()) if (pid !== this.#root) send(pid, signal);
      return;
    }
    if ([...this.#known.values()].some((p) => p.group === this.#root)) send(-this.#root, signal);
    for (const { pid, group } of this.#known.values()) if (group !== this.#root) send(pid, signal);
  }

  isAlive(): boolean {
    if (this.#platform === 'win32') return send(this.#root, 0);
    if (this.#platform !== 'linux') return send(-this.#root, 0);
    return [...this.#known.values()].some(({ pid, started }) => readProcess(pid)?.started === started);
  }

  #membersAmong(running: readonly Process[]): Map<number, Process> {
    const isMember = (p: Process) =>
      p.group === this.#root ||
      p.session === this.#root ||
      this.#known.get(p.pid)?.started === p.started ||
      environmentOf(p.pid).includes(this.#marker);
    const members = new Map(running.filter(isMember).map((p) => [p.pid, p]));
    for (let before = -1; before !== members.size; ) {
      before = members.size;
      for (const p of running) if (members.has(p.parent)) members.set(p.pid, p);
    }
    members.delete(process.pid);
    return members;
  }
}

/** Ends all processes that have `marker` in their environment. Does nothing on systems that do not show environments. */
export async function endMarked(marker: string, platform = process.platform): Promise<void> {
  if (platform !== 'linux') return;
  // No process has the pid -1, so only the marker counts.
  await new ProcessTree(-1, marker).end();
}

/** Whether no process has one of these texts in its environment. False where the system does not show environments. */
export function isNoneMarked(markers: readonly string[], platform = process.platform): boolean {
  if (platform !== 'linux') return false;
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return !pids.some((pid) => {
      const environment = environmentOf(Number(pid));
      return markers.some((marker) => environment.includes(marker));
    });
  } catch {
    return false;
  }
}

/** All processes except zombies; undefined where the system does not tell, or when no file can be opened any more. */
function runningProcesses(platform: NodeJS.Platform): Process[] | undefined {
  if (platform !== 'linux') return undefined;
  try {
    return readdirSync('/proc').flatMap((name) =>
      /^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : [],
    );
  } catch {
    return undefined;
  }
}

/** Ends a process and all that it started, as Windows keeps book of it. */
function endOnWindows(root: number): void {
  if (root > 0)
    spawnSync('taskkill', ['/pid', String(root), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
}

function readProcess(pid: number): Process | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  // The command name may hold spaces and brackets: count from its end.
  const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!state || state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: rest[15] ?? '',
  };
}

function environmentOf(pid: number): string {
  return readProc(`/proc/${pid}/environ`);
}

/** Empty when the process is gone or belongs to another user. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Returns whether there was a process to signal. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
