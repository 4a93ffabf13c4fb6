import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ProcessTree } from '../../files/process-tree.ts';
import { findClaude } from './find-client.ts';

/** The Agent SDK and the client that it drives: where they are, and the process tree that one client is. */

export interface SdkOptions {
  /** The environment of this process: PATH, login, proxies. */
  env: NodeJS.ProcessEnv;
  /** The client to run instead of the one on PATH. */
  claude?: string;
  /** Where the SDK is looked for when it is not installed beside us; that of the session when absent. */
  project?: string;
}

export type Sdk = Pick<typeof import('@anthropic-ai/claude-agent-sdk'), 'query' | 'startup'>;

const SDK = '@anthropic-ai/claude-agent-sdk';
const STDERR_LIMIT = 4_000;

/** The SDK is only loaded when it is needed: it is large, and may not be there. */
export async function findSdk(
  options: SdkOptions,
): Promise<{ sdk: Sdk; claude: string } | { problem: string }> {
  const sdk = await loadSdk(options.project ?? options.env.CLAUDE_PROJECT_DIR);
  if (!sdk) return { problem: `the package ${SDK} is not installed: npm i -g ${SDK} (or -D in the project)` };
  const searchPath = options.env.PATH;
  const claude = findClaude(options.claude, searchPath === undefined ? {} : { searchPath });
  return claude ? { sdk, claude: claude.path } : { problem: missingClient(options.claude) };
}

/** Our own installation first. A project's copy is code that the agent can write; it decides nothing that is measured. */
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
    : `${given} is no executable file: name the Claude Code client`;
}

/** One client process and everything that it starts; found by `mark`, which is in the environment of all of them. */
export class ClientTree {
  readonly mark: string;
  /** Aborted when the client is called off; the SDK listens, too. */
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

  /** The end of what the client wrote to stderr. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** At once, without waiting: there is nothing to save, and the answer is no longer wanted. */
  callOff(): void {
    this.kill();
    this.abort.abort();
  }

  kill(): void {
    this.#tree?.signal('SIGKILL');
  }

  /** SIGTERM, time to clean up, SIGKILL: servers that a command left running end with the client that ran it. */
  async end(): Promise<void> {
    await this.#tree?.end();
  }
}

/** What went wrong, with what the client said about it on stderr. */
export function problemWith(client: ClientTree, error: unknown): string {
  const said = messageOf(error);
  return client.stderr && !said.includes(client.stderr) ? `${said}: ${client.stderr}` : said;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Ends a client that its driver left behind: nobody answers its hooks any more, so each of its calls fails, and is paid for. */

/**
 * Its input ends without a line when the driver was killed. SIGTERM first: the client then writes down what it has
 * spent, and ends the commands that it runs.
 */
const SCRIPT = 'read -r _ && exit; kill -s TERM -- "-$1"; sleep 3; kill -s KILL -- "-$1"';

/** For a client that leads a group of its own. Where there is no `sh` nothing is guarded. */
function guardOrphan(client: ChildProcess): void {
  if (client.pid === undefined || process.platform === 'win32') return;
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'untildone-guard', String(client.pid)], {
    // Ctrl-C in the terminal is the driver's to hear.
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
