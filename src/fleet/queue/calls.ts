/** Calls of the store, each of which ends in time: with its result, with `EngineAway`, or with a mistake. */
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import { awayFrom, faultOf, refusedBy, unfitFor, within } from './away.ts';
import type { Store } from './store.ts';

/** Most that a call may take. */
const CALL_MS = 8_000;
/** Only a guard: connecting and each question in it end by themselves. */
const OPEN_MS = 30_000;

interface HowToCall {
  /** It ends by itself, after a time that the caller has named. */
  waits?: boolean;
  /** A user that is refused is a mistake, also when the store has let him in before. */
  isFirst?: boolean;
}

/** Connects with the first call. `Parts`: what works on the store. */
export class Calls<Parts extends { store: Pick<Store, 'awake'> }> {
  readonly #at: { place: string; password?: string };
  readonly #open: () => Promise<Parts>;
  #opening: Promise<Parts> | undefined;
  #isClosed = false;
  /** Whoever was let in once may be again: then it is the store that has to be mended. */
  #isLetIn = false;

  constructor(at: { place: string; password?: string }, open: () => Promise<Parts>) {
    this.#at = at;
    this.#open = open;
  }

  async call<T>(work: (parts: Parts) => Promise<T>, how: HowToCall = {}): Promise<T> {
    const { place, password } = this.#at;
    try {
      return await this.#called(work, how);
    } catch (error) {
      const fault = faultOf(error);
      if (error instanceof EngineAway) throw error;
      if (fault === 'unfit') throw unfitFor(place, error);
      if (fault === 'refused' && (how.isFirst || !this.#isLetIn)) throw refusedBy(place, error, password);
      throw fault === 'other' ? error : awayFrom(place, error, password);
    }
  }

  async close(work: (parts: Parts) => Promise<void>): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.then((parts) => within(CALL_MS, 'close', work(parts))).catch(() => undefined);
  }

  async #called<T>(work: (parts: Parts) => Promise<T>, { waits }: HowToCall): Promise<T> {
    const { place } = this.#at;
    if (this.#isClosed) throw new EngineAway(`the queue at ${place} was closed`);
    const parts = await within(OPEN_MS, `the queue at ${place}`, this.#opened());
    this.#isLetIn = true;
    await parts.store.awake();
    return waits ? work(parts) : within(CALL_MS, `the queue at ${place}`, work(parts));
  }

  #opened(): Promise<Parts> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
}
