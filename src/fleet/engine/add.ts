import type { JobsOptions } from 'bullmq';
import { DAY_MS, ENDED_COUNT, ENDED_DAYS } from './records.ts';

/** BullMQ's largest. */
const LAST_PRIORITY = 2_097_152;

/** BullMQ never retries by itself: what happens to a run is said by its worker. */
export function jobOptions(run: string, priority: number, delay = 0): JobsOptions {
  return {
    jobId: run,
    priority: Math.min(Math.max(Math.round(priority), 0), LAST_PRIORITY),
    delay,
    attempts: 1,
    stackTraceLimit: 0,
    removeOnComplete: { age: (ENDED_DAYS * DAY_MS) / 1000, count: ENDED_COUNT },
    removeOnFail: false,
  };
}
