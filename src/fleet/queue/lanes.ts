/** A lane is one BullMQ queue for each set of labels that runs need. */
import type { BackendFactory, IQueueBackend, JobJson, JobsOptions, Queue } from 'bullmq';
import { sha256 } from '../../engine/files/digest.ts';
import type { FleetJob } from '../../engine/ports/fleet.ts';
import { parsed } from './readable.ts';
import { DAY_MS } from './records/lua.ts';
import { ENDED_DAYS } from './records/runs.ts';
import type { Store } from './store.ts';

export interface Lane {
  name: string;
  queue: Queue<LaneData>;
  backend: IQueueBackend;
}

/**
 * `result` and `from`: of a run that ended without a worker (see endings.ts). `stallsBefore`: how often its worker was lost
 * before it was retried.
 */
export interface LaneData extends FleetJob {
  stallsBefore?: number;
  result?: unknown;
  from?: string;
}

/** Runs that ended without a worker. Nobody takes runs from here. */
export const ENDED_LANE = 'ended';
/** Times at which schedules are due. */
export const SCHEDULES_LANE = 'schedules';

export function laneOf(labels: readonly string[]): string {
  const sorted = [...new Set(labels)].sort();
  if (sorted.length === 0) return 'runs';
  const plain = sorted.join('+');
  return /^[\w+.-]{1,80}$/.test(plain) && sorted.every((label) => !label.includes('+'))
    ? `runs-${plain}`
    : `runs-${sha256(JSON.stringify(sorted)).slice(0, 24)}`;
}

export function serves(has: readonly string[], needs: readonly string[]): boolean {
  return needs.every((label) => has.includes(label));
}

/** So many ended runs of a lane are kept. */
const ENDED_COUNT = 20_000;
/** The last one of BullMQ. */
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

/** Nobody reads them. */
const FEW_EVENTS = { events: { maxLen: 100 } };

/** BullMQ throws where the data of a job is no JSON, and one such job would keep all from being listed. */
export function withReadableData<Json extends Pick<JobJson, 'data'> | undefined>(json: Json): Json {
  const data = parsed(json?.data);
  return json === undefined || (typeof data === 'object' && data !== null) ? json : { ...json, data: '{}' };
}

/** All lanes share the connections of the store. */
export class Lanes {
  readonly #store: Store;
  readonly #opened = new Map<string, Lane>();

  constructor(store: Store) {
    this.#store = store;
  }

  get(name: string): Lane {
    const opened = this.#opened.get(name);
    if (opened !== undefined) return opened;
    const { bull, backend: shared } = this.#store;
    const factory: BackendFactory = (of) => shared.forQueue(of);
    const queue = new bull.Queue(
      name,
      { connection: {}, streams: FEW_EVENTS },
      factory,
    ) as unknown as Lane['queue'];
    queue.on('error', () => undefined);
    const backend = queue.getBackend();
    const read = backend.getJobData.bind(backend);
    backend.getJobData = async (id) => withReadableData(await read(id));
    const lane = { name, queue, backend };
    this.#opened.set(name, lane);
    return lane;
  }
  /** Lets delayed runs be taken at once. Others are left as they are. */
  async wake(runs: readonly string[]): Promise<void> {
    const records = await this.#store.records.runs(runs);
    for (const [place, run] of runs.entries()) {
      const lane = records[place]?.lane;
      if (lane === undefined) continue;
      try {
        await this.get(lane).backend.promote(run);
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    }
  }
}

/** BullMQ did not do what was asked, by the state that the run is in. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}
