import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { devNull } from 'node:os';

export interface GitCall {
  args: readonly string[];
  cwd: string;
  /** Added to the scrubbed environment. */
  env: Record<string, string>;
  input?: Buffer | string;
  signal?: AbortSignal;
  /** More output than this ends git. */
  maxBytes?: number;
  /** Gets stdout instead of the result; false is enough and ends git. */
  onOutput?: (chunk: Buffer) => boolean;
}

export interface GitResult {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
  /** Git was ended because there was enough output. */
  cut: boolean;
}

export class GitError extends Error {
  readonly exitCode: number;
  constructor(args: readonly string[], exitCode: number, stderr: string) {
    const said = stderr.trim().split('\n').slice(0, 3).join(' | ') || `it ended with ${exitCode}`;
    super(`git ${commandOf(args)} failed: ${said}`);
    this.exitCode = exitCode;
  }
}

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_STDERR = 64 * 1024;

/** Configuration that makes git run nothing and ask nobody, whatever a repository's own configuration says. */
export const QUIET_CONFIG: readonly string[] = [
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.askPass=',
  'credential.helper=',
  'credential.interactive=false',
  'protocol.ext.allow=never',
  'core.alternateRefsCommand=',
  'gc.auto=0',
  'maintenance.auto=false',
];

/**
 * The environment of this process without what bends git (`GIT_*`) and without what the client keeps there
 * (`ANTHROPIC_*`, `CLAUDE*`); messages in English, no prompts, no locks for mere looking.
 */
export function gitEnvironment(extra: Record<string, string>): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(GIT_|ANTHROPIC_|CLAUDE)/i.test(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    LANGUAGE: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    ...extra,
  };
}

/** Runs git to its end. Throws when it could not be started, was ended by a signal, or was aborted; not for exit codes. */
export function runGit(call: GitCall): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    call.signal?.throwIfAborted();
    // A group of its own, so that what git started ends with it.
    const child = spawn('git', call.args, {
      cwd: call.cwd,
      env: gitEnvironment(call.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const out: Buffer[] = [];
    let [outBytes, stderr, cut] = [0, '', false];
    const enough = (chunk: Buffer): boolean => {
      if (call.onOutput) return !call.onOutput(chunk);
      out.push(chunk);
      outBytes += chunk.length;
      return outBytes > (call.maxBytes ?? MAX_BYTES);
    };
    const abort = () => {
      endGroup(child.pid);
      reject(new Error(`git ${commandOf(call.args)} was aborted`));
    };
    call.signal?.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      if (cut || !enough(chunk)) return;
      cut = true;
      endGroup(child.pid);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8');
    });
    // Git may end before it has read everything; its exit code tells whether that matters.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.input ?? '');
    child.on('error', (error) => reject(startProblem(error, call)));
    child.on('close', (code, signal) => {
      call.signal?.removeEventListener('abort', abort);
      if (code === null && !cut) reject(new Error(`git ${commandOf(call.args)} was ended by ${signal}`));
      else resolve({ exitCode: code ?? 0, stdout: Buffer.concat(out), stderr, cut });
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** The same for calls of which nothing but success is of use. */
export async function gitOutput(call: GitCall): Promise<Buffer> {
  const result = await runGit(call);
  if (result.exitCode !== 0) throw new GitError(call.args, result.exitCode, result.stderr);
  if (result.cut && !call.onOutput)
    throw new Error(`git ${commandOf(call.args)} printed more than can be held`);
  return result.stdout;
}

/** `-c name=value` before the command is of no interest in a message. */
function commandOf(args: readonly string[]): string {
  return args.find((arg, i) => !arg.startsWith('-') && args[i - 1] !== '-c') ?? '';
}

function startProblem(error: NodeJS.ErrnoException, call: GitCall): Error {
  if (error.code !== 'ENOENT') return error;
  if (!statSync(call.cwd, { throwIfNoEntry: false })?.isDirectory()) {
    return new Error(`there is no folder ${call.cwd}`);
  }
  return new Error('git is not on PATH: install git, the state of the work cannot be named without it');
}
