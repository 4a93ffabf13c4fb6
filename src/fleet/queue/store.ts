/** A Redis or Valkey: BullMQ's operations on it, our records in it, and hearing of new work. */
import type { Redis, RedisOptions } from 'ioredis';
import type { Address } from './address.ts';
import { faultOf } from './away.ts';
import { loadBull, loadIoRedis } from './load.ts';
import { HEAD, type Shelf } from './records/lua.ts';
import { orderRecords } from './records/orders.ts';
import { runRecords } from './records/runs.ts';
import { slotRecords } from './records/slots.ts';
import { toldRecords } from './records/told.ts';

/** A run whose holder is not heard of for so long is given to another one, at the next check. Together less than 15 s. */
export const LOCK_MS = 9_500;
export const CHECK_MS = 4_500;

/** Lanes are looked at so often, whatever is heard: new ones are noticed, and no sign has to be trusted. */
export const LOOK_MS = 2_000;

export const BACKEND_OPTIONS = {
  lockDuration: LOCK_MS,
  stalledInterval: CHECK_MS,
  maxStalledCount: 1_000_000,
};

const ANSWER_MS = 5_000;
const CONNECT_MS = 4_000;
/** How long a first connection that is refused is tried again: a store that is just starting is there by then. */
const NOBODY_MS = 1_500;
const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND']);
/** How long a call waits for a connection that is being made anew. */
const AWAKE_MS = 3_000;

/**
 * The lock of a run lapsed while the store was away, and nobody has taken the run since: its holder has it again.
 * KEYS: lock, active, stalled. ARGV: run, token, ms.
 */
const REGAIN = `${HEAD}
if redis.call('HGET', P .. 'run:' .. ARGV[2], 'holder') ~= ARGV[3] then return 0 end
if redis.call('EXISTS', KEYS[1]) == 1 or not redis.call('LPOS', KEYS[2], ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
redis.call('SREM', KEYS[3], ARGV[2])
return 1
`;

export type Store = Awaited<ReturnType<typeof openStore>>;

export async function openStore(address: Address) {
  const bull = loadBull();
  const { Redis: Client } = loadIoRedis();
  const client = new Client(optionsOf(address));
  const { space } = address;
  const p = `${space}:fleet:`;
  // Without a listener, an error would end the process. Every call reports its own.
  client.on('error', () => undefined);
  // BullMQ and calls that wait for a connection listen, too.
  client.setMaxListeners(1_000);
  let blocking: Redis | undefined;
  const close = async () => {
    blocking?.disconnect();
    client.disconnect();
  };
  try {
    await ready(client, CONNECT_MS + 1_000, NOBODY_MS);
    const options = { connection: client, prefix: space, ...BACKEND_OPTIONS };
    const backend = bull.createRedisBackend('runs', options);
    backend.on('error', () => undefined);
    await backend.waitUntilReady();
    return {
      place: address.place,
      bull,
      /** Its siblings (`forQueue`) share its connections. */
      backend,
      records: recordsIn(client, p),
      /** Waits a moment for a connection that is being made anew; throws when it does not come. */
      awake: () => ready(client, AWAKE_MS),
      /** Returns when one of these lanes may have work, or later than that. Never throws. */
      async waitForWork(lanes: readonly string[], ms: number, signal: AbortSignal | undefined) {
        blocking ??= blockingTwin(client);
        const keys = lanes.map((lane) => `${space}:${lane}:marker`);
        const listens = blocking.status === 'ready' && keys.length > 0;
        await pause(ms, signal, listens ? marker(blocking, keys, ms) : undefined);
      },
      /** The holder gets back a lock that lapsed while the store was away, if nobody has taken the run since. */
      async regain(lane: string, run: string, token: string): Promise<boolean> {
        const at = `${space}:${lane}`;
        const keys = [`${at}:${run}:lock`, `${at}:active`, `${at}:stalled`];
        return (await client.eval(REGAIN, keys.length, ...keys, p, run, token, LOCK_MS)) === 1;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function recordsIn(client: Redis, p: string) {
  const shelf: Shelf = { client, p, run: (script, ...args) => client.eval(script, 0, p, ...args) };
  return { ...runRecords(shelf), ...slotRecords(shelf), ...toldRecords(shelf), ...orderRecords(shelf) };
}

function optionsOf({ host, port, user, password, database, tls }: Address): RedisOptions {
  return {
    host,
    port,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    db: Number(database),
    ...(tls === undefined
      ? {}
      : {
          tls: {
            ca: tls.ca,
            cert: tls.cert,
            key: tls.key,
            rejectUnauthorized: true,
            servername: nameOf(host),
          },
        }),
    connectTimeout: CONNECT_MS,
    commandTimeout: ANSWER_MS,
    // A connection that leads nowhere is made anew.
    socketTimeout: ANSWER_MS,
    keepAlive: 10_000,
    // What is asked while the store is away fails at once. Sent later, it would take runs that nobody works on.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(100 * 2 ** Math.min(times, 10), 1_000),
  };
}

/** TLS takes names of hosts only. */
function nameOf(host: string): string | undefined {
  return /^[\d.]+$|:/.test(host) ? undefined : host;
}

/**
 * Resolves when the connection stands. Rejects with what went wrong: at once when waiting does not help, and after `nobodyMs`
 * when nobody listens there.
 */
function ready(client: Redis, ms: number, nobodyMs = ms): Promise<void> {
  if (client.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const isNobodyThere = (error: unknown) =>
      error instanceof Error &&
      'code' in error &&
      NOBODY_THERE.has(String(error.code)) &&
      performance.now() - began >= nobodyMs;
    let last: unknown = new Error('the connection was lost, and no new one came about');
    const over = (settle: () => void) => {
      clearTimeout(timer);
      client.off('ready', arrived).off('error', failed);
      settle();
    };
    const arrived = () => over(resolve);
    const failed = (error: unknown) => {
      last = error;
      if (faultOf(error) === 'refused' || isNobodyThere(error)) over(() => reject(error));
    };
    const timer = setTimeout(() => over(() => reject(last)), ms);
    client.on('ready', arrived).on('error', failed);
  });
}

function blockingTwin(client: Redis): Redis {
  const twin = client.duplicate({ commandTimeout: undefined, socketTimeout: LOOK_MS + ANSWER_MS });
  twin.on('error', () => undefined);
  return twin;
}

const underWay = new WeakMap<Redis, Promise<unknown>>();

/** Waits for BullMQ's sign of new work in any of these lanes. It is only a hint: lanes are looked at every 2 s anyway. */
function marker(client: Redis, keys: string[], ms: number): Promise<unknown> {
  const before = underWay.get(client);
  if (before !== undefined) return before;
  const heard = client
    .bzpopmin(keys, Math.max(ms / 1000, 0.01))
    // After a lost connection there is nothing to hear: the rest of the time is waited.
    .catch(() => pause(ms, undefined))
    .finally(() => underWay.delete(client));
  underWay.set(client, heard);
  return heard;
}

/** Waits, but not after the signal. */
export function pause(ms: number, signal: AbortSignal | undefined, until?: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    until?.then(done, done);
  });
}
