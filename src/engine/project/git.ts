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
  /** What git may start or reach in this call; nothing when absent. */
  lets?: Lets;
  /** The environment that `env` is added to: that of this process when absent. */
  from?: NodeJS.ProcessEnv;
}

/** `remotes`: transports and credential helpers. `person`: these and the hooks of the repository, as when a person calls git. */
export type Lets = 'remotes' | 'person';

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
/** The exit code of git that could not be started, or did not end in time. */
const NOT_RUN = 127;
const MAX_SYNC_BYTES = 16 * 1024 * 1024;
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

/** The setting is left alone where a call lets git do what it switches off. */
interface QuietSetting {
  setting: string;
  unless?: readonly Lets[];
}

const REACHING: readonly Lets[] = ['remotes', 'person'];

/**
 * The one list of what git may not start. Every call of git begins with it, whatever the repository's own configuration
 * says. Editors, prompts and transports are switched off by `QUIET_VARIABLES`, drivers with free names by `filtersOff`, and
 * by `--no-ext-diff` and `--no-textconv` where differences are shown.
 */
const QUIET: readonly QuietSetting[] = [
  { setting: `core.hooksPath=${devNull}`, unless: ['person'] },
  { setting: 'credential.helper=', unless: REACHING },
  { setting: 'core.fsmonitor=false' },
  { setting: 'core.pager=cat' },
  { setting: 'core.askPass=' },
  { setting: 'credential.interactive=false' },
  { setting: 'protocol.ext.allow=never' },
  { setting: 'core.alternateRefsCommand=' },
  { setting: 'core.gitProxy=none' },
  { setting: 'gc.auto=0' },
  { setting: 'maintenance.auto=false' },
  { setting: 'log.showSignature=false' },
  { setting: 'init.templateDir=' },
];

/** The list as git takes it, before the name of the command. */
function quietArguments(lets: Lets | undefined): string[] {
  const on = QUIET.filter(({ unless }) => lets === undefined || !unless?.includes(lets));
  return asArguments(on.map(({ setting }) => setting));
}

export function asArguments(settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ['-c', setting]);
}

/** No transport is allowed, so a repository with missing objects fetches none (older versions of git know no other way). */
const QUIET_VARIABLES = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
};

/**
 * The environment without variables that redirect git (`GIT_*`) or belong to Claude Code (`ANTHROPIC_*`,
 * `CLAUDE*`). Git then speaks English, never prompts, and takes no lock to read.
 */
export function gitEnvironment(
  extra: Record<string, string>,
  { lets, from = process.env }: Pick<GitCall, 'lets' | 'from'> = {},
): Record<string, string> {
  const kept = Object.entries(from).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(GIT_|ANTHROPIC_|CLAUDE)/i.test(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    LANGUAGE: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    ...QUIET_VARIABLES,
    ...(lets === undefined ? { GIT_ALLOW_PROTOCOL: 'none' } : {}),
    ...extra,
  };
}

/** Loaded when git is run, because Node loads its network with it: most events of a hook run nothing. */
function processes() {
  return require('node:child_process') as typeof import('node:child_process');
}

/** Runs git to its end. Throws when git cannot be started, is ended by a signal, or is aborted; not for exit codes. */
export function runGit(call: GitCall): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    call.signal?.throwIfAborted();
    // A process group of its own, so that programs which git started end with it.
    const child = processes().spawn('git', [...quietArguments(call.lets), ...call.args], {
      cwd: call.cwd,
      env: gitEnvironment(call.env, call),
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

/** Runs git, as `runGit` does, for callers that cannot wait: with little output and within a time. Never throws. */
export function runGitSync(
  { args, cwd, env, from }: Pick<GitCall, 'args' | 'cwd' | 'env' | 'from'>,
  timeout: number,
): { exitCode: number; stdout: string; stderr: string } {
  const { status, stdout, stderr, error } = processes().spawnSync(
    'git',
    [...quietArguments(undefined), ...args],
    {
      cwd,
      env: gitEnvironment(env, { from }),
      encoding: 'utf8',
      timeout,
      maxBuffer: MAX_SYNC_BYTES,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  return { exitCode: error ? NOT_RUN : (status ?? NOT_RUN), stdout: stdout ?? '', stderr: stderr ?? '' };
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

/** The settings of the drivers by which git changes files on their way in and out. */
export const FILTERS = ['config', '--name-only', '-z', '--get-regexp', '^filter\\.'];

/**
 * Settings that switch off every filter that any configuration names, for calls that read files of a working tree. A
 * filter that attributes choose is then not there, and a file counts by its bytes. Throws for a filter that cannot be
 * switched off.
 */
export async function filtersOff(call: Pick<GitCall, 'cwd' | 'env' | 'signal'>): Promise<string[]> {
  return withoutFilters(await runGit({ ...call, args: FILTERS }));
}

export function filtersOffSync(call: Pick<GitCall, 'cwd' | 'env'>, timeout: number): string[] {
  return withoutFilters(runGitSync({ ...call, args: FILTERS }, timeout));
}

export function withoutFilters({
  exitCode,
  stdout,
  stderr,
}: Pick<GitResult, 'exitCode' | 'stderr'> & { stdout: Buffer | string }): string[] {
  // 1: no configuration names a filter.
  if (exitCode > 1) throw new GitError(FILTERS, exitCode, stderr);
  const names = String(stdout).split('\0');
  const filters = new Set(names.flatMap((name) => /^(filter\.[\s\S]+)\.[^.]+$/.exec(name)?.[1] ?? []));
  // Git takes `-c a=b.c=d` for the setting `a`.
  const odd = [...filters].find((filter) => filter.includes('='));
  if (odd !== undefined)
    throw new Error(
      `the git configuration names ${JSON.stringify(odd)}, which cannot be switched off: rename or remove that filter`,
    );
  return [...filters].flatMap((filter) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].map((key) => `${filter}.${key}`),
  );
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
