/** A lane is one BullMQ queue for each set of labels that runs need. */
import type { BackendFactory, IQueueBackend, JobJson, Queue } from 'bullmq';
import { sha256 } from '../../files/digest.ts';
import type { FleetJob } from '../../ports/fleet.ts';
import { parsed } from './readable.ts';
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
}
