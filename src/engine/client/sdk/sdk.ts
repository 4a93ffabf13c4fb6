import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ProcessTree } from '../../files/process-tree.ts';
import { findClaude } from './find-client.ts';

export interface SdkOptions {
  /** The environment of this process: PATH, login, proxies. */
  env: NodeJS.ProcessEnv;
  /** The Claude Code to run instead of the one on PATH. */
  claude?: string;
  /** The project in which to look for the SDK when it is not installed beside untildone; else that of the session. */
  project?: string;
}

export type Sdk = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query' | 'startup'>;

const SDK = '@anthropic-ai/claude-agent-sdk';
const STDERR_LIMIT = 4_000;

/** Loads the Agent SDK and finds Claude Code. This happens late, because the SDK is large and optional. */
export async function findSdk(
  options: SdkOptions,
): Promise<{ sdk: Sdk; claude: string } | { problem: string }> {
  const sdk = await loadSdk(options.project ?? options.env.CLAUDE_PROJECT_DIR);
  if (!sdk)
    return {
      problem: `the package ${SDK} is not installed; run: npm i -g ${SDK} (or npm i -D ${SDK} in the project)`,
    };
  const searchPath = options.env.PATH;
  const claude = findClaude(options.claude, searchPath === undefined ? {} : { searchPath });
  return claude ? { sdk, claude: claude.path } : { problem: missingClient(options.claude) };
}

/** Looks beside untildone first, because the agent can write to the project's copy. */
async function loadSdk(project: string | undefined): Promise<Sdk | undefined> {
  const here = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
  const anchors = project === undefined ? [here] : [here, createRequire(join(project, 'package.json'))];
  for (const anchor of anchors) {
    const file = resolved(anchor);
    if (file !== undefined) return (await import(pathToFileURL(file).href)) as Sdk;
  }
  return undefined;
}

function resolved(anchor: NodeJS.Require): string | undefined {
  try {
    return anchor.resolve(SDK);
  } catch {
    return undefined;
  }
}

function missingClient(given: string | undefined): string {
  return given === undefined
    ? 'Claude Code was not found: put `claude` on PATH'
    : `${given} is not an executable file: name the program of Claude Code`;
}

/** One process of Claude Code and everything that it starts. All of them have `mark` in their environment. */
export class ClientTree {
  readonly mark: string;
  /** Aborted by `callOff`; the SDK listens, too. */
  readonly abort = new AbortController();
  #child: ChildProcess | undefined;
  #tree: ProcessTree | undefined;
  #stderr = '';

  constructor(mark: string) {
    this.mark = mark;
  }

  start(command: string, args: string[], cwd: string | undefined, env: NodeJS.ProcessEnv) {
    const child: ChildProcess = spawn(command, args, {
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd,
    });
    this.#child = child;
    guardOrphan(child);
    if (child.pid !== undefined) this.#tree = new ProcessTree(child.pid, this.mark);
    if (this.abort.signal.aborted) this.kill();
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_LIMIT);
    });
    const { stdin, stdout } = child;
    if (!stdin || !stdout) throw new Error(`${command} was started without streams`);
    return Object.assign(child, { stdin, stdout });
  }

  /** The end of what Claude Code wrote to stderr. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** Kills all processes without waiting, when the answer is no longer wanted. */
  callOff(): void {
    this.kill();
    this.abort.abort();
  }

  kill(): void {
    this.#tree?.signal('SIGKILL');
  }

  /** Ends all processes, with time to clean up. Servers that a command left running end, too. */
  async end(): Promise<void> {
    await this.#tree?.end();
  }
}

/** The message of an error, with what Claude Code wrote about it to stderr. */
export function problemWith(client: ClientTree, error: unknown): string {
  const said = messageOf(error);
  return client.stderr && !said.includes(client.stderr) ? `${said}: ${client.stderr}` : said;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Waits for the end of its input. A line says that Claude Code has ended; without one, the driver was killed, and the script
 * ends Claude Code. SIGTERM comes first, so that Claude Code records its cost and ends its commands.
 */
const SCRIPT = 'read -r _ && exit; kill -s TERM -- "-$1"; sleep 3; kill -s KILL -- "-$1"';

/** Ends Claude Code when this process is killed: nobody would answer its hooks, yet its calls cost money. Needs `sh`. */
function guardOrphan(client: ChildProcess): void {
  if (client.pid === undefined || process.platform === 'win32') return;
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'untildone-guard', String(client.pid)], {
    // Ctrl-C in the terminal reaches the driver only.
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  client.once('exit', () => guard.stdin.end('\n'));
}
