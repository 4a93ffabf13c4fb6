import type { GateLine, RunLine } from '../engine/run/view/line.ts';
import type { ContractInput } from './contract-input.ts';
import type { RunSettings } from './run-settings.ts';

export type * from './contract-input.ts';
export type * from './run-settings.ts';

/** An option that is absent has the value of the contract, or the default of `untildone run`. */
export interface RunOptions extends RunSettings {
  /** What is to be done; that of the contract when absent. */
  task?: string;
  /** The project's folder; found from the working folder when absent. */
  project?: string;
  /**
   * A file, relative to the project (`untildone.yaml` when absent): you have to trust it before (`untildone trust`). Or the
   * contract itself: your program names the commands, so they are trusted.
   */
  contract?: string | ContractInput;
  /** Trusts the contract of the file if this is its fingerprint (`untildone trust --show`). */
  trust?: string;
  /** A feature list that has to pass, besides the contract. */
  features?: string;
  /**
   * Goes on with a run, by its id, instead of a new one: with its own task and contract, and with `limits` instead of its
   * own where they are given. A run that ended without being done can go on, too.
   */
  resume?: string;
  /** Ends the session at once. The run is paused and can go on. */
  signal?: AbortSignal;
  /** What it throws ends the run as `signal` does, and is what `run` rejects with. */
  onEvent?: (event: RunEvent) => void;
  /** Instead of the environment of this process: PATH, HOME, login. */
  env?: Record<string, string | undefined>;
}

/** A line of docs/reference/run-events.md. */
export type RunEvent = { at: string } & RunLine;

type RunStatus =
  | 'verified_done'
  | 'claimed_done'
  | 'reached_limit'
  | 'stalled'
  | 'idle'
  | 'capped'
  | 'cancelled'
  | 'released'
  | 'failed'
  /** It can go on: `run({ resume: loop })`, or `untildone run --resume LOOP`. */
  | 'paused';

export interface RunResult {
  /** Only `verified_done` was measured; `claimed_done` rests on the word of the agent. */
  status: RunStatus;
  /** The run's id. */
  loop: string;
  iteration: number;
  /** How many sessions of Claude Code there were. */
  sessions: number;
  costUsd: number;
  tokens: number;
  /** As they were judged last. */
  gates: GateLine[];
  /** How it ended, or why it is paused. */
  why: string;
  /** What a done run rests on: the file that `untildone receipt verify` checks, and the same as Markdown. */
  receipt?: { file: string; text: string };
}

/** What a gate that you wrote as a module is asked. */
export interface GateQuestion<Settings = Record<string, unknown>> {
  v: 1;
  /** The gate's name in the contract. */
  gate: string;
  /** The project's folder, in which the gate runs. */
  project: string;
  /** What the agent was asked to do. */
  task: string;
  session: string;
  /** The final message of the session that wants to stop. */
  lastMessage?: string;
  /** For a prompt or a task: the event of Claude Code, with `hook_event_name`, `prompt`, `task_subject`, `task_description`. */
  event?: Record<string, unknown>;
  /** The git tree that is judged, and that of the loop's start. */
  tree?: string;
  baseTree?: string;
  /** `with` of the contract; empty when it says none. */
  with: Settings;
}

export interface GateAnswer {
  /** unproven: it could not be judged. skip: it does not apply here. */
  outcome: 'pass' | 'fail' | 'unproven' | 'skip';
  /** One line: what was found. */
  summary: string;
  /** Lines, the most useful first. */
  evidence?: readonly string[] | string;
  /** What the agent should do next. */
  next?: string;
  /** Names this failure, so that the same one is recognised. */
  fingerprint?: string;
}

export interface CustomGate<Settings = Record<string, unknown>> {
  judge(question: GateQuestion<Settings>): GateAnswer | Promise<GateAnswer>;
}

/** Returns the gate as it is: gives the default export of its module a type. */
export function defineGate<Settings = Record<string, unknown>>(
  gate: CustomGate<Settings>,
): CustomGate<Settings> {
  return gate;
}
