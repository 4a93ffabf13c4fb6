/** The options of each kind of gate, as a parsed contract holds them. `gates/<kind>/grammar.ts` checks them. */
export interface GateOptions {
  /** `quick`: a command that takes less time, run as long as another gate fails. */
  run: { command: string; cwd?: string; env?: Record<string, string>; quick?: string };
  /** `only`: the features of a child of a run. */
  features: { file: string; only?: string[] };
  /** Unticked items of a Markdown file (of one section, when named), or of the transcript's latest list. */
  checklist: { file?: string; section?: string };
  git: { checks: GitCheck[]; branch?: string };
  forbid: { patterns: string[]; custom: { name: string; pattern: string }[]; paths?: string[] };
  tests_intact: { paths?: string[] };
  /** The tests of the start on the code of now, and the tests of now on the code of the start. */
  differential: DifferentialOptions;
  /** Added lines that mute a checker, or ask whether they are being tested. `allow`: groups, or names of single ones. */
  suppressions: { allow?: string[]; paths?: string[] };
  tasks: Record<string, never>;
  /** Counts of the loop, all of which have to hold. */
  metrics: { conditions: MetricCondition[] };
  /** Tests that the agent never sees. */
  holdout: HoldoutOptions;
  promise: { text: string };
  /** `transcript`: the model sees the end of the conversation, too. */
  judge: { question: string; model?: string; maxCostUsd?: number; transcript?: true };
  agent: { instruction: string; model?: string; maxCostUsd?: number; maxTurns?: number };
  ci: { provider: 'github'; checks?: string[]; waitMs?: number };
  /** A gate that you wrote: an executable, or a module that exports a gate. */
  custom: { file: string; with?: Record<string, unknown> };
  /** A command that was written for the hooks of Claude Code. */
  hook: { command: string };
  /** A question to you; `file`: what you look at, and approve as it is then. */
  approve: { ask: string; file?: string };
  /** A text that the agent has to write: a file, or a section of it. */
  artefact: { file: string; section?: string; has: { name: string; pattern: string }[]; words: number };
  /** Something was changed since the start. `implicit`: no contract asks for it (`askForChange`). */
  changed: { paths?: string[]; except?: string[]; implicit?: ImplicitChange };
  /** The chunks of a plan: each is due when those that it comes after pass. */
  chunks: { chunks: Chunk[] };
  /** The subagents of a type (`*` stands for any characters) have all finished and passed. */
  subagents: { type: string; atLeast: number };
  /** The text of a prompt or of a task. */
  text: {
    forbid: string[];
    custom: { name: string; pattern: string }[];
    matches?: { pattern: string; say: string };
    atLeast?: number;
    atMost?: number;
  };
  all: { gates: string[] };
  any: { gates: string[] };
}

export const METRIC_NAMES = [
  'tool_use',
  'bash_commands',
  'file_operations',
  'search_operations',
  'tool_errors',
  'iterations',
  'lock_blocks',
  'tokens',
  'cost_usd',
] as const;

export type MetricName = (typeof METRIC_NAMES)[number];

export interface MetricCondition {
  metric: MetricName;
  op: '>=' | '>' | '<=' | '<' | '==';
  value: number;
}

export interface DifferentialOptions {
  command: string;
  cwd?: string;
  env?: Record<string, string>;
  /** Globs of the tests; the usual places when absent. */
  tests?: string[];
  /** What is measured; `DIFFERENTIAL_CHECKS` when absent. */
  checks?: DifferentialCheck[];
  /** Globs of tests that may change what they expect. */
  mayChange?: string[];
  /** Who says whether the task asks for a changed test; you, when absent. */
  resolve?: 'person' | 'judge';
  model?: string;
  maxCostUsd?: number;
  /** How many runs, how much time the check `change` may take, and which share of the changed lines has to be tested. */
  runs?: number;
  timeMs?: number;
  min?: number;
}

export const DIFFERENTIAL_CHECKS = ['old_tests', 'new_tests', 'change'] as const;
/**
 * The defaults of the check `change`: the most runs, and the most time where the contract names a share, runs or time.
 * `freeMs`: where it names none, looking at the change may always take so long; else half a run of the tests.
 */
export const CHANGE_BUDGET = { runs: 20, timeMs: 600_000, freeMs: 2_000 } as const;
export type DifferentialCheck = (typeof DIFFERENTIAL_CHECKS)[number];

/** What the agent is told of held-out tests that fail. */
export const REVEALS = ['count', 'names', 'output'] as const;

export interface HoldoutOptions {
  command: string;
  cwd?: string;
  /** `count` when absent. */
  reveal?: (typeof REVEALS)[number];
}

/** Why a loop asks for a change although its contract does not. */
export interface ImplicitChange {
  /** `green`: every gate passed at the start. `unjudged`: nobody knows, because nothing was judged then. */
  start: 'green' | 'unjudged';
  /** The agent may claim by a promise that the task needs no change. */
  promise?: true;
}

/** A chunk of a plan. */
export interface Chunk {
  name: string;
  instruction: string;
  gates: string[];
  /** The chunks that have to pass first. */
  after: string[];
}

/** All kinds of gates. Traits, grammar and judging of a kind are in `gates/<kind>/`. */
export type GateKind = keyof GateOptions;

/** The kinds that name other gates of the contract, whose verdicts are combined. */
export const COMBINATIONS = ['all', 'any'] as const;
export type Combination = (typeof COMBINATIONS)[number];

/** The kinds whose verdicts are made from those of other gates. */
export type CombinedKind = Combination | 'chunks';
export type JudgedKind = Exclude<GateKind, CombinedKind>;

export type GitCheck = 'clean' | 'committed' | 'pushed' | 'branch';

/** The built-in groups of patterns that `forbid` knows by name. */
export const FORBID_GROUPS = ['debug', 'debugger', 'todo', 'placeholder', 'secrets', 'private_keys'] as const;

/** What `suppressions` looks for. */
export const SUPPRESSION_GROUPS = ['lint', 'types', 'coverage', 'sniffing', 'settings'] as const;

/** The groups that make sense in a text that is not code. */
export const TEXT_GROUPS = ['secrets', 'private_keys', 'todo', 'placeholder'] as const;
