/** Turns the plan of a session into options of the Agent SDK. */
import type { HookCallback, HookEvent, Options, PermissionMode } from '@anthropic-ai/claude-agent-sdk';
import { sessionEnvironment } from '../../client/sdk/environment.ts';
import type { ClientTree } from '../../client/sdk/sdk.ts';
import { clientSandbox, fileToolDenials } from '../../core/run/client-sandbox.ts';
import type { SessionPlan } from '../../ports/ports.ts';

/** Set for everything that a session starts, so that its processes are found. */
const MARK = 'UNTILDONE_CLIENT';

/** Judging takes time. The answer of a callback that is too late is ignored, and the session ends. */
const CALLBACK_SECONDS = 3_600;

/** SessionStart comes only after a compaction, and SessionEnd only when Claude Code is ended from outside. */
const EVENTS: readonly HookEvent[] = [
  'Stop',
  'SubagentStop',
  'StopFailure',
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PreCompact',
  'ConfigChange',
  'SubagentStart',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
];

/** Options that a contract cannot set, because the plan of the session sets them. */
const NOT_PASSED_ON: readonly (keyof Options)[] = [
  'continue',
  'forkSession',
  'resumeSessionAt',
  'resumeDropsTurn',
  'sessionStore',
  'canUseTool',
  'permissionPromptToolName',
  'extraArgs',
  'executable',
  'executableArgs',
  'stderr',
];

export interface ClientStart {
  /** The environment of the user. */
  env: NodeJS.ProcessEnv;
  claude: string;
  client: ClientTree;
  onEvent: HookCallback;
}

/**
 * The user's CLAUDE.md, settings, hooks and MCP servers count as in any session, but nobody answers questions. Partial
 * messages are the only sign of life while the model writes or thinks for minutes.
 */
export function optionsFor(plan: SessionPlan, { env, claude, client, onEvent }: ClientStart): Options {
  const passed: Options = { ...plan.client };
  for (const name of NOT_PASSED_ON) delete passed[name];
  const matchers = [{ hooks: [onEvent], timeout: CALLBACK_SECONDS }];
  return {
    settingSources: ['user', 'project', 'local'],
    ...passed,
    ...(plan.resume ? { resume: plan.session } : { sessionId: plan.session }),
    cwd: plan.cwd,
    env: { ...sessionEnvironment(env), ...passed.env, ...plan.env, [MARK]: client.mark },
    systemPrompt: systemPrompt(passed.systemPrompt, plan.appendSystemPrompt),
    permissionMode: plan.permissionMode as PermissionMode,
    allowDangerouslySkipPermissions: plan.permissionMode === 'bypassPermissions',
    permissionPrompts: 'none',
    allowedTools: [...(passed.allowedTools ?? []), ...plan.allow],
    ...(plan.model === undefined ? {} : { model: plan.model }),
    ...(plan.maxTurns === undefined ? {} : { maxTurns: plan.maxTurns }),
    ...(plan.maxCostUsd === undefined ? {} : { maxBudgetUsd: plan.maxCostUsd }),
    persistSession: true,
    includePartialMessages: true,
    // The tokens of a subagent are counted from its messages.
    forwardSubagentText: true,
    ...sandboxOf(plan, passed),
    hooks: Object.fromEntries(EVENTS.map((event) => [event, matchers])),
    abortController: client.abort,
    pathToClaudeCodeExecutable: claude,
    spawnClaudeCodeProcess: (spawn) => client.start(spawn.command, spawn.args, spawn.cwd, spawn.env),
  };
}

/** Walls around the shell, by Claude Code's own sandbox, and the same for its file tools, which that does not hold. */
function sandboxOf({ sandbox }: SessionPlan, passed: Options): Pick<Options, 'sandbox' | 'disallowedTools'> {
  if (!sandbox) return {};
  return {
    sandbox: clientSandbox(sandbox, passed.sandbox),
    disallowedTools: [...(passed.disallowedTools ?? []), ...fileToolDenials(sandbox.hidden)],
  };
}

type SystemPrompt = NonNullable<Options['systemPrompt']>;

/** The system prompt of Claude Code, unless the contract gives another. The SDK's default is almost empty. */
function systemPrompt(given: SystemPrompt | undefined, append: string | undefined): SystemPrompt {
  const prompt = given ?? { type: 'preset', preset: 'claude_code' };
  if (append === undefined) return prompt;
  if (typeof prompt === 'string') return `${prompt}\n\n${append}`;
  if (Array.isArray(prompt)) return [...prompt, append];
  if (prompt.type === 'custom') {
    const own = Array.isArray(prompt.prompt) ? prompt.prompt : [prompt.prompt];
    return { ...prompt, prompt: [...own, append] };
  }
  return { ...prompt, append: prompt.append === undefined ? append : `${prompt.append}\n\n${append}` };
}
