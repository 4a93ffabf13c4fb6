/** The grammar of `untildone.yaml`. docs/reference/contract.md describes it for you. */

import * as z from 'zod';
import {
  type Contract,
  DEFAULT_ASK,
  DEFAULT_LIMITS,
  isCombination,
  type Limits,
  type MemoryRule,
  type Notification,
} from '../core/contract/contract.ts';
import { MEMORY_LINES, MEMORY_SOURCES } from '../core/loop/notes.ts';
import { ENDINGS } from '../core/loop/state.ts';
import { ASK_POLICIES } from '../core/run/option-values.ts';
import type { AskRule } from '../core/run/options.ts';
import { gate } from '../gates/grammar.ts';
import { traitsOf } from '../gates/traits.ts';
import { flag, gateNames, listOf, nameOf, onlyTrue, pathOf, textOf, wholeNumber } from '../schema/values.ts';
import { oneOf, say, strict } from '../schema/words.ts';
import { keysOf, optionsFrom } from './options.ts';
import { chunks, complexity, phases, planFrom, preset } from './plan.ts';
import { roomFrom, roomKeys, sandboxFrom } from './room-rules.ts';
import { runRules } from './run-rules.ts';
import { promptRule, toolRules } from './tool-rules.ts';

export const CONTRACT_EXAMPLE = 'gates: { tests: { run: npm test } }';
const GATES = 'tests: { run: npm test, timeout: 10m }';
export const LIMITS = 'limits: { iterations: 50, duration: 8h, cost_usd: 20, tokens: 20M }';
const STANDING = 'every_stop: { gates: [lint], blocks: 2 }';
const SUBAGENT = 'subagent: { "*": [lint] }';
const MEMORY = 'memory: docs/plans/*/MEMORY.md';
const MEMORY_LONG = 'memory: { files: docs/plans/*/MEMORY.md, lines: 100, update: true }';
const NOTIFY = 'notify: [{ command: ./tell-me.sh, on: [done, stalled, needs_person] }]';

const ASK = 'ask: wait';
const ASK_LONG = 'ask: { policy: wait, timeout: 12h }';

/** `done` is verified_done or claimed_done. */
const NOTIFY_ON = ['done', ...ENDINGS, 'needs_person'] as const;
const DEFAULT_BLOCKS = 2;
const _YEAR = 365 * 86_400_000;

const everyStop = z
  .union([
    gateNames('every_stop: [lint]'),
    strict(
      {
        gates: gateNames(STANDING).describe('The gates.'),
        blocks: wholeNumber(STANDING)
          .describe('How often a session is held for them after one prompt (default 2).')
          .exactOptional(),
      },
      'names of gates, or { gates, blocks }',
      STANDING,
    ),
  ])
  .describe('Standing gates: judged at every Stop of every session, loop or not.')
  .transform((value) => {
    const { gates, blocks = DEFAULT_BLOCKS } = Array.isArray(value) ? { gates: value } : value;
    return { gates: unique(gates), blocks };
  });

const agentType = say('an agent type of at most 100 characters with at most three "*"', SUBAGENT);

const subagent = z
  .record(
    z.string(agentType).regex(/^(?=.{1,100}$)[^*]*(\*[^*]*){0,3}$/, agentType),
    gateNames(SUBAGENT),
    say('lists of gates by agent type', SUBAGENT),
  )
  .describe('Gates for SubagentStop, by agent type; "*" stands for any characters.');

const limits = strict(keysOf('limits'), 'a map of limits', LIMITS).describe(
  'What ends a loop that is not done.',
);

export const LIMIT_KEYS = Object.keys(limits.shape);

const memoryFile = pathOf('a file, or a glob,', MEMORY)
  .refine(
    (path) => /\.(md|markdown|txt)$/i.test(path),
    say('a name or a glob that ends in .md, .markdown or .txt', MEMORY),
  )
  .describe('A file of the project, or a glob.');

