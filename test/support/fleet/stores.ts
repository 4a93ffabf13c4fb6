/** A real store for tests: a Redis of its own, on 127.0.0.1, with data in a folder that goes with the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { PATIENCE_MS } from '../patience.ts';

export interface Store {
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
  /** Files of a certificate: TLS is on, and nothing else. */
  tls?: { cert: string; key: string; ca: string };
  /** More arguments of the server. */
  args?: string[];
}

const HOST = '127.0.0.1';

export async function openStore({ tls, args = [] }: StoreOptions = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'untildone-redis-'));
  const port = await freePort();
  const program = programOf(['redis-server', 'valkey-server']);
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
  const server = new Server(program, ['--bind', HOST, ...listen, ...kept, ...args]);
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

class Server {
  #process: ChildProcess | undefined;
  readonly #program: string;
  readonly #args: string[];

  constructor(program: string, args: string[]) {
    this.#program = program;
    this.#args = args;
    // A test process that ends early takes its servers with it.
    process.once('exit', () => this.#process?.kill('SIGKILL'));
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(answers: () => Promise<boolean>): Promise<void> {
    if (this.#process !== undefined) return;
    const [program = '', ...args] = [...diesWithUs(), this.#program, ...this.#args];
    const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
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

  hang(on: boolean): void {
    const signal = on ? 'SIGSTOP' : 'SIGCONT';
    this.#process?.kill(signal);
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const server = this.#process;
    if (server === undefined) return;
    const over = server.exitCode !== null || server.signalCode !== null;
    const gone = over ? undefined : new Promise((resolve) => server.once('exit', resolve));
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

function programOf(names: string[]): string {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  const found = names
    .flatMap((name) => places.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(`${names.join(' or ')} is not installed: apt-get install redis-server`);
  return found;
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
