/** Shows runs as BullMQ and our records have them. */
import type { Job, JobType } from 'bullmq';
import type { JobState, JobView, RunResult } from '../../engine/ports/fleet.ts';
import { ENDED_LANE, type Lane, type LaneData, type Lanes } from './lanes.ts';
import { fleetJob } from './readable.ts';
import type { RunRecord } from './records/runs.ts';
import type { Store } from './store.ts';

export type BullJob = Job<LaneData, unknown, string>;

/** BullMQ's names for a state, in the order in which their runs come next. */
const TYPES: Record<JobState, JobType[]> = {
  waiting: ['wait', 'prioritized'],
  delayed: ['delayed'],
  active: ['active'],
  ended: ['completed'],
  dead: ['failed'],
};
const ALL = Object.keys(TYPES) as JobState[];

export class Views {
  readonly #store: Store;
  readonly #lanes: Lanes;

  constructor(store: Store, lanes: Lanes) {
    this.#store = store;
    this.#lanes = lanes;
  }

  /** The lane of a run. One whose record is lost is looked for. */
  async find(
    run: string,
  ): Promise<{ lane: Lane; job: BullJob; state: JobState; record: RunRecord | undefined } | undefined> {
    const [record] = await this.#store.records.runs([run]);
    const names = record === undefined ? await this.#all() : [record.lane];
    for (const name of names) {
      const lane = this.#lanes.get(name);
      const job = (await lane.queue.getJob(run)) as BullJob | undefined;
      const state = job && (await this.state(lane, run));
      if (job && state) return { lane, job, state, record };
    }
    return undefined;
  }

  async state(lane: Lane, run: string): Promise<JobState | undefined> {
    const state = await lane.backend.getState(run);
    return ALL.find((known) => state === known || TYPES[known].some((type) => type === state));
  }

  async job(run: string): Promise<JobView | undefined> {
    const found = await this.find(run);
    return found && viewOf(found.job, found.state, found.record);
  }

  /** State by state as they are given, and lane by lane: only what is on the page is read. */
  async jobs(states: readonly JobState[], from: number, most: number): Promise<JobView[]> {
    const lanes = (await this.#all()).map((name) => this.#lanes.get(name));
    const found: { job: BullJob; state: JobState; lane: string }[] = [];
    const places = [...new Set(states)].flatMap((state) =>
      TYPES[state].flatMap((type) => lanes.map((lane) => ({ state, type, lane }))),
    );
    let skip = from;
    for (const { state, type, lane } of places) {
      const left = most - found.length;
      if (left <= 0) break;
      if (lane.name === ENDED_LANE && state !== 'ended') continue;
      const count = await lane.queue.getJobCountByTypes(type);
      if (skip < count) {
        const soonestFirst = state !== 'ended' && state !== 'dead';
        const page = await lane.queue.getJobs([type], skip, skip + left - 1, soonestFirst);
        for (const job of page) if (job) found.push({ job: job as BullJob, state, lane: lane.name });
      }
      skip = Math.max(0, skip - count);
    }
    const records = await this.#store.records.runs(found.map(({ job }) => job.id ?? ''));
    // Somebody died while he moved a run from one lane to another: only the one that counts is shown.
    return found.flatMap(({ job, state, lane }, place) =>
      (records[place]?.lane ?? lane) === lane ? [viewOf(job, state, records[place])] : [],
    );
  }

  async counts(): Promise<Record<JobState, number>> {
    const counts: Record<JobState, number> = { waiting: 0, delayed: 0, active: 0, ended: 0, dead: 0 };
    for (const name of await this.#all()) {
      const byType = await this.#lanes.get(name).queue.getJobCounts(...ALL.flatMap((state) => TYPES[state]));
      for (const state of name === ENDED_LANE ? (['ended'] as const) : ALL) {
        for (const type of TYPES[state]) counts[state] += byType[type] ?? 0;
      }
    }
    return counts;
  }

  async #all(): Promise<string[]> {
    return [...Object.keys((await this.#store.records.lanes()).lanes).sort(), ENDED_LANE];
  }
}

/** How often the worker of a run was lost since it was submitted or retried. */
export function stallsOf({ stallsBefore = 0 }: Pick<LaneData, 'stallsBefore'>, counted = 0): number {
  return Math.max(0, counted - stallsBefore);
}

function viewOf(job: BullJob, state: JobState, record: RunRecord | undefined): JobView {
  const why = state === 'dead' ? (job.failedReason ?? record?.why) : record?.why;
  const held = state === 'active' || state === 'ended' || state === 'dead';
  return {
    ...fleetJob(job.data, job.id ?? ''),
    state,
    takes: job.attemptsStarted ?? 0,
    stalls: stallsOf(job.data, job.stalledCounter),
    failures: record?.failures ?? 0,
    ...(record?.news === undefined ? {} : { news: record.news }),
    ...(state === 'ended' && job.returnvalue ? { result: job.returnvalue as RunResult } : {}),
    ...(why === undefined || state === 'ended' ? {} : { why }),
    ...(state === 'delayed' ? { notBefore: record?.notBefore ?? job.timestamp + (job.delay ?? 0) } : {}),
    ...(job.processedOn === undefined || job.data.from !== undefined ? {} : { takenAt: job.processedOn }),
    ...(held && job.processedBy ? { worker: job.processedBy } : {}),
    ...(job.finishedOn === undefined || !held ? {} : { endedAt: job.finishedOn }),
  };
}
