/** A program as a child of the demo: Claude Code without a terminal, or untildone itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ChildLaunch {
  command: string;
  args: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  /** What it reads from stdin; absent: nothing. */
  input?: string;
  /** Every line of its output, as it comes. Must not throw. Absent: it writes to the same place as this program. */
  onLine?(line: string): void;
  /** Aborting ends it: gently first, so that it can end what it started. */
  signal: AbortSignal;
  /** After this time it is ended likewise. */
  limitMs: number;
  /** The signals that end it gently, and how long it has for that. */
  gently: { signals: readonly NodeJS.Signals[]; patienceMs: number };
}

export interface ChildEnd {
  /** Null when a signal ended it. */
  code: number | null;
  timedOut: boolean;
  /** The last of what it wrote to stderr, or why it could not be started. */
  stderr: string;
}

/** How long the output of an ended child may be held open by a process that it left behind. */
const DRAIN_MS = 1_000;
const STDERR_LIMIT = 4_000;

/** Resolves however the child ends; when it has, nothing of its output is missing. */
export async function runChild(launch: ChildLaunch): Promise<ChildEnd> {
  const { command, cwd, environment: env, signal, onLine } = launch;
  const child = spawn(command, launch.args, {
    cwd,
    env,
    stdio: [launch.input === undefined ? 'ignore' : 'pipe', onLine ? 'pipe' : 'inherit', 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_LIMIT);
  });
  if (child.stdout && onLine) createInterface({ input: child.stdout }).on('line', onLine);
  // A child that ended early has closed its stdin; its exit code says so better than EPIPE.
  child.stdin?.on('error', () => {});
  child.stdin?.end(launch.input);

  let timedOut = false;
  const end = () => endGently(child, launch.gently);
  signal.addEventListener('abort', end, { once: true });
  const limit = setTimeout(() => {
    timedOut = true;
    end();
  }, launch.limitMs);
  if (signal.aborted) end();
  const { code, problem } = await ended(child);
  clearTimeout(limit);
  signal.removeEventListener('abort', end);
  return { code, timedOut, stderr: problem ?? stderr.trim() };
}

function endGently(child: ChildProcess, { signals, patienceMs }: ChildLaunch['gently']): void {
  for (const signal of signals) child.kill(signal);
  const impatient = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  child.once('exit', () => clearTimeout(impatient));
}

function ended(child: ChildProcess): Promise<{ code: number | null; problem?: string }> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, problem: error.message }));
    child.once('close', (code) => resolve({ code }));
    child.once('exit', () => {
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, DRAIN_MS).unref();
    });
  });
}
