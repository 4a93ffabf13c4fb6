/** What every worker does for the whole fleet now and then; it does not matter who, and twice does no harm. */
import type { Endings } from './endings.ts';
import { type Lanes, SCHEDULES_LANE } from './lanes.ts';
import { CHECK_MS, type Store } from './store.ts';

const PRUNE_EVERY = 100;

export class Sweeper {
  readonly #store: Store;
  readonly #lanes: Lanes;
  readonly #endings: Endings;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #round = 0;
  /** The store answered a whole round ago, so whoever holds runs has renewed his locks since. */
  #steady = true;

  constructor(store: Store, lanes: Lanes, endings: Endings) {
    this.#store = store;
    this.#lanes = lanes;
    this.#endings = endings;
  }

  start(): void {
    if (this.#timer === undefined && !this.#stopped) this.#next();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #next(): void {
    this.#timer = setTimeout(async () => {
      try {
        await this.#sweep();
      } catch {
        // The store is away. Locks that lapse meanwhile are their holders' first when it is back.
        this.#steady = false;
      }
      if (!this.#stopped) this.#next();
    }, CHECK_MS + 50);
    this.#timer.unref();
  }

  async #sweep(): Promise<void> {
    await this.#store.awake();
    const { lanes } = await this.#store.records.lanes();
    const wasSteady = this.#steady;
    this.#steady = true;
    if (!wasSteady) return;
    for (const name of [...Object.keys(lanes), SCHEDULES_LANE])
      await this.#lanes.get(name).backend.moveStalledJobsToWait();
    await this.#lanes.wake(await this.#store.records.wakeable());
    await this.#endings.completeAll();
    this.#round += 1;
    if (this.#round % PRUNE_EVERY === 1) await this.#store.records.prune();
  }
}
