/**
 * What the store of a fleet has to do for each thing that workers ask of it: the CPU time of its server and the bytes that
 * it keeps. How many workers a store bears follows from these, however busy this machine is.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Engine, FleetJob, Taken, WorkerView } from '../../src/engine/ports/fleet.ts';
import { openEngine } from '../../src/fleet/queue/engine.ts';
import { openStore, type Store } from '../../test/support/fleet/stores.ts';
import { compareMedians, type Row } from '../report.ts';

/** As durable as in earnest: written out every second. */
const DURABLE = ['--appendfsync', 'everysec'];
const ENGINES = 4;
const JOBS = 600;
const BEATS = 1_200;
const LINES_A_TELL = 3;
const LINE = JSON.stringify({ at: 1_760_000_000_000, entry: randomBytes(480).toString('hex') });
/** Asked of the store at the same time. */
const AT_ONCE = 32;

interface Cost {
  /** Of the server, for one of them. */
  cpuMs: number;
  /** One after the other would take so long, had the machine nothing else to do. */
  wallMs: number;
  perSecond: number;
}

interface Found {
  add: Cost;
  take: Cost;
  beat: Cost;
  tell: Cost;
  complete: Cost;
  idle: Idle;
  /** What it keeps: of a run that waits, and of a line that was told, of 1 KB. */
  bytesOfRun: number;
  bytesOfLine: number;
}

/** A worker that waits for a run and beats. */
interface Idle {
  /** Of the server, in a second. */
  cpuMs: number;
  connections: number;
}

export async function measureStoreLimits(): Promise<Row[]> {
  const found = await measureStore();
  const rows = (['add', 'take', 'beat', 'tell', 'complete'] as const).map((what) => {
    const { cpuMs, wallMs } = found[what];
    return row(`the store: ${WORDS[what]}, CPU of its server`, cpuMs, wallMs, `its time, ${AT_ONCE} at once`);
  });
  tell(found);
  const kilobytes = (name: string, kept: number, sent: number): Row => ({
    ...row(`the store: ${name}`, kept / 1e3, sent / 1e3, 'what was sent'),
    unit: 'KB',
  });
  return [
    ...rows,
    row('the store: a second of a worker that waits, CPU of its server', found.idle.cpuMs, 1_000, 'a second'),
    kilobytes('a run that waits', found.bytesOfRun, JSON.stringify(job(0)).length),
    kilobytes('a told line of 1 KB', found.bytesOfLine, LINE.length),
  ];
}

const WORDS = {
  add: 'to submit a run',
  take: 'to take one',
  beat: 'a beat with 2 runs',
  tell: `to tell ${LINES_A_TELL} lines of 1 KB`,
  complete: 'to end a run',
};

function row(name: string, value: number, base: number, against: string): Row {
  return compareMedians([value], [base], { name, against });
}

/** Rates are for the page on operating a fleet; the table has ratios. */
function tell({ idle, bytesOfRun: _, bytesOfLine: __, ...costs }: Found): void {
  const rates = Object.entries(costs).map(
    ([what, { perSecond, cpuMs }]) =>
      `${what} ${Math.round(perSecond)}/s (${cpuMs.toFixed(3)} ms of its CPU each)`,
  );
  process.stderr.write(
    `  ${rates.join(', ')}; a worker that waits: ${idle.cpuMs.toFixed(3)} ms a second, ${idle.connections} connections\n`,
  );
}

async function measureStore(): Promise<Found> {
  const store = await openStore({ args: DURABLE });
  const engines: Engine[] = [];
  try {
    for (let n = 0; n < ENGINES; n++) engines.push(await openEngine(store.url, {}));
    await Promise.all(engines.map((engine) => engine.ready()));
    return await costsOf(store, engines);
  } finally {
    await Promise.all(engines.map((engine) => engine.close().catch(() => {})));
    await store.close();
  }
}

async function costsOf(store: Store, engines: readonly Engine[]): Promise<Found> {
  const of = (index: number): Engine => engines[index % engines.length] as Engine;
  const idle = await idleCost(store);
  const taken: Taken[] = [];
  const empty = await bytesIn(store);
  const add = await cost(store, JOBS, (n) => of(n).add(job(n)));
  const bytesOfRun = ((await bytesIn(store)) - empty) / JOBS;
  const take = await cost(store, JOBS, async (n) => {
    const one = await of(n).take([], worker(n).name, 2_000);
    if (one) taken.push(one);
  });
  const beat = await cost(store, BEATS, (n) => {
    const held = [taken[(2 * n) % taken.length], taken[(2 * n + 1) % taken.length]] as Taken[];
    return of(n).beat({ ...worker(n), runs: held.map(({ run }) => run) }, held);
  });
  const untold = await bytesIn(store);
  const lines = Array.from({ length: LINES_A_TELL }, () => LINE);
  const told = await cost(store, JOBS, (n) => of(n).tell(job(n).run, news(n), lines, 0));
  const bytesOfLine = ((await bytesIn(store)) - untold) / (JOBS * LINES_A_TELL);
  const complete = await cost(store, taken.length, (n) =>
    of(n).complete(taken[n] as Taken, {
      status: 'verified_done',
      cause: 'gates',
      iterations: 3,
      costUsd: 1,
      tokens: 1,
    }),
  );
  return { add, take, beat, tell: told, complete, idle, bytesOfRun, bytesOfLine };
}

