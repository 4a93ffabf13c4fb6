import { spawn, spawnSync } from 'node:child_process';

/** Runs one command line as Claude Code runs a hook: `/bin/sh -c`, input on stdin, a time limit, a process group of its own. */

export interface CommandLine {
  line: string;
  cwd: string;
  env: Record<string, string>;
  input: string;
  limitMs: number;
  /** No file may grow: what a program sees on a full disk. */
  fullDisk?: boolean;
  /** Permission bits count, also for root. */
  unprivileged?: boolean;
  /** Aborting ends it as the time limit does. */
  signal?: AbortSignal | undefined;
}

/** Resolves however the command ends. */
export type RunCommand = (command: CommandLine) => Promise<Ran>;

/** How long a process that an ended command left behind may keep its output open. */
const DRAIN_MS = 1_000;
const OUTPUT_LIMIT = 4 * 1024 * 1024;

/** Runs a command. After its time limit the whole process group is ended. */
export function runCommand(command: CommandLine): Promise<Ran> {
  const { cwd, env, input, limitMs, signal } = command;
  const began = performance.now();
  const [program = '/bin/sh', ...args] = argumentsFor(command);
  const child = spawn(program, args, { cwd, env, detached: true });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(0, OUTPUT_LIMIT);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, OUTPUT_LIMIT);
  });
  // A hook that ends without reading its input causes EPIPE. Its exit code says more.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve) => {
    let timedOut = false;
    let endedAt: number | undefined;
    const end = () => {
      timedOut = true;
      endGroup(child.pid);
    };
    // After a stall this timer comes before the news of an end that was in time: one more turn of events brings that.
    const timer = setTimeout(() => setImmediate(() => endedAt === undefined && end()), limitMs);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    const done = (exitCode: number | null) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      const ms = Math.round((endedAt ?? performance.now()) - began);
      const code = exitCode === null || timedOut ? undefined : exitCode;
      resolve({ exitCode: code, timedOut, stdout, stderr, ms });
    };
    child.once('error', (error) => {
      stderr += error.message;
      done(null);
    });
    child.once('exit', () => {
      endedAt = performance.now();
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS).unref();
    });
    child.once('close', done);
  });
}

/** Ignores the signal, so that a write fails as on a full disk instead of ending the program. */
const ON_A_FULL_DISK = 'trap \'\' XFSZ; ulimit -f 0; exec /bin/sh -c "$0"';

function argumentsFor({ line, fullDisk, unprivileged }: CommandLine): string[] {
  const shell = fullDisk ? ['/bin/sh', '-c', ON_A_FULL_DISK, line] : ['/bin/sh', '-c', line];
  return unprivileged && process.getuid?.() === 0 ? [...WITHOUT_PRIVILEGE, ...shell] : shell;
}

const WITHOUT_PRIVILEGE = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'];

/** Whether files can be made unreadable here: root reads everything unless `setpriv` takes that away. */
export function permissionsCount(): boolean {
  if (process.getuid?.() !== 0) return process.platform !== 'win32';
  const [program = '', ...args] = [...WITHOUT_PRIVILEGE, '/bin/sh', '-c', 'exit 7'];
  return spawnSync(program, args, { stdio: 'ignore' }).status === 7;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
}

/** How one run of a command ended. */
export interface Ran {
  /** Absent when it had to be ended. */
  exitCode?: number;
  timedOut: boolean;
  stdout: string;
  stderr: string;
  ms: number;
}

export interface Answer {
  held: boolean;
  /** What the model is told when it is held. */
  reason: string;
  /** What you are told. */
  message: string;
}

/**
 * Reads the answer of a hook as Claude Code was measured to take it. JSON counts before the exit code: a block with exit 1
 * is a block, and `continue: false` beats everything. Text before the JSON, a torn object or an unknown decision is no
 * answer. Exit 2 holds with what is on stderr.
 */
export function answerOf({ exitCode, stdout, stderr, timedOut }: Ran): Answer {
  const said = timedOut ? undefined : parseObject(stdout);
  const message = textOf(said?.systemMessage);
  if (said?.continue === false)
    return { held: false, reason: '', message: message || textOf(said.stopReason) };
  if (said?.decision === 'block' && fitsSchema(said.reason))
    return { held: true, reason: textOf(said.reason) || 'Blocked by hook', message };
  const context = contextOf(said);
  if (context !== '' && !timedOut) return { held: true, reason: context, message };
  if (exitCode === 2) return { held: true, reason: stderr.trim() || 'No stderr output', message };
  return { held: false, reason: '', message };
}

function contextOf(said: Record<string, unknown> | undefined): string {
  const specific = said?.hookSpecificOutput;
  if (typeof specific !== 'object' || specific === null) return '';
  return textOf((specific as Record<string, unknown>).additionalContext);
}

function fitsSchema(reason: unknown): boolean {
  return reason === undefined || typeof reason === 'string';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
