/** A machine of a fleet: a home, a work folder and an environment of its own, in which a worker is started and killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { processesOf } from '../live/processes.ts';

const FAKE_KEY = 'simulated-key-000000000000000000000000';
const GIT_CONFIG = '[user]\n\tname = Fleet\n\temail = fleet@localhost\n[init]\n\tdefaultBranch = main\n';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process for good: numbers are given out again. */
export interface ProcessId {
  pid: number;
  began: string | undefined;
}

export function isThere({ pid, began }: ProcessId): boolean {
  return began !== undefined && beganAt(pid) === began;
}

/** The time of its start, in ticks; undefined for one that is gone, or that only waits to be noticed. */
function beganAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

export class Machine {
  readonly name: string;
  /** In the environment of everything that runs here. */
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly workdir: string;
  readonly #programs: Program[] = [];
  #calls = 0;

  constructor(root: string, name: string, extra: Record<string, string>) {
    this.name = name;
    this.folder = join(root, 'machines', name);
    this.workdir = join(this.folder, 'work');
    const home = join(this.folder, 'home');
    const temporary = join(this.folder, 'tmp');
    for (const each of [home, temporary]) mkdirSync(each, { recursive: true });
    writeFileSync(join(home, '.gitconfig'), GIT_CONFIG);
    // A link of its own: those who keep nothing but PATH are found, too.
    const programs = join(this.folder, 'bin');
    symlinkSync(join(root, 'bin'), programs);
    this.env = {
      PATH: `${programs}:${process.env.PATH ?? ''}`,
      HOME: home,
      UNTILDONE_HOME: join(this.folder, 'untildone'),
      TMPDIR: temporary,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      ANTHROPIC_API_KEY: FAKE_KEY,
      CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0',
      ...extra,
    };
  }

  start(args: readonly string[], extra: Record<string, string> = {}, cwd = this.folder): Program {
    const output = join(this.folder, `call-${++this.#calls}`);
    const program = new Program(args, output, { ...this.env, ...extra }, cwd);
    this.#programs.push(program);
    return program;
  }

  /** Ends what was started here, and resolves when all of it is known to have ended. */
  async over(): Promise<void> {
    for (const program of this.#programs) program.signal('SIGKILL');
    await Promise.all(this.#programs.map(({ ended }) => ended.catch(() => undefined)));
  }

  /** Of everything that runs here: the worker, the processes of its runs, their sessions, what these started. */
  processes(): Promise<number[]> {
    return processesOf(`${this.folder}/`);
  }

  async processIds(): Promise<ProcessId[]> {
    return (await this.processes()).map((pid) => ({ pid, began: beganAt(pid) }));
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    for (const pid of await this.processes()) send(pid, signal);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself since it was listed.
  }
}

/** `untildone` with files as its output: what it does depends on nothing that this process does. */
export class Program {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  readonly startedAt = Date.now();
  readonly #child: ChildProcess;
  readonly #output: string;

  constructor(args: readonly string[], output: string, env: Record<string, string>, cwd: string) {
    this.#output = output;
    const fds = [openSync(`${output}.out`, 'w'), openSync(`${output}.err`, 'w')];
    this.#child = spawn(process.execPath, [resolve('dist/untildone.cjs'), ...args], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', ...fds],
    });
    for (const fd of fds) closeSync(fd);
    this.pid = this.#child.pid ?? 0;
    this.ended = new Promise((done, failed) => {
      this.#child.on('error', failed);
      this.#child.on('exit', (code, signal) =>
        done({ code, signal, stdout: this.stdout, stderr: this.stderr }),
      );
    });
  }

  get stdout(): string {
    return this.#said('out');
  }

  get stderr(): string {
    return this.#said('err');
  }

  #said(stream: 'out' | 'err'): string {
    const file = `${this.#output}.${stream}`;
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** It ended with the exit code of a mistake. */
  get couldNotBegin(): boolean {
    return this.#child.exitCode === 2;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.hasEnded) send(this.pid, signal);
  }
}
