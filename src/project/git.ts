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
  /** Gets the output instead of the result. Returns false when it has enough, which ends git. */
  onOutput?: (chunk: Buffer) => boolean;
}

export interface GitResult {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
  /** True when git was ended because there was enough output. */
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

/** Files are looked at as they are, byte by byte, whatever the user's settings for line endings and stat say. */
export const AS_BYTES_CONFIG: readonly string[] = [
  'core.bare=false',
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.fileMode=true',
  'core.symlinks=true',
  'core.trustctime=true',
  'core.checkStat=default',
  'core.ignoreStat=false',
];

/** Configuration by which git runs no other program and asks for nothing, whatever the repository's own says. */
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
 * The environment of this process without variables that redirect git (`GIT_*`) or belong to Claude Code (`ANTHROPIC_*`,
 * `CLAUDE*`). Git then speaks English, never prompts, and takes no lock to read.
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

/** Runs git to its end. Throws when git cannot be started, is ended by a signal, or is aborted; not for exit codes. */
export function runGit(call: GitCall): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    call.signal?.throwIfAborted();
    // A process group of its own, so that programs which git started end with it.
    const child = spawn('git', call.args, {
      cwd: call.cwd,
      env: gitEnvironment(call.env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const out = collectOutput(call);
    let [stderr, cut] = ['', false];
    const abort = () => {
      endGroup(child.pid);
      reject(new Error(`git ${commandOf(call.args)} was aborted`));
    };
    call.signal?.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      if (cut || !out.isLast(chunk)) return;
      cut = true;
      endGroup(child.pid);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8');
    });
    // Git may end before it has read all input; its exit code tells whether that matters.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.input ?? '');
    child.on('error', (error) => reject(startProblem(error, call)));
    child.on('close', (code, signal) => {
      call.signal?.removeEventListener('abort', abort);
      if (code === null && !cut) reject(new Error(`git ${commandOf(call.args)} was ended by ${signal}`));
      else resolve({ exitCode: code ?? 0, stdout: out.bytes(), stderr, cut });
    });
  });
}

/** Collects stdout, or hands it to `onOutput`. */
function collectOutput({ onOutput, maxBytes = MAX_BYTES }: GitCall) {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    bytes: () => Buffer.concat(chunks),
    /** Returns true when this chunk was the last that is wanted. */
    isLast(chunk: Buffer): boolean {
      if (onOutput) return !onOutput(chunk);
      chunks.push(chunk);
      length += chunk.length;
      return length > maxBytes;
    },
  };
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Runs git and returns its output. Throws for an exit code other than 0, too. */
export async function gitOutput(call: GitCall): Promise<Buffer> {
  const result = await runGit(call);
  if (result.exitCode !== 0) throw new GitError(call.args, result.exitCode, result.stderr);
  if (result.cut && !call.onOutput)
    throw new Error(`git ${commandOf(call.args)} printed more than ${call.maxBytes ?? MAX_BYTES} bytes`);
  return result.stdout;
}

/** The git command for messages, without the `-c name=value` before it. */
function commandOf(args: readonly string[]): string {
  return args.find((arg, i) => !arg.startsWith('-') && args[i - 1] !== '-c') ?? '';
}

function startProblem(error: NodeJS.ErrnoException, call: GitCall): Error {
  if (error.code !== 'ENOENT') return error;
  if (!statSync(call.cwd, { throwIfNoEntry: false })?.isDirectory()) {
    return new Error(`there is no folder ${call.cwd}`);
  }
  return new Error('git is not on PATH: install git, without it untildone cannot tell what changed');
}
