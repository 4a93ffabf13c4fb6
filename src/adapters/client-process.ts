/** One run of the Claude Code client without a terminal (`-p`), as a child of this process. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ClientLaunch {
  binary: string;
  args: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  prompt: string;
  /** Every line of its output, as it comes. Must not throw. */
  onLine(line: string): void;
  /** Aborting ends the client: gently first, so that it can end what it started. */
  signal: AbortSignal;
  /** After this time it is ended likewise. */
  limitMs: number;
}

export interface ClientEnd {
  /** Null when a signal ended it. */
  code: number | null;
  timedOut: boolean;
  /** The last of what it wrote to stderr, or why it could not be started. */
  stderr: string;
}

const PATIENCE_MS = 3_000;
/** How long the output of an ended client may be held open by a process it left behind. */
const DRAIN_MS = 1_000;
const STDERR_LIMIT = 4_000;

/** Resolves however the client ends; when it has, nothing of its output is missing. */
export function runClient(launch: ClientLaunch): Promise<ClientEnd> {
  const { binary, cwd, environment, signal } = launch;
  const child = spawn(binary, launch.args, { cwd, env: environment });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_LIMIT);
  });
  createInterface({ input: child.stdout }).on('line', launch.onLine);
  // A client that ended early has closed its stdin; its exit code says so better than EPIPE.
  child.stdin.on('error', () => {});
  child.stdin.end(launch.prompt);

  let timedOut = false;
  const end = () => endGently(child);
  signal.addEventListener('abort', end, { once: true });
  const limit = setTimeout(() => {
    timedOut = true;
    end();
  }, launch.limitMs);
  if (signal.aborted) end();
  return ended(child).then(({ code, problem }) => {
    clearTimeout(limit);
    signal.removeEventListener('abort', end);
    return { code, timedOut, stderr: problem ?? stderr.trim() };
  });
}

function endGently(child: ChildProcessWithoutNullStreams): void {
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  child.once('exit', () => clearTimeout(impatient));
}

function ended(child: ChildProcessWithoutNullStreams): Promise<{ code: number | null; problem?: string }> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, problem: error.message }));
    child.once('close', (code) => resolve({ code }));
    child.once('exit', () => {
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS).unref();
    });
  });
}
