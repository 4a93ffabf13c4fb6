/** `run` of a contract: how the sessions of a run are started. */
import * as z from 'zod';
import type { RunRules } from '../core/contract/contract.ts';
import { PERMISSION_MODES } from '../core/run/option-values.ts';
import { didYouMean } from '../core/text/did-you-mean.ts';
import { listOf, textOf } from '../schema/values.ts';
import { say, strict } from '../schema/words.ts';
import { keysOf, optionsFrom } from './options.ts';

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

const options = keysOf('run');
const modes = PERMISSION_MODES.filter((mode) => mode !== BYPASS);
const refused = `a mode that a contract may set (only you can choose ${BYPASS}: --permission-mode ${BYPASS})`;

const permissionMode = z
  .enum(modes, {
    error: ({ input }) =>
      input === BYPASS ? say(refused, MODE) : say(`one of ${modes.join(', ')}`, MODE, { candidates: modes }),
  })
  .describe(options.permission_mode?.unwrap().description ?? '');

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
    ...options,
    permission_mode: permissionMode.exactOptional(),
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
  .transform((written) => optionsFrom<RunRules>('run', written));
