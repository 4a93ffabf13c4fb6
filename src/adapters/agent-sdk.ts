/** Asks a model through the Agent SDK: one client process, one question, one structured answer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Options, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { oneLine } from '../core/clip.ts';
import type { AgentAnswer, AgentAsk, AgentPort } from '../ports.ts';
import { loginFrom } from './agent-environment.ts';
import { findClaude } from './claude-client.ts';
import { ProcessTree } from './process-tree.ts';

export interface AgentSdkOptions {
  /** The environment of this process: PATH, login, proxies. */
  env: NodeJS.ProcessEnv;
  /** The client to run instead of the one on PATH. */
  claude?: string;
  /** Where the SDK is looked for when it is not installed beside us; that of the session when absent. */
  project?: string;
}

type Query = typeof import('@anthropic-ai/claude-agent-sdk').query;

const SDK = '@anthropic-ai/claude-agent-sdk';
/** In the environment of everything that the client starts, so that it is found wherever it went. */
const MARK = 'UNTILDONE_ASK';
const STDERR_LIMIT = 4_000;
const PROBLEM_LIMIT = 400;

export function agentSdk(options: AgentSdkOptions): AgentPort {
  return {
    async ask(ask) {
      try {
        return await askOnce(ask, options);
      } catch (error) {
        return refusal(`the client could not be asked: ${messageOf(error)}`);
      }
    },
  };
}

async function askOnce(ask: AgentAsk, options: AgentSdkOptions): Promise<AgentAnswer> {
  const query = await loadQuery(options.project ?? options.env.CLAUDE_PROJECT_DIR);
  if (!query) return refusal(`the package ${SDK} is not installed: npm i -D ${SDK}`);
  const searchPath = options.env.PATH;
  const claude = findClaude(options.claude, searchPath === undefined ? {} : { searchPath });
  if (!claude) return refusal(missingClient(options.claude));
  if (ask.signal.aborted) return refusal(CALLED_OFF);
  const client = new AskedClient();
  const endClient = () => client.callOff();
  ask.signal.addEventListener('abort', endClient, { once: true });
  process.once('exit', endClient);
  try {
    const sdkOptions = optionsFor(ask, options.env, claude.path, client);
    const ending = await endingOf(query({ prompt: ask.prompt, options: sdkOptions }), client);
    return ask.signal.aborted ? refusal(CALLED_OFF) : answerFrom(ending, ask);
  } finally {
    ask.signal.removeEventListener('abort', endClient);
    process.off('exit', endClient);
    await client.endAll();
  }
}

/**
 * No file of the project or of the person says how this client behaves: no settings, hooks, plugins, MCP servers or
 * memory; no transcript is left. `verbatimPrompts` keeps an `@path` in judged text from being read in.
 */
function optionsFor(ask: AgentAsk, env: NodeJS.ProcessEnv, claude: string, client: AskedClient): Options {
  const login = loginFrom(env);
  return {
    abortController: client.abort,
    cwd: ask.cwd,
    env: { ...login.environment, [MARK]: client.mark },
    settings: { ...login.settings, disableAllHooks: true },
    settingSources: [],
    persistSession: false,
    mcpServers: {},
    strictMcpConfig: true,
    verbatimPrompts: true,
    tools: ask.tools,
    allowedTools: ask.tools,
    permissionMode: 'dontAsk',
    permissionPrompts: 'none',
    systemPrompt: ask.systemPrompt,
    outputFormat: { type: 'json_schema', schema: ask.schema },
    maxTurns: ask.maxTurns,
    maxBudgetUsd: ask.maxCostUsd,
    pathToClaudeCodeExecutable: claude,
    spawnClaudeCodeProcess: ({ command, args, cwd, env: environment }) =>
      client.start(command, args, cwd, environment),
    ...(ask.model === undefined ? {} : { model: ask.model }),
  };
}

