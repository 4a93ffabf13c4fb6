/** Real stores for tests: a Redis and a PostgreSQL of their own, on 127.0.0.1, with data in a folder that goes with the test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { PATIENCE_MS } from '../patience.ts';

export type StoreKind = 'redis' | 'postgres';

export interface Store {
  kind: StoreKind;
  /** The URL of the queue. */
  url: string;
  port: number;
  /** The process of the server, while it runs. */
  pid(): number | undefined;
  /** Ends the server as an outage does; what it has kept so far is there again after `start`, on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Lets the server answer nothing, or answer again. */
  hang(on: boolean): void;
  /** Everything in it is gone. The server runs on. */
  wipe(): Promise<void>;
  /** Ends the server and removes its data. */
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Files of a certificate: TLS is on, and for Redis nothing else. */
  tls?: { cert: string; key: string; ca: string };
  /** More arguments of the server. */
  args?: string[];
}

const HOST = '127.0.0.1';

export async function openStore(kind: StoreKind, options?: StoreOptions): Promise<Store> {
  return kind === 'redis' ? startRedis(options) : startPostgres(options);
}

export async function startRedis({ tls, args = [] }: StoreOptions = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-redis-'));
  const port = await freePort();
  const program = programOf(['redis-server', 'valkey-server'], []);
  const listen = tls
    ? [
        '--port',
        '0',
        '--tls-port',
        `${port}`,
        '--tls-cert-file',
        tls.cert,
        '--tls-key-file',
        tls.key,
        '--tls-ca-cert-file',
        tls.ca,
        '--tls-auth-clients',
        'no',
      ]
    : ['--port', `${port}`];
  // The file of appended commands keeps what was done over an outage, as in earnest.
  const kept = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'no', '--dir', folder];
  const server = new Server(program, ['--bind', HOST, ...listen, ...kept, ...args], {});
  const client = () =>
    new Redis({
      host: HOST,
      port,
      ...(tls ? { tls: { ca: readFileSync(tls.ca) } } : {}),
      lazyConnect: true,
      retryStrategy: () => null,
    });
  const ask = async <T>(what: (redis: Redis) => Promise<T>): Promise<T> => {
    const redis = client();
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await what(redis);
    } finally {
      redis.disconnect();
    }
  };
  const answers = async () => (await ask((redis) => redis.ping())) === 'PONG';
  await server.start(answers);
  return {
    kind: 'redis',
    url: `${tls ? 'rediss' : 'redis'}://${HOST}:${port}/0`,
    port,
    pid: () => server.pid,
    stop: () => server.stop('SIGTERM'),
    start: () => server.start(answers),
    hang: (on) => server.hang(on),
    wipe: async () => {
      await ask((redis) => redis.flushall());
    },
    close: async () => {
      await server.stop('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startPostgres({ tls, args = [] }: StoreOptions = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-postgres-'));
  const user = serverUser();
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  chmodSync(folder, 0o755);
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid ?? -1);
  execFileSync(
    programOf(['initdb'], postgresFolders()),
    ['-D', data, '-U', 'fleet', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    {
      ...user,
      cwd: '/',
      stdio: 'pipe',
    },
  );
  const port = await freePort();
  if (tls) copyKeys(tls, data, user);
  const settings = [
    ...[
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'max_connections=200',
      'shared_buffers=16MB',
    ],
    ...[`listen_addresses=${HOST}`, 'unix_socket_directories=', 'log_min_messages=fatal'],
    ...(tls ? ['ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key'] : []),
  ].flatMap((setting) => ['-c', setting]);
  const server = new Server(
    programOf(['postgres'], postgresFolders()),
    ['-D', data, '-p', `${port}`, ...settings, ...args],
    {
      ...user,
      cwd: '/',
    },
  );
  const ask = async (sql: string): Promise<void> => {
    const client = new pg.Client({
      host: HOST,
      port,
      user: 'fleet',
      database: 'postgres',
      connectionTimeoutMillis: 2_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(sql);
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const answers = async () => {
    await ask('SELECT 1');
    return true;
  };
  await server.start(answers);
  return {
    kind: 'postgres',
    url: `postgres://fleet@${HOST}:${port}/postgres`,
    port,
    pid: () => server.pid,
    // Fast shutdown: sessions are ended.
    stop: () => server.stop('SIGINT'),
    start: () => server.start(answers),
    hang: (on) => server.hang(on),
    wipe: () =>
      ask(`DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public$)' LOOP
          EXECUTE format('DROP SCHEMA %I CASCADE', name);
        END LOOP; END $$`),
    close: async () => {
      await server.stop('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

class Server {
  #process: ChildProcess | undefined;
  readonly #program: string;
  readonly #args: string[];
  readonly #options: { uid?: number; gid?: number; cwd?: string };

  constructor(program: string, args: string[], options: { uid?: number; gid?: number; cwd?: string }) {
    this.#program = program;
    this.#args = args;
    this.#options = options;
    // A test process that ends early takes its servers with it.
    process.once('exit', () => this.#process?.kill('SIGKILL'));
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(answers: () => Promise<boolean>): Promise<void> {
    if (this.#process !== undefined) return;
    const [program = '', ...args] = [...diesWithUs(), this.#program, ...this.#args];
    const server = spawn(program, args, { ...this.#options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = server;
    let said = '';
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (text) => (said = `${said}${text}`.slice(-4_000)));
    const until = Date.now() + PATIENCE_MS;
    while (!(await answers().catch(() => false))) {
      if (server.exitCode !== null || Date.now() > until)
        throw new Error(`${this.#program} did not start: ${said}`);
      await sleep(20);
    }
  }

  /** With its children: PostgreSQL has a process for each connection. */
  hang(on: boolean): void {
    const signal = on ? 'SIGSTOP' : 'SIGCONT';
    if (this.pid === undefined) return;
    for (const pid of [this.pid, ...childrenOf(this.pid)]) sendTo(pid, signal);
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const server = this.#process;
    if (server === undefined) return;
    const over = server.exitCode !== null || server.signalCode !== null;
    const gone = over ? undefined : new Promise((resolve) => server.once('exit', resolve));
    for (const pid of childrenOf(server.pid ?? 0)) sendTo(pid, 'SIGCONT');
    server.kill('SIGCONT');
    server.kill(signal);
    await gone;
    this.#process = undefined;
  }
}

/** A test process that is killed takes its servers with it, where Linux can say so. */
function diesWithUs(): string[] {
  const setpriv = '/usr/bin/setpriv';
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL'] : [];
}

/** Connections come and go meanwhile. */
function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

function childrenOf(pid: number): number[] {
  const parentOf = (entry: string): string | undefined => {
    try {
      return readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1];
    } catch {
      return undefined;
    }
  };
  const all = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return all.filter((entry) => parentOf(entry) === `${pid}`).map(Number);
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error('no user postgres: install the package postgresql');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Debian keeps the programs of the server away from PATH, a folder a version. The newest comes first. */
function postgresFolders(): string[] {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(root, version, 'bin'));
}

function programOf(names: string[], folders: string[]): string {
  const places = [...folders, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  const found = names
    .flatMap((name) => places.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(`${names.join(' or ')} is not installed: apt-get install redis-server postgresql`);
  return found;
}

function copyKeys(
  tls: { cert: string; key: string },
  data: string,
  user: { uid?: number; gid?: number },
): void {
  for (const [from, name] of [
    [tls.cert, 'server.crt'],
    [tls.key, 'server.key'],
  ] as const) {
    const to = join(data, name);
    writeFileSync(to, readFileSync(from), { mode: 0o600 });
    if (user.uid !== undefined) chownSync(to, user.uid, user.gid ?? -1);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, HOST, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
