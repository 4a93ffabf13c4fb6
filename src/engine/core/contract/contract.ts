/** A contract, as parsed from `untildone.yaml` by the room `contract`, and frozen when a loop starts. */

import { DEFAULTS } from '../run/option-values.ts';
import type { AskRule, SetLimits, WrittenRules } from '../run/options.ts';
import type { ToolRules } from '../tools/tool-rules.ts';
import {
  COMBINATIONS,
  type Combination,
  type GateKind,
  type GateOptions,
  type ImplicitChange,
} from './gate-options.ts';

export const CONTRACT_FILE = 'untildone.yaml';

export interface Limits extends SetLimits {
  /** Holds with the same failure while the tree changes. */
  stallChanging: number;
  /** Holds with the same final message, for loops without measured gates. */
  stallMessages: number;
  emptyAnswers: number;
  /** Share of the context window from which a session is no longer held. */
  contextFull: number;
  /** Background work older than this no longer excuses an unfinished Stop. */
  backgroundMs: number;
  /** Of the phase that the work is in. */
  phase?: PhaseLimits & { name: string };
}

export const DEFAULT_LIMITS: Limits = {
  ...DEFAULTS.limits,
  stallChanging: 12,
  stallMessages: 8,
  emptyAnswers: 3,
  contextFull: 0.97,
  backgroundMs: 10 * 60_000,
};

interface GateSettings {
  timeoutMs?: number;
  /** Never at the same time as another gate. */
  exclusive?: boolean;
  onUnproven?: 'block' | 'allow';
  /** Where its commands run; absent: as the contract says. */
  room?: RoomChoice;
  /** Whether its commands reach the network from within walls; absent: as the contract says. */
  network?: boolean;
  /** Globs: files that its commands run and that are the work, not the definition of done. */
  work?: string[];
  /** Judged only when these gates pass. */
  after?: string[];
  /** Globs: a pass counts until a file changes that fits one of them. Absent: until anything changes. */
  inputs?: string[];
  /** So many passes in a row are asked for. */
  repeat?: number;
}

/** `clean`: in a fresh copy of the tree, outside of the project. `project`: in the folder in which the agent works. */
export const ROOM_CHOICES = ['clean', 'project'] as const;

export type RoomChoice = (typeof ROOM_CHOICES)[number];

/** Commands that prepare a fresh folder, and the files that what they make depends on. */
export interface SetupRule {
  run: string[];
  /** Globs of ignored folders that a clean room takes as they lay in the project at the start; `*`: all that are known. */
  found?: string[];
  /** Globs; absent: the files by which package managers are told what to install. */
  inputs?: string[];
}

/** Where the commands of gates run, and what is there besides the files that git knows. */
export interface RoomRule {
  /** For gates that do not say it themselves. */
  choice: RoomChoice;
  setup?: SetupRule;
  /** Files that git ignores and that commands need, as they are at the start. */
  needs?: string[];
  /** Variables that may hold secrets and that commands need. */
  passEnv?: string[];
}

/** `required`: without walls nothing runs. `preferred`: with walls where there are any. */
export const SANDBOX_CHOICES = ['required', 'preferred', 'off'] as const;