/** Our own installation first. A project's copy is code that the agent can write; it decides nothing that is measured. */
async function loadQuery(project: string | undefined): Promise<Query | undefined> {
  const here = createRequire(typeof __filename === 'string' ? __filename : import.meta.url);
  const anchors = project === undefined ? [here] : [here, createRequire(join(project, 'package.json'))];
  for (const anchor of anchors) {
    const file = resolved(anchor);
    if (file !== undefined) return ((await import(pathToFileURL(file).href)) as { query: Query }).query;
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

/** The process of one ask, and what it starts. */
class AskedClient {
  readonly mark = randomBytes(12).toString('hex');
  readonly abort = new AbortController();
  #tree: ProcessTree | undefined;
  #stderr = '';

  start(command: string, args: string[], cwd: string | undefined, env: NodeJS.ProcessEnv) {
    const child: ChildProcess = spawn(command, args, {
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
    });
    if (child.pid !== undefined) this.#tree = new ProcessTree(child.pid, this.mark);
    if (this.abort.signal.aborted) this.#kill();
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_LIMIT);
    });
    const { stdin, stdout } = child;
    if (!stdin || !stdout) throw new Error(`${command} was started without streams`);
    return Object.assign(child, { stdin, stdout });
  }

  get stderr(): string {
    return this.#stderr.trim();
  }

  /** At once, without waiting: there is nothing to save, and the answer is no longer wanted. */
  callOff(): void {
    this.#kill();
    this.abort.abort();
  }

  /** Servers that a command left running end with the client that ran it. */
  async endAll(): Promise<void> {
    this.#kill();
    await this.#tree?.end();
  }

  #kill(): void {
    this.#tree?.signal('SIGKILL');
  }
}

type Ending = { result: SDKResultMessage } | { problem: string };

/** Error results are yielded, and then the iterator throws: the first result is the ending. */
async function endingOf(session: ReturnType<Query>, client: AskedClient): Promise<Ending> {
  try {
    for await (const message of session) if (message.type === 'result') return { result: message };
    return { problem: 'the client ended without a result' };
  } catch (error) {
    const said = messageOf(error);
    return { problem: client.stderr && !said.includes(client.stderr) ? `${said}: ${client.stderr}` : said };
  }
}

function answerFrom(ending: Ending, ask: AgentAsk): AgentAnswer {
  if ('problem' in ending) return refusal(ending.problem);
  const { result } = ending;
  const costUsd = result.total_cost_usd;
  const problem = problemOf(result, ask);
  if (problem !== undefined) return refusal(problem, costUsd);
  const value = result.subtype === 'success' ? result.structured_output : undefined;
  const mismatch = value === undefined ? 'it is missing' : mismatchOf(value, ask.schema);
  return mismatch === undefined
    ? { ok: true, value, costUsd }
    : refusal(`${NO_ANSWER}: ${mismatch}`, costUsd);
}

const CALLED_OFF = 'the question was called off';
const NO_ANSWER = 'the model gave no answer of the asked shape';

/** Never by `subtype`: the client calls an API error a success. */
function problemOf(result: SDKResultMessage, ask: AgentAsk): string | undefined {
  const reason = result.terminal_reason ?? 'unknown';
  if (!result.is_error && reason === 'completed') return undefined;
  const said = result.subtype === 'success' ? result.result : result.errors.join('; ');
  switch (reason) {
    case 'budget_exhausted':
      return `no answer for ${ask.maxCostUsd} USD, which is all it may cost`;
    case 'max_turns':
      return `no answer within ${ask.maxTurns} turns`;
    case 'structured_output_retry_exhausted':
      return `${NO_ANSWER}: ${said}`;
    case 'api_error':
      return `the model could not be reached: ${said}${isLogin(result) ? LOGIN_HINT : ''}`;
    default:
      return `the client ended with ${reason}: ${said}`;
  }
}

const LOGIN_HINT = '. Log in with `claude`, or set ANTHROPIC_API_KEY';

function isLogin(result: SDKResultMessage): boolean {
  return result.subtype === 'success' && [401, 403].includes(result.api_error_status ?? 0);
}

/** The client checks it too; an older one may not. */
function mismatchOf(value: unknown, schema: Record<string, unknown>): string | undefined {
  const parsed = z.fromJSONSchema(schema).safeParse(value);
  if (parsed.success) return undefined;
  const [issue] = parsed.error.issues;
  return issue === undefined ? 'unknown' : `${issue.path.join('.') || 'the answer'}: ${issue.message}`;
}

function refusal(problem: string, costUsd = 0): AgentAnswer {
  return { ok: false, problem: oneLine(problem, PROBLEM_LIMIT), costUsd };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
