import { randomUUID } from 'node:crypto';
import type { JobJson } from 'bullmq';
import type { Taken } from '../../engine/ports/fleet.ts';
import { type LaneData, type Lanes, serves } from './lanes.ts';
import { fleetJob, parsed } from './readable.ts';
import { LOOK_MS, pause, type Store } from './store.ts';
import { stallsOf } from './views.ts';

export class Taker {
  readonly #store: Store;
  readonly #lanes: Lanes;
  /** Each look begins with another lane. */
  #turn = 0;

  constructor(store: Store, lanes: Lanes) {
    this.#store = store;
    this.#lanes = lanes;
  }

  async take(
    labels: readonly string[],
    worker: string,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Taken | undefined> {
    const deadline = Date.now() + waitMs;
    while (!signal?.aborted) {
      const { lanes, paused } = await this.#store.records.lanes();
      const mine = Object.keys(lanes).filter((lane) => serves(labels, lanes[lane] ?? []));
      const { taken, next } = paused
        ? { taken: undefined, next: Number.POSITIVE_INFINITY }
        : await this.#look(mine, worker);
      if (taken !== undefined) return taken;
      const left = deadline - Date.now();
      if (left <= 0) return undefined;
      const ms = Math.max(Math.min(left, LOOK_MS, next - Date.now()), 1);
      if (paused) await pause(ms, signal);
      else await this.#store.waitForWork(mine, ms, signal);
    }
    return undefined;
  }

  /** One look into each lane. `next`: when the first delayed run may be taken. */
  async #look(names: readonly string[], worker: string): Promise<{ taken: Taken | undefined; next: number }> {
    let next = Number.POSITIVE_INFINITY;
    this.#turn += 1;
    for (let place = 0; place < names.length; place += 1) {
      const name = names[(place + this.#turn) % names.length] ?? '';
      const token = randomUUID();
      const [json, run, , delayUntil] = await this.#lanes.get(name).backend.moveToActive(token, worker);
      if (json) return { taken: await this.#taken(json as JobJson, String(run), name, token), next };
      if (Number(delayUntil) > 0) next = Math.min(next, Number(delayUntil));
    }
    return { taken: undefined, next };
  }

  async #taken(json: JobJson, run: string, lane: string, token: string): Promise<Taken> {
    const failures = await this.#store.records.taken(run, lane, token);
    const data = parsed(json.data) as LaneData | undefined;
    const stalls = stallsOf(data ?? {}, json.stalledCounter);
    return { ...fleetJob(data, run), token, takes: json.attemptsStarted, stalls, failures };
  }
}
