/** Asks a model through the Agent SDK: one process of Claude Code, one question, one structured answer. */
import { randomBytes } from 'node:crypto';
import type { Options, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk';
import { oneLine } from '../../core/text/clip.ts';
import type { AgentAnswer, AgentAsk, AgentPort, AnswerShape } from '../../ports/ports.ts';
import { mismatchOf } from './answer-shape.ts';
import { loginFrom } from './environment.ts';
import { ClientTree, findSdk, messageOf, problemWith, type Sdk, type SdkOptions } from './sdk.ts';

/** A variable in the environment of everything that Claude Code starts, by which these processes are found. */
const MARK = 'UNTILDONE_ASK';
const PROBLEM_LIMIT = 400;

export function agentSdk(options: SdkOptions): AgentPort {
  return {
    async ask(ask) {
      try {
        return await askOnce(ask, options);
      } catch (error) {
        return refusal(`Claude Code could not be asked: ${messageOf(error)}`);
      }
    },
  };
}

async function askOnce(ask: AgentAsk, options: SdkOptions): Promise<AgentAnswer> {
  const found = await findSdk(options);
  if ('problem' in found) return refusal(found.problem);
  if (ask.signal.aborted) return refusal(CALLED_OFF);
  const client = new ClientTree(randomBytes(12).toString('hex'));
  const endClient = () => client.callOff();
  ask.signal.addEventListener('abort', endClient, { once: true });
  process.once('exit', endClient);
  try {
    const sdkOptions = optionsFor(ask, options.env, found.claude, client);
    const ending = await endingOf(found.sdk.query({ prompt: ask.prompt, options: sdkOptions }), client);
    return ask.signal.aborted ? refusal(CALLED_OFF) : answerFrom(ending, ask);
  } finally {
    ask.signal.removeEventListener('abort', endClient);
    process.off('exit', endClient);
    client.kill();
    await client.end();
  }
}

/**
 * Options by which no file of the project or of the user changes the answer: no settings, hooks, plugins, MCP servers or
 * memory. No transcript is left. `verbatimPrompts` keeps an `@path` in judged text from being read in.
 */
function optionsFor(ask: AgentAsk, env: NodeJS.ProcessEnv, claude: string, client: ClientTree): Options {
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
    model: ask.model,
  };
}

type Ending = { result: SDKResultMessage } | { problem: string };

/** Takes the first result as the ending: after an error result the iterator throws. */
async function endingOf(session: ReturnType<Sdk['query']>, client: ClientTree): Promise<Ending> {
  try {
    for await (const message of session) if (message.type === 'result') return { result: message };
    return { problem: 'Claude Code ended without a result' };
  } catch (error) {
    return { problem: problemWith(client, error) };
  }
}

function answerFrom(ending: Ending, ask: AgentAsk): AgentAnswer {
  if ('problem' in ending) return refusal(ending.problem);
  const { result } = ending;
  const costUsd = result.total_cost_usd;
  const problem = problemOf(result, ask);
  if (problem !== undefined) return refusal(problem, costUsd);
  const value = result.subtype === 'success' ? result.structured_output : undefined;
  // Claude Code checks the answer, too, but older versions may not.
  const mismatch = value === undefined ? 'it is missing' : mismatchOf(value, ask.schema as AnswerShape);
  return mismatch === undefined
    ? { ok: true, value, costUsd }
    : refusal(`${NO_ANSWER}: ${mismatch}`, costUsd);
}

const CALLED_OFF = 'the question was called off';
const NO_ANSWER = 'the answer of the model does not have the required shape';

/** Why there is no answer. `subtype` does not tell: for Claude Code an API error is a success. */
function problemOf(result: SDKResultMessage, ask: AgentAsk): string | undefined {
  const reason = result.terminal_reason ?? 'unknown';
  if (!result.is_error && reason === 'completed') return undefined;
  const said = result.subtype === 'success' ? result.result : result.errors.join('; ');
  switch (reason) {
    case 'budget_exhausted':
      return `the model gave no answer within the ${ask.maxCostUsd} USD that it may cost`;
    case 'max_turns':
      return `the model gave no answer within ${ask.maxTurns} turns`;
    case 'structured_output_retry_exhausted':
      return `${NO_ANSWER}: ${said}`;
    case 'api_error':
      return `the model could not be reached: ${said}${isLogin(result) ? LOGIN_HINT : ''}`;
    default:
      return `Claude Code ended with ${reason}: ${said}`;
  }
}

const LOGIN_HINT = '. Log in with `claude`, or set ANTHROPIC_API_KEY';

function isLogin(result: SDKResultMessage): boolean {
  return result.subtype === 'success' && [401, 403].includes(result.api_error_status ?? 0);
}

function refusal(problem: string, costUsd = 0): AgentAnswer {
  return { ok: false, problem: oneLine(problem, PROBLEM_LIMIT), costUsd };
}
