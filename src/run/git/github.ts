/** Pull requests through `gh`: arguments, never a shell line; no prompts. */
import { execFile } from 'node:child_process';
import { gitEnvironment } from '../../project/git.ts';

export interface GhResult {
  ok: boolean;
  stdout: string;
  /** Why it did not work and what to do, for a person. */
  problem: string;
}

export interface Gh {
  /** Never rejects. */
  call(args: readonly string[], input?: string, timeoutMs?: number): Promise<GhResult>;
}

const CALL_MS = 2 * 60_000;
const MOST_OUTPUT = 1024 * 1024;
const QUIET = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', GH_PAGER: 'cat', NO_COLOR: '1' };

export function ghIn(cwd: string, own: Record<string, string>, signal: AbortSignal | undefined): Gh {
  return {
    call: (args, input = '', timeoutMs = CALL_MS) =>
      new Promise((resolve) => {
        const env = gitEnvironment({ ...own, ...QUIET });
        const limits = { timeout: timeoutMs, maxBuffer: MOST_OUTPUT, ...(signal ? { signal } : {}) };
        const child = execFile('gh', args, { cwd, env, ...limits }, (error, stdout, stderr) =>
          resolve({
            ok: error === null,
            stdout,
            problem: error ? problemOf(error, `${stderr}\n${stdout}`) : '',
          }),
        );
        // It may end without having read everything.
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(input);
      }),
  };
}

/** By what gh says, most specific first: its exit code is 1 for nearly everything. */
function problemOf(error: Error & { code?: unknown; killed?: boolean }, said: string): string {
  if (error.code === 'ENOENT') return 'gh is not installed (https://cli.github.com)';
  if (error.name === 'AbortError') return 'gh was stopped';
  if (error.killed) return 'gh did not answer in time';
  if (error.code === 4 || /gh auth login|HTTP 401/i.test(said)) return 'gh is not logged in: gh auth login';
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  return `gh says: ${lines.slice(0, 3).join(' | ') || error.message}`;
}

export function pullRequestUrl(text: string): string | undefined {
  return /https?:\/\/[^\s]+\/pull\/\d+/.exec(text)?.[0];
}
