/** What the engine needs of a store: BullMQ's operations on it, our records in it, and to hear of new work. */
import type { IQueueBackend } from 'bullmq';
import type { Bull } from './load.ts';
import type { Records } from './records.ts';

/** A run whose holder is not heard of for so long is given to another one, at the next check. Together less than 15 s. */
export const LOCK_MS = 9_500;
export const CHECK_MS = 4_500;

/** Lanes are looked at so often, whatever is heard: new ones are noticed, and no sign has to be trusted. */
export const LOOK_MS = 2_000;

export const BACKEND_OPTIONS = {
  lockDuration: LOCK_MS,
  stalledInterval: CHECK_MS,
  maxStalledCount: 1_000_000,
};

export interface Store {
  bull: Bull;
  /** Its siblings (`forQueue`) share its connections. */
  backend: IQueueBackend;
  records: Records;
  /** Waits a moment for a connection that is being made anew; throws when it does not come. */
  awake(): Promise<void>;
  /** Returns when one of these lanes may have work, or later than that. Never throws. */
  waitForWork(lanes: readonly string[], ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** The holder gets back a lock that lapsed while the store was away, if nobody has taken the run since. */
  regain(lane: string, run: string, token: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Waits, but not after the signal. */
export function pause(ms: number, signal: AbortSignal | undefined, until?: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    until?.then(done, done);
  });
}
