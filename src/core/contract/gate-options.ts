/** What each kind of gate looks at, as a parsed contract holds it. `wire/contract` checks these shapes. */
export interface GateOptions {
  run: { command: string; cwd?: string; env?: Record<string, string> };
  /** `only`: of a child of a run, the features that are its own. */
  features: { file: string; only?: string[] };
  /** Unticked items of a Markdown file (of one section, when named), or of the transcript's latest list. */
  checklist: { file?: string; section?: string };
  git: { checks: GitCheck[]; branch?: string };
  forbid: { patterns: string[]; custom: { name: string; pattern: string }[]; paths?: string[] };
  tests_intact: { paths?: string[] };
  tasks: Record<string, never>;
  promise: { text: string };
  /** `transcript`: the model sees the end of the conversation, too. */
  judge: { question: string; model?: string; maxCostUsd?: number; transcript?: true };
  agent: { instruction: string; model?: string; maxCostUsd?: number; maxTurns?: number };
  ci: { provider: 'github'; checks?: string[]; waitMs?: number };
  /** A gate of the user's own: an executable, or a module that exports one. */
  custom: { file: string; with?: Record<string, unknown> };
  /** A command that was written for the hooks of Claude Code. */
  hook: { command: string };
  /** A person's word; `file`: what they look at, and approve as it is then. */
  approve: { ask: string; file?: string };
  /** What was written down in the course of the work: a file, or a section of it. */
  artefact: { file: string; section?: string; has: { name: string; pattern: string }[]; words: number };
  /** Something was changed since the start. */
  changed: { paths?: string[]; except?: string[] };
  /** The pieces of a plan: each is due when those before it pass. */
  chunks: { chunks: Chunk[] };
  /** The subagents of a loop, by type (`*` stands for any characters): all of them finished and passed. */
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

/** One piece of a plan. */
export interface Chunk {
  name: string;
  instruction: string;
  gates: string[];
  /** The chunks that have to pass first. */
  after: string[];
}

/** The one list of all kinds: a table over it lacks none. Traits, grammar and judging of a kind are in `gates/<kind>/`. */
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

/** Those of them that mean something in a text that is no code. */
export const TEXT_GROUPS = ['secrets', 'private_keys', 'todo', 'placeholder'] as const;