const memory = z
  .union([
    memoryFile,
    strict(
      {
        files: z
          .union([memoryFile, listOf(memoryFile, 'file', MEMORY_LONG)])
          .describe('The files that hold notes: names or globs; the newest come first.'),
        lines: wholeNumber(MEMORY_LONG)
          .describe('How many lines a session is told at most, in all (default 100).')
          .exactOptional(),
        inject: listOf(oneOf(MEMORY_SOURCES, MEMORY_LONG), 'beginning of a session', MEMORY_LONG)
          .describe('Which sessions are told, by how they began. Absent: all of them.')
          .exactOptional(),
        update: flag(MEMORY_LONG)
          .describe('Whether a loop keeps a section about itself in the newest file (default true).')
          .exactOptional(),
      },
      'a file, or { files, lines, inject, update }',
      MEMORY_LONG,
    ),
  ])
  .describe(
    'Notes in the project: sessions are told what they say, and loops write their progress into them.',
  )
  .transform((value): MemoryRule => {
    const written = typeof value === 'string' ? { files: value } : value;
    const { files, lines = MEMORY_LINES, inject = MEMORY_SOURCES, update = true } = written;
    return { files: unique([files].flat()), lines, inject: unique(inject), update };
  });

const askPolicy = oneOf(ASK_POLICIES, ASK);

const ask = z
  .union([askPolicy, strict(keysOf('ask'), 'wait, decide or end, or { policy, timeout }', ASK_LONG)])
  .describe(
    'What happens when the agent asks something (untildone ask). wait (default): the loop waits for you. decide: the agent decides, and writes it down. end: the loop ends.',
  )
  .transform((value): AskRule => {
    const written = typeof value === 'string' ? { policy: value } : value;
    return { ...DEFAULT_ASK, ...optionsFrom<Partial<AskRule>>('ask', written) };
  });

const KNOWN =
  'known_failures: [{ gate: tests, test: "sums > adds", since: 2026-01-05, reason: needs a time zone }]';
const day = say('a day such as 2026-01-05', KNOWN);

const knownFailure = strict(
  {
    gate: z.string(say('the name of a gate', KNOWN)).describe('The gate, of the kind run.'),
    test: textOf('the name of a test', KNOWN)
      .describe('The test, as the report of its runner names it. Absent: the whole command.')
      .exactOptional(),
    since: z
      .string(day)
      .regex(/^\d{4}-\d\d-\d\d$/, day)
      .describe('The day on which it was seen to fail.')
      .exactOptional(),
    reason: textOf('a reason', KNOWN).describe('Why it may fail.').exactOptional(),
  },
  'a known failure: { gate, test, since, reason }',
  KNOWN,
);

const webhook = say('an http or https address', 'notify: [{ webhook: "https://example.com/hook" }]');

const notification = strict(
  {
    webhook: z
      .string(webhook)
      .refine(isWebAddress, webhook)
      .describe('An address that gets a POST with JSON.')
      .exactOptional(),
    command: textOf('a command', NOTIFY).describe('A command that gets JSON on stdin.').exactOptional(),
    desktop: onlyTrue('notify: [{ desktop: true }]')
      .describe('A notification of the desktop.')
      .exactOptional(),
    on: listOf(oneOf(NOTIFY_ON, NOTIFY), 'event', NOTIFY)
      .describe('Which events; every ending and needs_person when absent.')
      .exactOptional(),
  },
  'a notification',
  NOTIFY,
).transform((value, context): Notification => {
  const { on = [...ENDINGS, 'needs_person'], ...way } = value;
  if (Object.keys(way).length !== 1) {
    const message = say('exactly one of webhook, command, desktop', NOTIFY);
    context.issues.push({ code: 'custom', input: value, message });
  }
  return { ...way, on: unique(on) };
});

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

const REFLECTION = 'reflection: { enabled: true, triggers: [session_end], min_turns: 5 }';

export const reflection = z
  .union([
    flag(REFLECTION),
    strict(
      {
        enabled: flag(REFLECTION).describe('Whether it is on (default true).').exactOptional(),
        triggers: listOf(oneOf(['session_end'], REFLECTION), 'trigger', REFLECTION)
          .describe('When: session_end is the only one.')
          .exactOptional(),
        min_turns: wholeNumber(REFLECTION)
          .describe('Shorter sessions are left out (default: none is).')
          .exactOptional(),
      },
      'true, false, or { enabled, triggers, min_turns }',
      REFLECTION,
    ),
  ])
  .describe('Whether sessions of this project are looked back on when they end.');

function reflectionFrom(written: z.infer<typeof reflection> | undefined): Contract['reflection'] {
  if (written === undefined || written === false) return undefined;
  if (written === true) return { minTurns: 0 };
  return written.enabled === false ? undefined : { minTurns: written.min_turns ?? 0 };
}

