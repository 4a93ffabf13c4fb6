/** Our own command as a child process of the demo. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface OurCommand {
  command: string;
  args: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  /** Gets its output, line by line; absent: it writes to the same place as we do. */
  onLine?(line: string): void;
  /** Aborting ends it at once, and what it started with it. */
  signal: AbortSignal;
  /** After this time it is ended likewise. */
  limitMs: number;
}

export interface OurEnd {
  /** Null when a signal ended it. */
  code: number | null;
  timedOut: boolean;
  stderr: string;
}

/** A run ends its client before itself. */
const PATIENCE_MS = 8_000;
/** How long its output may be held open by a process that it left behind. */
const DRAIN_MS = 1_000;
const STDERR_LIMIT = 4_000;

export async function runOurs(ours: OurCommand): Promise<OurEnd> {
  const { command, cwd, environment: env, signal, onLine } = ours;
  const child = spawn(command, ours.args, {
    cwd,
    env,
    stdio: ['ignore', onLine ? 'pipe' : 'inherit', 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_LIMIT);
  });
  if (child.stdout && onLine) createInterface({ input: child.stdout }).on('line', onLine);
  child.once('exit', () => {
    setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, DRAIN_MS).unref();
  });
  let impatient: NodeJS.Timeout | undefined;
  const end = () => {
    // The first one asks a run to finish its step, the second to end at once.
    child.kill('SIGINT');
    child.kill('SIGTERM');
    impatient ??= setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  };
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    end();
  }, ours.limitMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, timedOut, stderr: stderr.trim() };
  } finally {
    clearTimeout(limit);
    clearTimeout(impatient);
    signal.removeEventListener('abort', end);
  }
}
