/** Opens the engine that a URL names. */
import { EngineAway } from '../../core/fleet/errors.ts';
import type { Engine } from '../../ports/fleet.ts';
import { type Address, readAddress } from './address.ts';
import { awayFrom, faultOf, refusedBy, unfitFor, within } from './away.ts';
import { BullEngine } from './engine.ts';
import { requirePackages } from './load.ts';
import { openRedis } from './redis/store.ts';
import type { Store } from './store.ts';

/** Most that a call may take. */
const CALL_MS = 8_000;
/** A heartbeat that comes later than that is too late. */
const BEAT_MS = 3_500;
/** Only a guard: connecting and each question in it end by themselves. */
const OPEN_MS = 30_000;

/** Reads the URL and loads the packages; connects with the first call. Throws UsageError for what waiting does not mend. */
export async function openEngine(url: string, env: NodeJS.ProcessEnv): Promise<Engine> {
  const address = readAddress(url, env);
  requirePackages();
  return guarded(address);
}

interface Opened {
  store: Store;
  engine: BullEngine;
}

/**
 * An engine whose every call ends in time: with its result, with `EngineAway`, or with a mistake. It opens the store with the
 * first call.
 */
function guarded(address: Address): Engine {
  const { place, password } = address;
  let opening: Promise<Opened> | undefined;
  let closed = false;
  /** Whoever was let in once may be again: then it is the store that has to be mended. */
  let letIn = false;

  const open = (): Promise<Opened> => {
    opening ??= openRedis(address)
      .then((store) => ({ store, engine: new BullEngine(place, store) }))
      .catch((error) => {
        opening = undefined;
        throw error;
      });
    return opening;
  };

  const call = async (name: keyof Engine, args: unknown[]): Promise<unknown> => {
    const began = Date.now();
    if (closed) throw new EngineAway(`the queue at ${place} was closed`);
    const { store, engine } = await within(OPEN_MS, `the queue at ${place}`, open());
    letIn = true;
    await store.awake();
    const method = engine[name] as (...given: unknown[]) => Promise<unknown>;
    // It waits for a run as long as it is told; its questions end in time.
    if (name === 'take') return method.apply(engine, args);
    const more = name === 'beat' ? [began + BEAT_MS] : [];
    return within(CALL_MS, `the queue at ${place}`, method.apply(engine, [...args, ...more]));
  };

  const answer = async (name: keyof Engine, args: unknown[]): Promise<unknown> => {
    try {
      return await call(name, args);
    } catch (error) {
      const fault = faultOf(error);
      if (error instanceof EngineAway) throw error;
      if (fault === 'unfit') throw unfitFor(place, error);
      if (fault === 'refused' && (name === 'ready' || !letIn)) throw refusedBy(place, error, password);
      throw fault === 'other' ? error : awayFrom(place, error, password);
    }
  };

  const close = async () => {
    closed = true;
    await opening?.then(({ engine }) => within(CALL_MS, 'close', engine.close())).catch(() => undefined);
  };

  return new Proxy({ place } as Engine, {
    get(_, name) {
      if (name === 'place') return place;
      if (name === 'close') return close;
      if (typeof name === 'symbol' || !(name in BullEngine.prototype)) return undefined;
      return (...args: unknown[]) => answer(name as keyof Engine, args);
    },
  });
}
