/** `run` of a contract: how the sessions of a run are started. */
import * as z from 'zod';
import { RUN_MODES, type RunRules } from '../core/contract/contract.ts';
import { PERMISSION_MODES } from '../core/run/run.ts';
import { didYouMean } from '../core/text/did-you-mean.ts';
import { listOf, textOf, timeOf, wholeNumber } from '../schema/values.ts';
import { oneOf, say, strict } from '../schema/words.ts';

const RUN = 'run: { model: sonnet, allow: ["Bash(npm test:*)"], max_turns: 200 }';
const MODE = 'run: { permission_mode: acceptEdits }';
const CLIENT = 'run: { client: { mcpServers: { docs: { command: ./docs-server } } } }';

const SETUP = 'run: { setup: npm ci }';

const setupCommands = z.union(
  [
    textOf('a command', SETUP).transform((command) => [command]),
    listOf(textOf('a command', SETUP), 'command', SETUP),
  ],
  say('a command, or a list of commands', SETUP),
);

/** The dependencies of a clean room as they lay in the project when the loop began. */
const AS_FOUND = 'as_found';
const FOUND = 'setup: { found: [node_modules], run: npm run prepare, inputs: [package.json] }';

/** A command, a list of commands, or a map that names the files they depend on, too. */
export const setup = z.union(
  [
    z.literal(AS_FOUND).transform(() => ({ run: [], found: ['*'] })),
    setupCommands.transform((run) => ({ run })),
    strict(
      {
        run: setupCommands.describe('The commands, one after the other.'),
        found: listOf(textOf('a folder', FOUND), 'folder', FOUND)
          .describe(
            'Ignored folders that a clean room takes as they lay in the project when the loop began, before the commands; "*": all that are known.',
          )
          .exactOptional(),
        inputs: listOf(textOf('a path', SETUP), 'path', SETUP)
          .describe('The files that what they make depends on, such as package-lock.json.')
          .exactOptional(),
      },
      'a map with run and inputs',
      'run: { setup: { run: npm ci, inputs: [package.json, package-lock.json] } }',
    ),
  ],
  say('a command, a list of commands, or a map with run and inputs', SETUP),
);

const BYPASS = 'bypassPermissions';

const permissionMode = oneOf(PERMISSION_MODES, MODE).refine(
  (mode) => mode !== BYPASS,
  say(`a mode that a contract may set (only you can choose ${BYPASS}: --permission-mode ${BYPASS})`, MODE),
);

/** Options of the Agent SDK that have their own key in a contract, with an example. */
const SAID_ELSEWHERE: Record<string, string> = {
  model: 'run: { model: sonnet }',
  permissionMode: MODE,
  allowedTools: 'run: { allow: ["Bash(npm test:*)"] }',
  maxTurns: 'run: { max_turns: 200 }',
  maxBudgetUsd: 'limits: { cost_usd: 20 }',
};
/** Options of the Agent SDK that a run sets itself. */
const OF_THE_RUNNER = [
  'abortController',
  'allowDangerouslySkipPermissions',
  'canUseTool',
  'continue',
  'cwd',
  'executable',
  'executableArgs',
  'extraArgs',
  'forkSession',
  'hooks',
  'includePartialMessages',
  'pathToClaudeCodeExecutable',
  'permissionPromptToolName',
  'permissionPrompts',
  'persistSession',
  'resume',
  'resumeDropsTurn',
  'resumeSessionAt',
  'sessionId',
  'sessionStore',
  'spawnClaudeCodeProcess',
  'stderr',
];

/** Known options, for suggestions only. The SDK ignores unknown ones silently, and newer versions know more. */
const KNOWN = [
  'additionalDirectories',
  'agent',
  'agents',
  'betas',
  'disallowedTools',
  'effort',
  'enableFileCheckpointing',
  'env',
  'fallbackModel',
  'maxThinkingTokens',
  'mcpServers',
  'plugins',
  'sandbox',
  'settingSources',
  'settings',
  'skills',
  'strictMcpConfig',
  'systemPrompt',
  'thinking',
  'toolAliases',
  'toolConfig',
  'tools',
];

const optionName = z
  .string(say('the name of an option of the Agent SDK', CLIENT))
  .check(({ value, issues }) => {
    const message = nameProblem(value);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  });

function nameProblem(name: string): string | undefined {
  const elsewhere = Object.hasOwn(SAID_ELSEWHERE, name) ? SAID_ELSEWHERE[name] : undefined;
  if (elsewhere !== undefined) return say('an option that has no key of its own in the contract', elsewhere);
  if (OF_THE_RUNNER.includes(name)) return say('an option that untildone does not set itself', CLIENT);
  const meant = KNOWN.includes(name) ? undefined : didYouMean(name, KNOWN);
  return meant === undefined ? undefined : say(`an option of the Agent SDK, such as ${meant}`, CLIENT);
}

export const runRules = strict(
  {
    model: textOf('the name of a model', 'run: { model: sonnet }')
      .describe('The model of the sessions.')
      .exactOptional(),
    permission_mode: permissionMode
      .describe('What sessions may do without asking (default acceptEdits).')
      .exactOptional(),
    allow: listOf(textOf('a permission rule', RUN), 'permission rule', RUN)
      .describe('Permission rules that are allowed without asking, such as Bash(npm test:*).')
      .exactOptional(),
    max_turns: wholeNumber('run: { max_turns: 200 }')
      .describe('How many turns one session may take.')
      .exactOptional(),
    mode: oneOf(RUN_MODES, 'run: { mode: hybrid }')
      .describe(
        'When a fresh session begins. hybrid (default): when the context fills. session: never. fresh: with every iteration.',
      )
      .exactOptional(),
    fresh_every: wholeNumber('run: { fresh_every: 10 }')
      .describe('After so many iterations a fresh session begins.')
      .exactOptional(),
    idle_timeout: timeOf('run: { idle_timeout: 15m }')
      .describe('How long Claude Code may be silent before it counts as hanging (default 15m).')
      .exactOptional(),
    session_duration: timeOf('run: { session_duration: 2h }')
      .describe('How long one session may take.')
      .exactOptional(),
    system_prompt: textOf('a text', 'run: { system_prompt: Answer in English. }')
      .describe('Added to the system prompt of the sessions.')
      .exactOptional(),
    setup: setup
      .describe('Prepares a fresh worktree (--worktree, --parallel) before anything is judged there: npm ci.')
      .exactOptional(),
    client: z
      .record(
        optionName,
        z.json(say('a value that JSON can hold', CLIENT)),
        say('options of the Agent SDK', CLIENT),
      )
      .describe('Other options of the Agent SDK, as it spells them: mcpServers, tools, disallowedTools, env.')
      .exactOptional(),
  },
  'a map that says how the sessions of a run are started',
  RUN,
)
  .describe('How the sessions of `untildone run` are started; flags of the command win.')
  .transform((written): RunRules => {
    const {
      permission_mode,
      max_turns,
      fresh_every,
      idle_timeout,
      session_duration,
      system_prompt,
      ...same
    } = written;
    return {
      ...same,
      permissionMode: permission_mode,
      maxTurns: max_turns,
      freshEvery: fresh_every,
      idleMs: idle_timeout,
      sessionMs: session_duration,
      systemPrompt: system_prompt,
    };
  });
