import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { shared } from '../shared.ts';
import type { Task } from './worker.ts';

/** A folder for each call; all of them are gone after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function makeFifo(path: string): void {
  execFileSync('mkfifo', [path]);
}

export interface WorkerResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

function workerFile(): string {
  const entry = join(import.meta.dirname, 'worker.ts');
  const folder = shared('worker', (made) => {
    const outfile = join(made, 'worker.cjs');
    buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs' });
    // Others than its owner run it, too.
    chmodSync(made, 0o755);
  });
  return join(folder, 'worker.cjs');
}

export function workerCommand(task: Task): [string, ...string[]] {
  return [process.execPath, workerFile(), JSON.stringify(task)];
}

export function startWorker(task: Task, options: { uid?: number } = {}): ChildProcessWithoutNullStreams {
  const [command, ...args] = workerCommand(task);
  return spawn(command, args, { stdio: 'pipe', ...options });
}

const NOBODY = 65534;

/** Runs a task as a user to whom read-only means read-only: nothing is, to root. */
export function runUnprivileged(task: Task, owned: string): Promise<WorkerResult> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['-R', String(NOBODY), owned]);
  const child = startWorker(task, isRoot ? { uid: NOBODY } : {});
  child.stdin.end();
  return finished(child);
}

/** How a worker ended; one that is still running after `limitMs` is killed, and fails the test. */
export function finished(
  child: ChildProcessWithoutNullStreams,
  limitMs = PATIENCE_MS,
): Promise<WorkerResult> {
  return new Promise((resolve, reject) => {
    const result: WorkerResult = { code: null, signal: null, stdout: '', stderr: '' };
    child.stdout.on('data', (data) => {
      result.stdout += data;
    });
    child.stderr.on('data', (data) => {
      result.stderr += data;
    });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`still running after ${limitMs} ms`));
    }, limitMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ ...result, code, signal });
    });
  });
}

export function runWorker(task: Task, limitMs?: number): Promise<WorkerResult> {
  const child = startWorker(task);
  child.stdin.end();
  return finished(child, limitMs);
}

/** A worker that holds the lock; resolves with it once it does. */
export function holdLock(lock: string): Promise<ChildProcessWithoutNullStreams> {
  return new Promise((resolve, reject) => {
    const child = startWorker({ do: 'hold', lock });
    child.stdout.once('data', () => resolve(child));
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the holder ended before it held the lock')));
  });
}
