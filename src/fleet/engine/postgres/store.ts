import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type { PostgresConnection } from 'bullmq';
import type { Address, Tls } from '../address.ts';
import { loadBull } from '../load.ts';
import { BACKEND_OPTIONS, pause, type Store } from '../store.ts';
import { postgresRecords } from './records.ts';
import { type Database, prepareSchema, type Queryable } from './tables.ts';

const ANSWER_MS = 5_000;
const CONNECT_MS = 4_000;
/** Connections for questions; one more listens for new work in a worker. */
const POOL = 4;
const PREPARE_MS = 120_000;

export async function openPostgres(address: Address): Promise<Store> {
  const bull = loadBull();
  const config = configOf(address);
  await prepare();
  const connection = new bull.PostgresConnection({
    ...config,
    schema: address.space,
    max: POOL,
    query_timeout: ANSWER_MS,
  });
  connection.on('error', () => undefined);
  const ears = new Ears(connection);
  try {
    await connection.waitUntilReady();
    const options = { connection: connection.pool, ...BACKEND_OPTIONS };
    const backend = new bull.PostgresQueueBackend(connection, 'runs', options);
    backend.on('error', () => undefined);
    return {
      bull,
      backend,
      records: postgresRecords(databaseOf(connection)),
      awake: async () => undefined,
      waitForWork: (lanes, ms, signal) => ears.hear(lanes, ms, signal),
      // BullMQ renews a lapsed lock by itself as long as nobody has taken the run.
      regain: async () => false,
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }

  /** Tables may take longer than a question: on a connection of its own. */
  async function prepare(): Promise<void> {
    const first = new bull.PostgresConnection({
      ...config,
      schema: address.space,
      max: 1,
      query_timeout: PREPARE_MS,
    });
    first.on('error', () => undefined);
    try {
      const client = await first.pool.connect();
      try {
        await prepareSchema(bull, client as Queryable, address.space, ANSWER_MS);
      } finally {
        client.release(true);
      }
    } finally {
      await first.close().catch(() => undefined);
    }
  }
}

function configOf({ host, port, user, password, database, tls }: Address): Record<string, unknown> {
  return {
    host,
    port,
    // Never from the environment or a file of this machine: who the user is stands in the URL.
    user: user ?? 'postgres',
    password: password ?? '',
    database,
    ssl: tls === undefined ? false : tlsOptions(tls),
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'untildone',
    // A worker that is stopped in the middle of a change must not hold up the others.
    options: `-c idle_in_transaction_session_timeout=${ANSWER_MS} -c lock_timeout=${PREPARE_MS}`,
  };
}

function tlsOptions({ ca, cert, key, verify, checkHost }: Tls): TlsOptions {
  return {
    ca,
    cert,
    key,
    rejectUnauthorized: verify,
    ...(checkHost ? {} : { checkServerIdentity: () => undefined }),
  };
}

function databaseOf(connection: PostgresConnection): Database {
  return {
    query: (text, values) => connection.pool.query(text, values),
    async together(work) {
      const client = await connection.pool.connect();
      let broken = true;
      try {
        await client.query('BEGIN');
        const result = await work(client);
        await client.query('COMMIT');
        broken = false;
        return result;
      } finally {
        // A connection that is given up rolls back.
        client.release(broken);
      }
    },
  };
}

/** Listens to BullMQ's notifications of new work. They are only hints: lanes are looked at every 2 s anyway. */
class Ears {
  readonly #connection: PostgresConnection;
  readonly #waiting = new Set<{ lanes: readonly string[]; wake: () => void }>();
  #client: Awaited<ReturnType<PostgresConnection['getListenClient']>> | undefined;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    connection.on('listenerinvalidated', () => {
      this.#client = undefined;
    });
  }

  async hear(lanes: readonly string[], ms: number, signal: AbortSignal | undefined): Promise<void> {
    void this.#listen().catch(() => undefined);
    let entry: { lanes: readonly string[]; wake: () => void } | undefined;
    const heard = new Promise<void>((wake) => {
      entry = { lanes, wake };
      this.#waiting.add(entry);
    });
    await pause(ms, signal, heard);
    if (entry !== undefined) this.#waiting.delete(entry);
  }

  async #listen(): Promise<void> {
    const client = await this.#connection.getListenClient();
    if (client === this.#client) return;
    this.#client = client;
    client.on('notification', ({ payload }) => {
      for (const { lanes, wake } of this.#waiting)
        if (payload === undefined || lanes.includes(payload)) wake();
    });
    await client.query('LISTEN bullmq_jobs');
  }
}