/** Walls around the commands of gates, and around the shell of the agent in runs. */
export interface SandboxRule {
  choice: (typeof SANDBOX_CHOICES)[number];
  /** Whether commands of gates reach the network. */
  network?: boolean;
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

/** How the sessions of a run are started; options of `untildone run` win. */
export interface RunRules extends WrittenRules {
  /** Other options of the Agent SDK, in its own spelling. */
  client?: Record<string, unknown>;
  /** Prepares a fresh worktree; `inputs`: the files that what it makes depends on. */
  setup?: SetupRule;
}

/** The gates for prompts, and what is told with every prompt. */
export interface PromptRule {
  gates: string[];
  /** Told to the agent with every prompt that you send. */
  tell?: string;
  /** A file of the project; its beginning is told with every prompt. */
  tellFile?: string;
}

export interface MemoryRule {
  /** Globs: which files of the project hold notes. */
  files: string[];
  /** How many lines are told, over all files. */
  lines: number;
  /** The kinds of session start at which they are told. */
  inject: string[];
  /** A loop keeps a section about itself in the newest of the files. */
  update: boolean;
}

/** A phase: a part of the work that has to pass its gates before the next part begins. */
export interface Phase {
  name: string;
  /** What to do in it. */
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

export const DEFAULT_ASK: AskRule = DEFAULTS.ask;

/** A failure that you have accepted. It holds nobody until what fails has passed once. */
export interface KnownFailure {
  gate: string;
  /** The test, as reports of its runner name it. Absent: the command of the gate fails as a whole. */
  test?: string;
  /** The day on which it was seen: `2026-01-05`. */
  since?: string;
  reason?: string;
}

export interface Contract {
  v: 1;
  task?: string;
  gates: Record<string, GateSpec>;
  /** The gates that a loop's Stop has to pass. */
  done: string[];
  /** Standing gates for every Stop, with at most `blocks` holds a prompt. */
  everyStop?: { gates: string[]; blocks: number };
  /** Gates for subagents, by type (`*` for all). */
  subagent?: Record<string, string[]>;
  taskDone?: string[];
  teammate?: string[];
  taskCreated?: string[];
  prompt?: PromptRule;
  /** The order of the work; `done` is judged in the last of them. */
  phases?: Phase[];
  /** The preset whose phases this contract has. */
  preset?: { name: PresetName; reviewUnlessSimple?: true };
  tools?: ToolRules;
  /** Absent: commands of gates run in the folder of the project. */
  room?: RoomRule;
  /** Absent: off. */
  sandbox?: SandboxRule;
  limits: Limits;
  /** Failures that were there before the work began. */
  knownFailures?: KnownFailure[];
  onContext: 'continue' | 'spawn';
  /** Absent: as `DEFAULT_ASK` says. */
  ask?: AskRule;
  /** Notes in the project that sessions are told when they start. */
  memory?: MemoryRule;
  /** Sessions are looked back on when they end. */
  reflection?: { minTurns: number };
  run?: RunRules;
  notify: Notification[];
  /** False: sessions are told no lessons of earlier loops. */
  lessons?: false;
}

/** What is frozen when a loop starts, beside the contract itself. */
export interface Frozen {
  /** The project's folder. */
  project: string;
  /** SHA-256 of untildone.yaml at the start; absent for a loop without a contract file. */
  contractFile?: string;
  /** What you trust: one SHA-256 over the contract and everything in `parts`. */
  fingerprint: string;
  /** By gate: what its commands depend on (package.json scripts, make targets, script files), each with its SHA-256. */
  parts: Record<string, Record<string, string>>;
  /** What each gate froze for itself, by gate name. */
  gates: Record<string, unknown>;
  /** How long judging may take, within the timeout that Claude Code has for the hook. */
  judgeMs: number;
  /** Names what was kept of the start for clean rooms: environment, programs, files that git ignores. */
  start?: string;
}

/** `contract.json` of a loop. */
export interface FrozenContract {
  contract: Contract;
  frozen: Frozen;
}

export const DEFAULT_JUDGE_MS = 3_540_000;

/** A contract that asks for a promise and nothing else. */
export function promiseContract(promise: string, limits: Limits): Contract {
  return withPromise({ v: 1, gates: {}, done: [], limits, onContext: 'continue', notify: [] }, promise);
}

/** The contract with a promise that is required beside its gates. */
export function withPromise(contract: Contract, promise: string): Contract {
  const name =
    contract.gates.promise && contract.gates.promise.kind !== 'promise' ? 'promise-stated' : 'promise';
  return {
    ...contract,
    gates: { ...contract.gates, [name]: { kind: 'promise', options: { text: promise } } },
    done: [...contract.done.filter((gate) => gate !== name), name],
  };
}

/** Files of untildone and Claude Code themselves: a change of them alone is no work. */
const OWN_FILES = [
  `/${CONTRACT_FILE}`,
  ...['.claude/settings.json', '.claude/settings.local.json', '.claude/ralph-loop.local.md'],
  ...['.claude/runtime/**', '.claude/data/ralph-loops/**'],
];

/**
 * The contract with one more gate: something was changed since the start. Gates that passed at the start cannot show that
 * work was done. The gate needs no trust, because it runs nothing.
 */
export function askForChange(
  asked: Contract,
  start: ImplicitChange['start'],
): { contract: Contract; gate: string } {
  const contract = withoutImplicitChange(asked);
  const gate =
    ['changed', 'changed-since-start'].find((name) => !contract.gates[name]) ?? 'something-changed';
  const promise = promisesOf(contract).length > 0 ? (true as const) : undefined;
  const options = { except: OWN_FILES, implicit: { start, promise } };
  return {
    gate,
    contract: {
      ...contract,
      gates: { ...contract.gates, [gate]: { kind: 'changed', options } },
      done: [...contract.done, gate],
    },
  };
}

/** The contract without that gate, for a child of a run and for an updated contract. */
export function withoutImplicitChange(contract: Contract): Contract {
  const isImplicit = (name: string) => {
    const spec = contract.gates[name];
    return spec?.kind === 'changed' && spec.options.implicit !== undefined;
  };
  if (!Object.keys(contract.gates).some(isImplicit)) return contract;
  return {
    ...contract,
    gates: Object.fromEntries(Object.entries(contract.gates).filter(([name]) => !isImplicit(name))),
    done: contract.done.filter((name) => !isImplicit(name)),
  };
}

/** The contract of a loop in a foreign format: the gates of the format, beside the trusted contract of the project. */
export function foreignContract(gates: Record<string, GateSpec>, approved: Contract | undefined): Contract {
  const base = approved ?? {
    v: 1,
    gates: {},
    done: [],
    limits: DEFAULT_LIMITS,
    onContext: 'continue',
    notify: [],
  };
  // The agent can state only one promise at a time: that of the format.
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

/** Whether you trust what a loop runs on this machine; a loop that runs no commands needs no trust. */
export function isTrustedContract(
  frozen: Frozen,
  isTrusted: (project: string, fingerprint: string) => boolean,
): boolean {
  return frozen.fingerprint === '' || isTrusted(frozen.project, frozen.fingerprint);
}
