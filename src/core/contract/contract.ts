/** The definition of done of one loop, frozen when it starts. `wire/contract` makes it from `untildone.yaml`. */

import type { ToolRules } from '../tools/tool-rules.ts';
import { COMBINATIONS, type Combination, type GateKind, type GateOptions } from './gate-options.ts';

export const CONTRACT_FILE = 'untildone.yaml';

export type Limit = number | 'unlimited';

export interface Limits {
  iterations: Limit;
  durationMs: Limit;
  costUsd: Limit;
  /** input + output + cache creation; cache reads are excluded. */
  tokens: Limit;
  /** Blocks with the same failing picture and an unchanged tree. */
  stall: number;
  /** The same with a tree that keeps changing. */
  stallChanging: number;
  /** The same final message, for loops without measured gates. */
  stallMessages: number;
  emptyAnswers: number;
  /** Share of the context window from which a run hands over. */
  context: number;
  /** Share of the context window from which nobody is held. */
  contextFull: number;
  /** Background work older than this no longer excuses an unfinished Stop. */
  backgroundMs: number;
  /** Of the phase that the work is in. */
  phase?: PhaseLimits & { name: string };
}

export const DEFAULT_LIMITS: Limits = {
  iterations: 50,
  durationMs: 8 * 3_600_000,
  costUsd: 20,
  tokens: 20_000_000,
  stall: 3,
  stallChanging: 12,
  stallMessages: 8,
  emptyAnswers: 3,
  context: 0.8,
  contextFull: 0.97,
  backgroundMs: 10 * 60_000,
};

interface GateSettings {
  timeoutMs?: number;
  /** Never at the same time as another gate. */
  exclusive?: boolean;
  onUnproven?: 'block' | 'allow';
}

/** One gate of a contract: its kind decides the shape of its options. */
export type GateSpec<Kind extends GateKind = GateKind> = {
  [K in Kind]: { kind: K; options: GateOptions[K] } & GateSettings;
}[Kind];

export function isCombination(spec: GateSpec): spec is GateSpec<Combination> {
  return COMBINATIONS.some((kind) => kind === spec.kind);
}

export interface Notification {
  webhook?: string;
  command?: string;
  desktop?: boolean;
  on: string[];
}

/** How the sessions of a run are started; what a person says when starting it wins. */
export interface RunRules {
  model?: string;
  /** Never `bypassPermissions`: that is said by a person, by name. */
  permissionMode?: string;
  /** Permission rules that are allowed without asking. */
  allow?: string[];
  /** Of one session. */
  maxTurns?: number;
  mode?: RunMode;
  /** Hand over after so many iterations. */
  freshEvery?: number;
  /** So long without a word of the client is a hang. */
  idleMs?: number;
  /** The longest that one session may take. */
  sessionMs?: number;
  /** Added to the client's own. */
  systemPrompt?: string;
  /** Other options of the Agent SDK, in its own spelling. */
  client?: Record<string, unknown>;
}

/** UserPromptSubmit: what guards it, and what is told with it. */
export interface PromptRule {
  gates: string[];
  /** Told to the model with every prompt of a person. */
  tell?: string;
  /** A file of the project whose beginning is told likewise, as it is then. */
  tellFile?: string;
}

export interface MemoryRule {
  /** Globs: which files of the project hold notes. */
  files: string[];
  /** So many lines are told, in all. */
  lines: number;
  /** When: what began the session. */
  inject: string[];
  /** A loop keeps a section about itself in the newest of the files. */
  update: boolean;
}

/** A part of the work that comes before the next one. */
export interface Phase {
  name: string;
  /** What is to be done in it. */
  instruction?: string;
  /** The gates that have to pass before it begins. */
  entry: string[];
  /** The gates that have to pass before the next one begins. */
  exit: string[];
  limits?: PhaseLimits;
}

export interface PhaseLimits {
  iterations?: number;
  durationMs?: number;
}

export const PRESETS = ['verified-done'] as const;

export type PresetName = (typeof PRESETS)[number];

/** hybrid: go on in one session, hand over when it fills. session: never hand over. fresh: a session an iteration. */
export const RUN_MODES = ['hybrid', 'session', 'fresh'] as const;

export type RunMode = (typeof RUN_MODES)[number];

