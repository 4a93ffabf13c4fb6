/** What a worker and the process that drives one run say to each other, as JSON over the channel of `fork`. */
import type { ProgressReport, RunCommand, RunResult } from '../../engine/ports/fleet.ts';
import type { SpentIteration } from './record.ts';

/** The first message to the process: everything that it needs. */
export interface DriveOrder {
  type: 'order';
  worker: string;
  /** The sealed spec, and the key of this run alone: the secret of the fleet stays with the worker. */
  spec: string;
  run: string;
  key: string;
  /** The folder of this run: its home, its checkout. Of this worker alone; what is left there of an earlier take may be used. */
  folder: string;
  /** The folder with the caches of repositories. */
  caches: string;
  /** The last commit of each run that this one comes after, as its worker has sealed it. Absent: where their refs are. */
  before?: { run: string; commit: string }[];
  /** Variables of this machine that its worker gives to every run, by name. */
  env?: readonly string[];
  /** The process stops when it has heard nothing for so long. */
  silenceMs: number;
  /** A run that only waits for longer than this leaves its place to others. A minute without it. */
  waitMs?: number;
}

export type ToDriver =
  | DriveOrder
  /** The worker is there and holds the lock, or cannot tell because the store is away. */
  | { type: 'alive' }
  | { type: 'command'; command: RunCommand }
  /** drain: after this iteration. lost: at once, and nothing more is published. */
  | { type: 'stop'; why: 'drain' | 'lost' }
  /**
   * The answer to `may`: undefined lets the iteration begin; `until` is when to try again. `leftUsd`: what the budgets of
   * the fleet leave for a session that begins now.
   */
  | { type: 'may'; id: number; refused?: { why: string; untilMs: number }; leftUsd?: number };

/**
 * What each published iteration has cost, and when it ended: all of them each time. A worker may have been killed after it
 * published and before it told the engine, so the next one tells it once more.
 */
export type Spent = readonly SpentIteration[];

export type FromDriver =
  /** The run is this worker's on the remote, too. */
  | {
      type: 'claimed';
      takesSinceIteration: number;
      spent?: Spent;
    }
  /** Asks before an iteration begins. `costUsd`: what the run has spent in all. */
  | { type: 'may'; id: number; model: string; costUsd: number; iteration: number }
  /** `from`: the place of the first line in the journal. After a take-over it is 0 once more: what was told is replaced. */
  | { type: 'news'; news: Omit<ProgressReport, 'worker'>; lines: string[]; from?: number }
  /** An iteration was judged and published; each number comes once. `costUsd`: what the run has spent in all. */
  | { type: 'published'; iteration: number; commit: string; costUsd?: number; spent?: Spent }
  /** A command was not carried out, and will not be. */
  | { type: 'refused'; id: string; why: string }
  /** A command was carried out and published. One that was not is asked again of who takes the run next. */
  | { type: 'applied'; id: string }
  | { type: 'note'; text: string }
  | { type: 'over'; outcome: DriveOutcome };

/** How the process leaves its run. */
export type DriveOutcome =
  | { kind: 'ended'; result: RunResult; spent?: Spent }
  /** Published as paused. `untilMs`: when to go on; absent: when a person says so. */
  | { kind: 'rests'; why: string; untilMs?: number }
  /** Published, to be taken again at once: the worker drains. */
  | { kind: 'handed_back' }
  | { kind: 'fenced'; why: string }
  /** Trying again may help. */
  | { kind: 'failed'; why: string }
  /** Trying again cannot help: a bad contract, a seal that does not fit. */
  | { kind: 'hopeless'; why: string };