const root = strict(
  {
    task: textOf('a text', 'task: Build the todo API')
      .describe('The task of loops that are started without one.')
      .exactOptional(),
    gates: z
      .record(nameOf('a name', GATES), gate, say('gates by name', CONTRACT_EXAMPLE))
      .describe('The gates by name: { <kind>: <what>, ...options }.')
      .exactOptional(),
    done: gateNames('done: [tests, lint]')
      .describe('What a loop has to pass. Absent: every gate that is no part of an all or any.')
      .exactOptional(),
    every_stop: everyStop.exactOptional(),
    subagent: subagent.exactOptional(),
    task_created: gateNames('task_created: [clear]').describe('Gates for TaskCreated.').exactOptional(),
    task_done: gateNames('task_done: [lint]').describe('Gates for TaskCompleted.').exactOptional(),
    teammate: gateNames('teammate: [lint]').describe('Gates for TeammateIdle.').exactOptional(),
    prompt: promptRule.exactOptional(),
    preset: preset.exactOptional(),
    complexity: complexity.exactOptional(),
    phases: phases.exactOptional(),
    chunks: chunks.exactOptional(),
    limits: limits.exactOptional(),
    known_failures: z
      .array(knownFailure, say('a list of known failures', KNOWN))
      .describe('What failed before the work began, and holds nobody until it has passed once.')
      .exactOptional(),
    memory: memory.exactOptional(),
    reflection: reflection.exactOptional(),
    run: runRules.exactOptional(),
    ...roomKeys,
    tools: toolRules.exactOptional(),
    on_context: oneOf(['continue', 'spawn'], 'on_context: continue')
      .describe(
        'continue (default): the session goes on, and Claude Code compacts it. spawn: a detached run takes over.',
      )
      .exactOptional(),
    ask: ask.exactOptional(),
    lessons: flag('lessons: false')
      .describe(
        'Whether sessions are told what gates said in earlier loops (default true): untildone lessons.',
      )
      .exactOptional(),
    notify: z
      .array(notification, say('a list of notifications', NOTIFY))
      .describe('Whom to tell when a loop ends or needs you.')
      .exactOptional(),
  },
  'a contract: a map with gates',
  CONTRACT_EXAMPLE,
);

export const contractSchema = root.transform((written): Contract => {
  const { task, subagent: agents, every_stop, task_done, teammate, memory: notes, run } = written;
  const { task_created, prompt, tools } = written;
  const plan = planFrom(written);
  const gates = { ...written.gates, ...plan.gates };
  return {
    v: 1,
    task,
    gates,
    done: written.done ? unique([...written.done, ...plan.done]) : gatesOnTop(gates),
    phases: plan.phases.length === 0 ? undefined : plan.phases,
    preset: plan.preset,
    everyStop: every_stop,
    subagent: agents === undefined ? undefined : mapValues(agents, unique),
    taskDone: task_done === undefined ? undefined : unique(task_done),
    teammate: teammate === undefined ? undefined : unique(teammate),
    taskCreated: task_created === undefined ? undefined : unique(task_created),
    prompt,
    tools,
    room: roomFrom(written),
    sandbox: sandboxFrom(written),
    limits: limitsFrom(written.limits ?? {}),
    ...(written.known_failures?.length ? { knownFailures: written.known_failures } : {}),
    onContext: written.on_context ?? 'continue',
    ask: written.ask,
    memory: notes,
    reflection: reflectionFrom(written.reflection),
    run,
    notify: written.notify ?? [],
    ...(written.lessons === false ? { lessons: false as const } : {}),
  };
});

/** The gates of `done` when the contract names none: all but the parts of an `all` or `any`. */
function gatesOnTop(gates: Contract['gates']): string[] {
  const parts = new Set(Object.values(gates).flatMap(partsOf));
  const readsText = (name: string) => traitsOf(gates[name]?.kind ?? '').readsText === true;
  // Gates that read a text are left out: a Stop has neither a prompt nor a task.
  return Object.keys(gates).filter((name) => !parts.has(name) && !readsText(name));
}

function partsOf(spec: Contract['gates'][string]): string[] {
  if (spec.kind === 'chunks') return spec.options.chunks.flatMap((chunk) => chunk.gates);
  return isCombination(spec) ? spec.options.gates : [];
}

function limitsFrom(written: z.output<typeof limits>): Limits {
  return { ...DEFAULT_LIMITS, ...optionsFrom<Partial<Limits>>('limits', written) };
}

function unique<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)];
}

function mapValues<A, B>(map: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
