import type { GateLine, RunLine } from '../run/view/line.ts';
import type { ContractInput } from './contract-input.ts';

export type Limit = number | 'unlimited';

/** What ends a run that is not done; these win over the limits of the contract. */
export interface RunLimits {
  iterations?: Limit;
  /** Working time, waiting excluded. */
  durationMs?: Limit;
  costUsd?: Limit;
  /** Cache reads are not counted. */
  tokens?: Limit;
  /** Share of the context window from which a session hands over to a fresh one. */
  context?: number;
}

export type PermissionMode = 'acceptEdits' | 'default' | 'dontAsk' | 'plan' | 'auto' | 'bypassPermissions';

/** Everything that is absent is said by the contract, or has the default of `untildone run`. */
export interface RunOptions {
  /** What is to be done; that of the contract when absent. */
  task?: string;
  /** The project's folder; found from the working folder when absent. */
  project?: string;
  /**
   * A file, relative to the project (`untildone.yaml` when absent): a person has to have approved what it runs. Or the
   * contract itself: your program names the commands, so they need nobody's approval.
   */
  contract?: string | ContractInput;
  /** Approves the contract of the file if this is its fingerprint (`untildone trust --show`). */
  trust?: string;
  /** A statement that ends the loop, beside the gates. */
  promise?: string;
  /** A feature list that has to pass, besides the contract. */
  features?: string;
  limits?: RunLimits;
  mode?: 'hybrid' | 'session' | 'fresh';
  /** Hand over after so many iterations. */
  freshEvery?: number;
  model?: string;
  permissionMode?: PermissionMode;
  /** Permission rules beside those of the contract, such as `Bash(npm test:*)`. */
  allow?: readonly string[];
  /** Of one session. */
  maxTurns?: number;
  /** A run that rests, by its id, instead of a new one: it goes on with its own task and contract. */
  resume?: string;
  /** Ends the session at once; the run rests and can go on. */
  signal?: AbortSignal;
  /** What it throws ends the run as `signal` does, and is what `run` rejects with. */
  onEvent?: (event: RunEvent) => void;
  /** Instead of the environment of this process: PATH, HOME, login. */
  env?: Record<string, string | undefined>;
}

/** A line of docs/reference/run-events.md. */
export type RunEvent = { at: string } & RunLine;

export type RunStatus =
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
  /** Only `verified_done` was measured; `claimed_done` rests on somebody's word. */
  status: RunStatus;
  /** The run's id. */
  loop: string;
  iteration: number;
  /** How many client sessions there were. */
  sessions: number;
  costUsd: number;
  tokens: number;
  /** As they were judged last. */
  gates: GateLine[];
  /** How it ended, or why it rests. */
  why: string;
  /** What a done run rests on: the file that `untildone receipt verify` checks, and the same as Markdown. */
  receipt?: { file: string; text: string };
}
