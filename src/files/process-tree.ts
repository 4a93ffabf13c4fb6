import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** How long processes may take to clean up after SIGTERM. */
const GRACE_MS = 1_500;
const POLL_MS = 20;
/** A tree that keeps forking is looked at again, but not for ever. */
const KILL_ROUNDS = 20;

interface Process {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** Start time: with it, a pid names one process for good. */
  started: string;
}

/**
 * Everything that one command started, given the pid of its first process, which leads a group and a session of its
 * own. Found on Linux: that group and session, all descendants (also those with a session of their own), and processes
 * that were forked away from the tree but still carry `marker` in their environment. Elsewhere: the group.
 */
export class ProcessTree {
  readonly #root: number;
  readonly #marker: string;
  #known = new Map<number, Process>();

  constructor(root: number, marker: string) {
    this.#root = root;
    this.#marker = marker;
  }

  /** SIGTERM to all, time to clean up, then SIGKILL until nothing is left. */
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

  /** Looks for members once more and signals each. Does not wait. */
  signal(signal: NodeJS.Signals): void {
    const living = livingProcesses();
    if (living === undefined) {
      send(-this.#root, signal);
      return;
    }
    this.#known = this.#membersAmong(living);
    if ([...this.#known.values()].some((p) => p.group === this.#root)) send(-this.#root, signal);
    for (const { pid, group } of this.#known.values()) if (group !== this.#root) send(pid, signal);
  }

  isAlive(): boolean {
    if (process.platform !== 'linux') return send(-this.#root, 0);
    return [...this.#known.values()].some(({ pid, started }) => readProcess(pid)?.started === started);
  }

  #membersAmong(living: readonly Process[]): Map<number, Process> {
    const isMember = (p: Process) =>
      p.group === this.#root ||
      p.session === this.#root ||
      this.#known.get(p.pid)?.started === p.started ||
      environmentOf(p.pid).includes(this.#marker);
    const members = new Map(living.filter(isMember).map((p) => [p.pid, p]));
    for (let before = -1; before !== members.size; ) {
      before = members.size;
      for (const p of living) if (members.has(p.parent)) members.set(p.pid, p);
    }
    members.delete(process.pid);
    return members;
  }
}

/** Ends what an earlier process of ours left behind with this in its environment; where the system does not tell, nothing. */
export async function endMarked(marker: string): Promise<void> {
  if (process.platform !== 'linux') return;
  // No process has this number: only the mark counts.
  await new ProcessTree(-1, marker).end();
}

/** Undefined where the system does not tell. Zombies are dead: they only wait for their parent to ask. */
function livingProcesses(): Process[] | undefined {
  if (process.platform !== 'linux') return undefined;
  return readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : [],
  );
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

/** Empty when the process is gone or somebody else's. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Whether there was anything to send it to. */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