export interface Contract {
  v: 1;
  task?: string;
  gates: Record<string, GateSpec>;
  /** The gates that a loop's Stop has to pass. */
  done: string[];
  /** Standing gates: any session's Stop, at most so many blocks a prompt. */
  everyStop?: { gates: string[]; blocks: number };
  /** SubagentStop, by agent type (`*` for all). */
  subagent?: Record<string, string[]>;
  taskDone?: string[];
  teammate?: string[];
  taskCreated?: string[];
  prompt?: PromptRule;
  /** The order of the work; `done` is judged in the last of them. */
  phases?: Phase[];
  /** The ready-made phases that this contract is made from. */
  preset?: { name: PresetName; reviewUnlessSimple?: true };
  tools?: ToolRules;
  limits: Limits;
  onContext: 'continue' | 'spawn';
  /** Notes in the project that sessions are told at their beginning. */
  memory?: MemoryRule;
  run?: RunRules;
  notify: Notification[];
}

/** What a loop holds fast from its start on, beside the contract itself. */
export interface Frozen {
  /** The project's folder. */
  project: string;
  /** SHA-256 of untildone.yaml as it was; absent for a loop without a contract file. */
  contractFile?: string;
  /** What a person approves: the contract and everything in `parts`, as one SHA-256. */
  fingerprint: string;
  /** By gate: what its commands resolve to (package.json scripts, make targets, script files), name to SHA-256. */
  parts: Record<string, Record<string, string>>;
  /** What each gate froze for itself, by gate name. */
  gates: Record<string, unknown>;
  /** How long judging may take before the client's own timeout. */
  judgeMs: number;
}

/** `contract.json` of a loop. */
export interface FrozenContract {
  contract: Contract;
  frozen: Frozen;
}

export const DEFAULT_JUDGE_MS = 3_540_000;

/** A loop that has nothing better than the agent's word. */
export function promiseContract(promise: string, limits: Limits): Contract {
  return withPromise({ v: 1, gates: {}, done: [], limits, onContext: 'continue', notify: [] }, promise);
}

/** A promise beside gates: both are required. */
export function withPromise(contract: Contract, promise: string): Contract {
  const name =
    contract.gates.promise && contract.gates.promise.kind !== 'promise' ? 'promise-stated' : 'promise';
  return {
    ...contract,
    gates: { ...contract.gates, [name]: { kind: 'promise', options: { text: promise } } },
    done: [...contract.done.filter((gate) => gate !== name), name],
  };
}

/** The contract of a loop in a foreign format: what the format asks for, beside what a person approved for the project. */
export function foreignContract(gates: Record<string, GateSpec>, approved: Contract | undefined): Contract {
  const base = approved ?? {
    v: 1,
    gates: {},
    done: [],
    limits: DEFAULT_LIMITS,
    onContext: 'continue',
    notify: [],
  };
  // Only one promise can be stated at a time: that of the format.
  const own = Object.values(gates).some((spec) => spec.kind === 'promise') ? withoutPromises(base) : base;
  const names = Object.keys(gates);
  return {
    ...own,
    gates: { ...own.gates, ...gates },
    done: [...own.done.filter((name) => !names.includes(name)), ...names],
  };
}

function withoutPromises(contract: Contract): Contract {
  const isPromise = (name: string) => contract.gates[name]?.kind === 'promise';
  const without = (names: readonly string[]) => names.filter((name) => !isPromise(name));
  const { phases } = contract;
  return {
    ...contract,
    done: without(contract.done),
    ...(phases
      ? { phases: phases.map((each) => ({ ...each, entry: without(each.entry), exit: without(each.exit) })) }
      : {}),
  };
}

export function asksForMoreThanPromise(contract: Contract): boolean {
  return contract.done.some((name) => contract.gates[name]?.kind !== 'promise');
}

/** The promises that a loop asks for, those inside `all` and `any` included. */
export function promisesOf(contract: Contract): string[] {
  const texts = (names: readonly string[], above: readonly string[]): string[] =>
    names.flatMap((name) => {
      const spec = contract.gates[name];
      if (!spec || above.includes(name)) return [];
      if (spec.kind === 'promise') return [spec.options.text];
      return isCombination(spec) ? texts(spec.options.gates, [...above, name]) : [];
    });
  return [...new Set(texts(contract.done, []))];
}

export function promiseOf(contract: Contract): string | undefined {
  return promisesOf(contract)[0];
}

/** Whether what a loop runs was approved here; a loop that runs nothing needs nobody's word. */
export function isTrustedContract(
  frozen: Frozen,
  isTrusted: (project: string, fingerprint: string) => boolean,
): boolean {
  return frozen.fingerprint === '' || isTrusted(frozen.project, frozen.fingerprint);
}
