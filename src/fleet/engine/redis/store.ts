import type { Redis, RedisOptions } from 'ioredis';
import type { Address } from '../address.ts';
import { faultOf } from '../away.ts';
import { loadBull, loadIoRedis } from '../load.ts';
import { BACKEND_OPTIONS, LOCK_MS, LOOK_MS, pause, type Store } from '../store.ts';
import { redisRecords } from './records.ts';
import { REGAIN } from './scripts.ts';

const ANSWER_MS = 5_000;
const CONNECT_MS = 4_000;
/** How long a first connection that is refused is tried again: a store that is just starting is there by then. */
const NOBODY_MS = 1_500;
const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND']);
/** How long a call waits for a connection that is being made anew. */
const AWAKE_MS = 3_000;

export async function openRedis(address: Address): Promise<Store> {
  const bull = loadBull();
  const { Redis: Client } = loadIoRedis();
  const client = new Client(optionsOf(address));
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
    const options = { connection: client, prefix: address.space, ...BACKEND_OPTIONS };
    const backend = bull.createRedisBackend('runs', options);
    backend.on('error', () => undefined);
    await backend.waitUntilReady();
    return {
      bull,
      backend,
      records: redisRecords(client, address.space),
      awake: () => ready(client, AWAKE_MS),
      async waitForWork(lanes, ms, signal) {
        blocking ??= blockingTwin(client);
        const keys = lanes.map((lane) => `${address.space}:${lane}:marker`);
        const listens = blocking.status === 'ready' && keys.length > 0;
        await pause(ms, signal, listens ? marker(blocking, keys, ms) : undefined);
      },
      async regain(lane, run, token) {
        const at = `${address.space}:${lane}`;
        const keys = [`${at}:${run}:lock`, `${at}:active`, `${at}:stalled`];
        return (
          (await client.eval(
            REGAIN,
            keys.length,
            ...keys,
            `${address.space}:fleet:`,
            run,
            token,
            LOCK_MS,
          )) === 1
        );
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
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
