/** Calls of the engine that know of its store being away: told once when it goes, and once when it is back. */
import { setTimeout as wait } from 'node:timers/promises';
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import type { Say } from './events.ts';

const AGAIN_MS = 1_000;

export class StoreLink {
  readonly #say: Say;
  #awaySince: number | undefined;
  #everReached = false;

  constructor(say: Say) {
    this.#say = say;
  }

  get awaySince(): number | undefined {
    return this.#awaySince;
  }

  /** Calls the engine. A call that does not come back in time counts as one whose store is away. */
  async call<T>(work: () => Promise<T>, limitMs?: number): Promise<T> {
    try {
      const result = await (limitMs === undefined ? work() : within(limitMs, work()));
      this.#back();
      return result;
    } catch (error) {
      if (error instanceof EngineAway) this.#away(error);
      // Any other answer is one of the store.
      else this.#back();
      throw error;
    }
  }

  /** Calls the engine again and again until its store answers. Undefined when `given up` says so. */
  async until<T>(work: () => Promise<T>, givenUp: () => boolean): Promise<T | undefined> {
    while (!givenUp()) {
      try {
        return await this.call(work);
      } catch (error) {
        if (!(error instanceof EngineAway)) throw error;
        await wait(AGAIN_MS);
      }
    }
    return undefined;
  }

  #away(error: EngineAway): void {
    if (this.#awaySince !== undefined) return;
    this.#awaySince = Date.now();
    const meanwhile = this.#everReached ? 'Runs under way go on. ' : '';
    const text = `${error.message}. ${meanwhile}Trying again`;
    this.#say({ type: 'store', reachable: false, text });
  }

  #back(): void {
    const was = this.#awaySince;
    this.#awaySince = undefined;
    this.#everReached = true;
    if (was === undefined) return;
    const seconds = Math.round((Date.now() - was) / 1000);
    this.#say({ type: 'store', reachable: true, text: `the store is there again, after ${seconds} s` });
  }
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new EngineAway(`no answer for ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // The late one may still fail: nobody waits for it any more.
    work.catch(() => {});
  }
}
