/**
 * Ends a run that no worker holds. BullMQ only ends what is held, so the run goes through a lane of its own: put there with
 * its result, taken away from where it waited, and ended. Whoever dies in between leaves it in that lane, and any worker
 * completes what was begun: the run is never gone.
 */
import { randomUUID } from 'node:crypto';
import type { RunResult } from '../../engine/ports/fleet.ts';
import { ENDED_LANE, jobOptions, type Lane, type LaneData, type Lanes, withReadableData } from './lanes.ts';
import type { Store } from './store.ts';
import type { BullJob } from './views.ts';

export class Endings {
  readonly #store: Store;
  readonly #lanes: Lanes;

  constructor(store: Store, lanes: Lanes) {
    this.#store = store;
    this.#lanes = lanes;
  }

  /** False when a worker has taken the run. */
  async end(run: string, from: Lane, data: LaneData, result: RunResult): Promise<boolean> {
    const lane = this.#lanes.get(ENDED_LANE);
    await lane.queue.add('run', { ...data, result, from: from.name }, { ...jobOptions(run, 0), priority: 0 });
    await this.completeAll();
    return (await lane.backend.getState(run)) === 'completed';
  }

  /** Completes what was begun, here or by a worker that died. */
  async completeAll(): Promise<void> {
    const lane = this.#lanes.get(ENDED_LANE);
    await lane.backend.moveStalledJobsToWait();
    for (;;) {
      const token = randomUUID();
      const [json, id] = await lane.backend.moveToActive(token);
      if (!json) return;
      const job = this.#store.bull.Job.fromJSON(lane.queue, withReadableData(json), id) as unknown as BullJob;
      await this.#complete(job, token);
    }
  }

  async #complete(job: BullJob, token: string): Promise<void> {
    const run = job.id ?? '';
    const from = typeof job.data.from === 'string' && job.data.from !== '' ? job.data.from : ENDED_LANE;
    const { backend } = this.#lanes.get(from);
    // Nothing of ours lies here without the lane that it came from.
    const known = from === ENDED_LANE ? 'active' : await backend.getState(run);
    if (known !== 'unknown' && (known === 'active' || (await backend.remove(run, true)) === 0)) {
      // A worker has it: it is not for us to end.
      await job.moveToFailed(new this.#store.bull.UnrecoverableError('taken'), token, false);
      await job.remove();
      return;
    }
    await this.#store.records.setLane(run, ENDED_LANE);
    await job.moveToCompleted(job.data.result, token, false);
    await this.#store.records.ended(run, false);
  }
}
