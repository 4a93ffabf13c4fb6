/**
 * What the engine keeps beside BullMQ's queues: slots, commands, workers, limits, money, told journal lines. Each call is
 * atomic in the store, and times are those of the store's clock.
 */
import type { FleetLimits, Slot } from '../../core/fleet/limits.ts';
import type { RunCommand, RunNews, Spent, WorkerView } from '../../ports/fleet.ts';

/** A worker that has not been heard of for so long is gone. */
export const PRESENCE_MS = 15_000;
/** A slot of a worker that has not been heard of for so long is free. Longer than a short outage of the store. */
export const SLOT_MS = 20_000;
/** Told journal lines that are kept of a run. */
export const LINES_KEPT = 5_000;
export const DAY_MS = 86_400_000;
/** Ended runs are kept for so long; their told lines, which git has, too, for less. */
export const ENDED_DAYS = 14;
export const ENDED_COUNT = 20_000;
export const ENDED_LINES_DAYS = 2;
export const DEAD_LINES_DAYS = 14;

export interface RunRecord {
  lane: string;
  failures: number;
  why?: string;
  news?: RunNews;
  /** Of a run that was delayed. */
  notBefore?: number;
  /** The token of the holder that is about to end the run or to put it back. */
  settled?: string;
}

export interface PutBack {
  token: string;
  why: string | undefined;
  /** More failures in a row; none any more; or as many as before. */
  failures: 'more' | 'none' | 'same';
  notBefore: number;
  waitsFor: string | undefined;
}

export interface Beaten {
  /** By run, in the order of asking, whatever lies there. */
  commands: Record<string, { id: string; command: unknown }[]>;
  drain: boolean;
  paused: boolean;
  orders: Record<string, string>;
}

/** Shelves of a day go after so many days. */
export const SPENT_DAYS = 62;

export interface Records {
  lanes(): Promise<{ lanes: Record<string, string[]>; paused: boolean }>;
  /** Notes where a run is, unless that is known. `fresh`: it was not. */
  claimRun(
    run: string,
    lane: string,
    labels: readonly string[],
    notBefore: number,
  ): Promise<{ lane: string; fresh: boolean }>;
  setLane(run: string, lane: string): Promise<void>;
  runs(runs: readonly string[]): Promise<(RunRecord | undefined)[]>;
  /** A worker holds the run now. Returns how often it failed in a row. */
  taken(run: string, lane: string, token: string): Promise<number>;
  putBack(run: string, back: PutBack): Promise<void>;
  /** Notes that the holder is about to end the run. */
  settle(run: string, token: string, why: string | undefined): Promise<void>;
  /** The run has ended, or is dead: what is kept of it goes after a while, and nothing is asked of it. */
  ended(run: string, dead: boolean): Promise<void>;
  /** The run begins anew. */
  revive(run: string): Promise<void>;
  forget(run: string): Promise<void>;
  claimSlots(run: string, by: string, slots: readonly Slot[]): Promise<string | undefined>;
  /** Returns runs that waited, one for each slot. They wait no longer. */
  releaseSlots(run: string, by: string): Promise<string[]>;
  /** Runs that wait for a slot which has a place, as many as there are places. They wait no longer. `of`: only this slot. */
  wakeable(of?: string): Promise<string[]>;
  /** All that wait for any slot. They wait no longer. */
  wakeAll(): Promise<string[]>;
  command(run: string, command: RunCommand): Promise<void>;
  acknowledge(run: string, commands: readonly string[]): Promise<void>;
  /** Commands that nobody has acknowledged. */
  pending(run: string): Promise<string[]>;
  beat(worker: WorkerView, by: string, runs: readonly string[]): Promise<Beaten>;
  tell(run: string, news: RunNews, lines: readonly string[], from: number | undefined): Promise<void>;
  lines(run: string, from: number, most: number): Promise<string[]>;
  workers(): Promise<WorkerView[]>;
  drain(worker: string, on: boolean): Promise<void>;
  pause(on: boolean): Promise<void>;
  limits(): Promise<FleetLimits>;
  setLimits(limits: FleetLimits): Promise<void>;
  spend(day: string, repo: string, usd: number, of: string): Promise<void>;
  spent(day: string): Promise<Spent>;
  countIteration(model: string, mostPerMinute: number): Promise<number>;
  keep(shelf: string, name: string, text: string): Promise<void>;
  kept(shelf: string): Promise<Record<string, string>>;
  /** Removes what is no longer needed. Called now and then by workers. */
  prune(): Promise<void>;
}
