/** The kinds of gates: which word names each, what it takes, and what becomes of it. */
import { z } from 'zod';
import { subagents } from './agent-gates.ts';
import { type GateKindSchema, gateKind } from './gate-kind.ts';
import { agent, judge } from './model-gates.ts';
import { approve } from './person-gates.ts';
import { forbid, git, testsIntact } from './repository-gates.ts';
import { text } from './text-gate.ts';
import { listOf, onlyTrue, pathOf, textOf, timeOf } from './values.ts';
import { oneOf, say } from './words.ts';
import { artefact, changed } from './work-gates.ts';

const RUN = 'tests: { run: npm test, timeout: 10m }';
const variable = say('a variable name of letters, digits and "_"', 'env: { CI: "true" }');
const variableValue = say('a text', 'env: { CI: "true" }');

const run = gateKind({
  kind: 'run',
  about: 'Runs a command; it passes when the command ends with exit code 0.',
  example: RUN,
  what: textOf('a command', RUN).describe('A command for sh, run in the project folder.'),
  main: 'command',
  options: {
    cwd: pathOf('a folder', 'tests: { run: npm test, cwd: packages/api }')
      .describe('The folder to run in, relative to the project.')
      .exactOptional(),
    env: z
      .record(
        z.string(variable).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, variable),
        z.union([z.string(), z.number(), z.boolean()], variableValue).transform(String),
        say('variables with their values', 'env: { CI: "true" }'),
      )
      .describe('Variables added to the environment of the command.')
      .exactOptional(),
  },
  build: (command, options) => ({ command, ...options }),
});

const FEATURES = 'features: { features: feature_list.json }';

const features = gateKind({
  kind: 'features',
  about: 'Every feature of a list passes; the next open one is given to the agent.',
  example: FEATURES,
  what: pathOf('a feature list', FEATURES).describe(
    'A JSON file with id, description, steps, passes, verify.',
  ),
  main: 'file',
  options: {},
  build: (file) => ({ file }),
});

const CHECKLIST = 'plan: { checklist: PLAN.md }';
const SECTION = 'plan: { checklist: { file: PLAN.md, section: Tasks } }';

const checklist = gateKind({
  kind: 'checklist',
  about: 'No unticked "- [ ]" items are left.',
  example: CHECKLIST,
  what: pathOf('transcript, or a Markdown file', CHECKLIST).describe(
    'A Markdown file, a glob (its newest file), or "transcript" for the latest list in the conversation.',
  ),
  main: 'file',
  options: {
    section: textOf('a heading', SECTION).describe('Only the items below this heading.').exactOptional(),
  },
  build: (file, options) => (file === 'transcript' ? options : { file, ...options }),
});

const tasks = gateKind({
  kind: 'tasks',
  about: "Claude Code's own task list has no open items.",
  example: 'todo: { tasks: true }',
  what: onlyTrue('todo: { tasks: true }'),
  options: {},
  build: () => ({}),
});

const PROMISE = 'promised: { promise: ALL TESTS PASS }';
const promiseWords = say('a statement of at most 500 characters, without <promise> tags', PROMISE);

const promise = gateKind({
  kind: 'promise',
  about: "The agent's final message states this. A claim, not a proof.",
  example: PROMISE,
  what: textOf('a statement', PROMISE)
    .refine((text) => flat(text).length <= 500 && !/<\/?promise>/.test(text), promiseWords)
    .describe('The statement that the agent has to make.'),
  options: {},
  build: (text) => ({ text: flat(text) }),
});

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const CI = 'checks: { ci: github }';
const CI_LONG = 'checks: { ci: github, checks: [build], wait: 10m }';

const ci = gateKind({
  kind: 'ci',
  about: 'The checks of the pushed commit have passed.',
  example: CI,
  what: oneOf(['github'], CI).describe('Asked through the gh command.'),
  main: 'provider',
  options: {
    checks: listOf(textOf('the name of a check', CI_LONG), 'name of a check', CI_LONG)
      .describe('Only these checks; the required ones, or all, when absent.')
      .exactOptional(),
    wait: timeOf(CI_LONG).describe('How long to wait for checks that still run.').exactOptional(),
  },
  build: (provider, { checks, wait }) => ({
    provider,
    ...(checks === undefined ? {} : { checks }),
    ...(wait === undefined ? {} : { waitMs: wait }),
  }),
});

const CUSTOM = 'mine: { custom: ./gates/mine.mjs }';
const WITH = 'mine: { custom: ./gates/mine.mjs, with: { level: 2 } }';

const custom = gateKind({
  kind: 'custom',
  about: 'A gate of your own: a module, or an executable that speaks JSON.',
  example: CUSTOM,
  what: pathOf('a file', CUSTOM).describe('The module or executable.'),
  main: 'file',
  options: {
    with: z
      .record(z.string(), z.json(say('a value that JSON can hold', WITH)), say('a map', WITH))
      .describe('Handed to the gate as it is.')
      .exactOptional(),
  },
  build: (file, options) => ({ file, ...options }),
});

const HOOK = 'old: { hook: python3 .claude/hooks/check.py, timeout: 60s }';

const hook = gateKind({
  kind: 'hook',
  about: 'Runs a command that was written as a Stop hook of Claude Code, and takes its answer.',
  example: HOOK,
  what: textOf('a command', HOOK).describe('A command for sh that gets the event as JSON on stdin.'),
  main: 'command',
  options: {},
  build: (command) => ({ command }),
});

function combination(kind: 'all' | 'any', about: string) {
  const example = `ready: { ${kind}: [tests, lint] }`;
  return gateKind({
    kind,
    about,
    example,
    what: gateNames(example).describe('Names of gates of this contract.'),
    main: 'gates',
    options: {},
    build: (gates) => ({ gates: [...new Set(gates)] }),
  });
}

/** Whether the names are those of gates is a question to the whole contract: see references.ts. */
export function gateNames(example: string) {
  return listOf(z.string(say('the name of a gate', example)), 'name of a gate', example);
}

export const GATE_KINDS: readonly GateKindSchema[] = [
  run,
  features,
  checklist,
  git,
  forbid,
  testsIntact,
  tasks,
  promise,
  judge,
  agent,
  ci,
  custom,
  hook,
  text,
  artefact,
  changed,
  approve,
  subagents,
  combination('all', 'Passes when every one of these gates passes.'),
  combination('any', 'Passes when one of these gates passes.'),
];

export const KIND_WORDS: readonly string[] = GATE_KINDS.map(({ kind }) => kind);

export const gate = z.union(
  GATE_KINDS.map(({ schema }) => schema),
  say(`a gate: { <kind>: <what> }, the kind being one of ${KIND_WORDS.join(', ')}`, RUN),
);
