import { spawn, spawnSync } from 'node:child_process';

/** Runs one command line as the client runs a hook: `/bin/sh -c`, input on stdin, a time limit, a group of its own. */

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

/** How long the output of an ended command may be held open by a process that it left behind. */
const DRAIN_MS = 1_000;
const OUTPUT_LIMIT = 4 * 1024 * 1024;

/** Resolves however it ends; after the time limit the whole process group is ended. */
export function runCommand(command: CommandLine): Promise<Ran> {
  const { cwd, env, input, limitMs } = command;
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
  // A hook that does not read its input closes it; its exit code says more than EPIPE.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve) => {
    let timedOut = false;
    let endedAt: number | undefined;
    const end = () => {
      timedOut = true;
      endGroup(child.pid);
    };
    const timer = setTimeout(end, limitMs);
    command.signal?.addEventListener('abort', end, { once: true });
    if (command.signal?.aborted) end();
    const done = (exitCode: number | null) => {
      clearTimeout(timer);
      command.signal?.removeEventListener('abort', end);
      const ms = Math.round((endedAt ?? performance.now()) - began);
      resolve({
        exitCode: exitCode === null || timedOut ? undefined : exitCode,
        timedOut,
        stdout,
        stderr,
        ms,
      });
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

/** The signal is ignored so that a write fails as it does on a full disk, instead of ending the program. */
const ON_A_FULL_DISK = 'trap \'\' XFSZ; ulimit -f 0; exec /bin/sh -c "$0"';

function argumentsFor({ line, fullDisk, unprivileged }: CommandLine): string[] {
  const shell = fullDisk ? ['/bin/sh', '-c', ON_A_FULL_DISK, line] : ['/bin/sh', '-c', line];
  return unprivileged && process.getuid?.() === 0 ? [...WITHOUT_PRIVILEGE, ...shell] : shell;
}

const WITHOUT_PRIVILEGE = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'];

/** Whether files can be made unreadable here: root reads everything unless it can be told not to. */
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
    // It has ended by itself meanwhile.
  }
}

/** What a hook answered, as the client takes it: measured on the real client, not read from anybody's documents. */

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
  /** What the person is told. */
  message: string;
}

/**
 * JSON is read before the exit code: a block with exit 1 is a block, `continue: false` beats everything. Text before the
 * JSON, a torn object or a decision that is not in the schema are no answer. Exit 2 holds with what is on stderr.
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