const IDLE_WORKERS = 100;
const IDLE_MS = 10_000;
const BEAT_MS = 2_000;

/** Workers that do what one without a run does. */
async function idleCost(store: Store): Promise<Idle> {
  const alone = await spentWhile(store, () => sleep(IDLE_MS / 2));
  const before = await connectionsOf(store);
  const workers = await Promise.all(Array.from({ length: IDLE_WORKERS }, () => openEngine(store.url, {})));
  const ends = workers.map(() => new AbortController());
  let isOver = false;
  try {
    await Promise.all(workers.map((engine, n) => engine.beat(worker(n), [])));
    const waiting = workers.map(async (engine, n) => {
      while (!isOver) await engine.take([], worker(n).name, 5_000, ends[n]?.signal);
    });
    await sleep(1_000);
    const spent = await spentWhile(store, async () => {
      for (let ms = 0; ms < IDLE_MS; ms += BEAT_MS) {
        await Promise.all(workers.map((engine, n) => engine.beat(worker(n), [])));
        await sleep(BEAT_MS);
      }
    });
    const connections = ((await connectionsOf(store)) - before) / IDLE_WORKERS;
    isOver = true;
    for (const end of ends) end.abort();
    await Promise.all(waiting);
    return { cpuMs: (spent - alone) / IDLE_WORKERS, connections };
  } finally {
    await Promise.all(workers.map((engine) => engine.close().catch(() => {})));
  }
}

async function cost(store: Store, times: number, ask: (n: number) => Promise<unknown>): Promise<Cost> {
  const before = cpuMsOf(store);
  const start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < times) await ask(next++);
    }),
  );
  const ms = performance.now() - start;
  return { cpuMs: (cpuMsOf(store) - before) / times, wallMs: ms / times, perSecond: (1000 * times) / ms };
}

function job(n: number): FleetJob {
  return {
    run: `20260101-000000-${String(n).padStart(6, '0')}`,
    repo: `https://git.example.com/team/repo-${n % 20}`,
    labels: [],
    priority: 100,
    // A spec with a task of some paragraphs. Random, so that no store makes it smaller.
    spec: randomBytes(1_000).toString('hex'),
    submittedAt: 1_760_000_000_000,
    title: 'a run of the bench',
  };
}

function worker(n: number): WorkerView {
  return {
    name: `worker-${n % 600}`,
    host: 'host',
    pid: 1,
    version: '0.1.0',
    labels: [],
    concurrency: 2,
    runs: [],
    draining: false,
    startedAt: 1_760_000_000_000,
    at: Date.now(),
    diskFree: 1e11,
  };
}

function news(n: number) {
  return {
    worker: `worker-${n}`,
    status: 'active',
    iteration: n,
    costUsd: 1,
    tokens: 1_000,
    doing: 'the model works',
    at: Date.now(),
  };
}

/** The time that the server and its processes were on a processor. */
function cpuMsOf(store: Store): number {
  return processesBelow(store.pid()).reduce((sum, pid) => sum + runningMs(pid), 0);
}

/** Of its CPU time, in a second. */
async function spentWhile(store: Store, work: () => Promise<unknown>): Promise<number> {
  const [before, start] = [cpuMsOf(store), performance.now()];
  await work();
  return ((cpuMsOf(store) - before) * 1_000) / (performance.now() - start);
}

async function connectionsOf(store: Store): Promise<number> {
  return Number(/connected_clients:(\d+)/.exec(await info(store, 'clients'))?.[1]);
}

/** The memory that it uses. */
async function bytesIn(store: Store): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await info(store, 'memory'))?.[1]);
}

async function info(store: Store, part: string): Promise<string> {
  const redis = new Redis(store.url);
  try {
    return await redis.info(part);
  } finally {
    redis.disconnect();
  }
}

/** A process and its children. */
function processesBelow(pid: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => Number(name) === pid || parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function runningMs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, task) =>
        sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
      0,
    );
  } catch {
    return 0;
  }
}
