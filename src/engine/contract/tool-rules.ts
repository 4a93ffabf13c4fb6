import * as z from 'zod';
import type { PromptRule } from '../core/contract/contract.ts';
import { patternProblem } from '../core/text/line-pattern.ts';
import { ruleProblem } from '../core/tools/permission-rule.ts';
import type { ToolRules } from '../core/tools/tool-rules.ts';
import { TELL_LIMIT } from '../core/words/guards.ts';
import { flag, gateNames, listOf, pathOf, textOf } from '../schema/values.ts';
import { say, strict } from '../schema/words.ts';

/** `tools` of a contract: what tools may do in sessions of the project. */

const SAFE = 'tools: safe';
const PROTECT = 'tools: { protect: ["infra/**", "!.env.example"] }';
const HIDE = 'tools: { hide: ["secrets/**"] }';
const DENY = 'tools: { deny: ["Bash(npm publish *)", { rule: WebFetch, say: Work offline. }] }';
const ALLOW = 'tools: { allow: ["Bash(npm test)", "Edit(src/**)"] }';
const REWRITE =
  "tools: { rewrite: [{ tool: Bash, field: command, pattern: '^npm install', with: '$0 --ignore-scripts' }] }";
const LONG = 'tools: { protect: ["infra/**"], allow: ["Bash(npm test)"] }';

const MOST_RULES = 200;
const LONGEST = 500;

const PATH = 'a glob of the project, or one that begins with "~/" or "/"';

function glob(example: string) {
  const words = say(`${PATH}, of at most ${LONGEST} characters`, example);
  return textOf(PATH, example)
    .max(LONGEST, words)
    .refine((text) => !/(?:^|\/)\.\.(?:\/|$)|\\|^!?$/.test(text), words);
}

function rule(example: string) {
  return textOf('a permission rule', example)
    .max(LONGEST, say(`a permission rule of at most ${LONGEST} characters`, example))
    .check(({ value, issues }) => {
      const problem = ruleProblem(value);
      if (problem !== undefined)
        issues.push({ code: 'custom', input: value, message: say(problem, example) });
    });
}

function rules<Item extends z.ZodType>(item: Item, what: string, example: string) {
  return listOf(item, what, example).max(MOST_RULES, say(`at most ${MOST_RULES} of them`, example));
}

const denied = z.union([
  rule(DENY),
  strict(
    {
      rule: rule(DENY).describe('The permission rule.'),
      say: textOf('a text', DENY)
        .max(LONGEST, say(`a text of at most ${LONGEST} characters`, DENY))
        .describe('What the model is told when such a call is refused.')
        .exactOptional(),
    },
    'a permission rule, or { rule, say }',
    DENY,
  ),
]);

const pattern = textOf('a regular expression', REWRITE).check(({ value, issues }) => {
  const problem = patternProblem(value);
  if (problem !== undefined) issues.push({ code: 'custom', input: value, message: say(problem, REWRITE) });
});

const replacement = say('a text to put in', REWRITE, { anyText: true });

const rewrite = strict(
  {
    tool: textOf('the name of a tool', REWRITE).describe('The tool; "*" stands for any characters.'),
    field: textOf('a field of its input', REWRITE).describe('The field of its input, such as command.'),
    pattern: pattern.describe('A regular expression, tried on every line of the field.'),
    with: z.string(replacement).describe('What is put in: $0 is what matched, $1 to $9 are the groups.'),
  },
  'a rewriting: { tool, field, pattern, with }',
  REWRITE,
);

const long = strict(
  {
    dangerous: flag('tools: { dangerous: false }')
      .describe('Whether commands are refused whose damage cannot be undone (default true).')
      .exactOptional(),
    protect: rules(glob(PROTECT), 'glob', PROTECT)
      .describe('No tool may change these files, nor those that are protected by default; "!" takes one out.')
      .exactOptional(),
    hide: rules(glob(HIDE), 'glob', HIDE).describe('No tool may read or change these files.').exactOptional(),
    deny: rules(denied, 'permission rule', DENY).describe('Such calls are refused.').exactOptional(),
    allow: rules(rule(ALLOW), 'permission rule', ALLOW)
      .describe('Such calls are allowed where Claude Code would ask you.')
      .exactOptional(),
    rewrite: rules(rewrite, 'rewriting', REWRITE).describe('Changes inputs of tools.').exactOptional(),
  },
  'safe, or a map of tool rules',
  LONG,
);

export const toolRules = z
  .union([z.literal('safe', say('safe, or a map of tool rules', SAFE, { candidates: ['safe'] })), long])
  .describe('What tools may do in sessions of the project; safe: dangerous commands and the usual paths.')
  .transform((value): ToolRules => {
    const written = value === 'safe' ? {} : value;
    const {
      dangerous = true,
      protect = [],
      hide = [],
      deny = [],
      allow = [],
      rewrite: changes = [],
    } = written;
    return {
      dangerous,
      protect,
      hide,
      deny: deny.map((one) => (typeof one === 'string' ? { rule: one } : one)),
      allow,
      rewrite: changes,
    };
  });

/** `prompt` of a contract: gates for your prompts, and a text that the model gets with them. */

const SHORT = 'prompt: [no-secrets]';
const PROMPT_EXAMPLE = 'prompt: { gates: [no-secrets], tell: Answer in English. }';

export const promptRule = z
  .union([
    gateNames(SHORT),
    strict(
      {
        gates: gateNames(PROMPT_EXAMPLE).describe('The gates.').exactOptional(),
        tell: textOf('a text', PROMPT_EXAMPLE)
          .refine(
            (text) => text.length <= TELL_LIMIT,
            say(`a text of at most ${TELL_LIMIT} characters`, PROMPT_EXAMPLE),
          )
          .describe('Told to the model with every prompt.')
          .exactOptional(),
        tell_file: pathOf('a file', 'prompt: { tell_file: docs/context.md }')
          .describe(`A file whose first ${TELL_LIMIT} characters are told to the model with every prompt.`)
          .exactOptional(),
      },
      'names of gates, or { gates, tell, tell_file }',
      PROMPT_EXAMPLE,
    ).refine(
      (rule) => Object.keys(rule).length > 0,
      say('at least one of gates, tell, tell_file', PROMPT_EXAMPLE),
    ),
  ])
  .describe('Gates for your prompts (UserPromptSubmit), and a text that the model gets with each of them.')
  .transform((value): PromptRule => {
    const { gates = [], tell, tell_file } = Array.isArray(value) ? { gates: value } : value;
    return {
      gates: [...new Set(gates)],
      tell,
      tellFile: tell_file,
    };
  });
