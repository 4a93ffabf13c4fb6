import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Called {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CallOptions {
  cwd: string;
  env: Record<string, string>;
  input?: string;
  limitMs: number;
}

export class TookTooLong extends Error {}

/** Runs a program to its end. What it leaves running keeps running, as with Claude Code's shell. */
export function call(command: string, args: readonly string[], options: CallOptions): Promise<Called> {
  return new Promise((resolve, reject) => {
    const { cwd, env } = options;
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const called: Called = { code: null, stdout: '', stderr: '' };
    const timer = setTimeout(() => {
      killGroup(child);
      reject(
        new TookTooLong(
          `took more than ${Math.round(options.limitMs / 1000)} s: ${[command, ...args].join(' ').slice(0, 200)}`,
        ),
      );
    }, options.limitMs);
    child.stdout.on('data', (data) => {
      called.stdout += data;
    });
    child.stderr.on('data', (data) => {
      called.stderr += data;
    });
    child.stdin.on('error', () => {});
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    // Not `close`: a process that goes on in the background may keep the pipes open.
    child.on('exit', (code) => {
      clearTimeout(timer);
      setImmediate(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ ...called, code });
      });
    });
    child.stdin.end(options.input ?? '');
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {}
}

/** Ends every process whose home is this folder: those that a cheat left running. Only Linux can tell. */
export function endProcessesOf(home: string): void {
  const mark = `\0HOME=${home}\0`;
  for (const name of readdirSafely('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const environment = `\0${readFileSync(`/proc/${name}/environ`, 'latin1')}\0`;
      if (environment.includes(mark)) process.kill(Number(name), 'SIGKILL');
    } catch {}
  }
}

function readdirSafely(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
