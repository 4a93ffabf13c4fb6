/** `untildone worker`: works until it is drained. */
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import type { RunSpec } from '../../engine/core/fleet/spec.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import { isRunning } from '../../engine/files/process-id.ts';
import { userHome } from '../../engine/files/system.ts';
import { VERSION } from '../../engine/home/program.ts';
import type { Engine } from '../../engine/ports/fleet.ts';
import { missingVariables } from '../drive/environment.ts';
import type { Refusals } from '../seals/refusals.ts';
import { DiskWatch } from './disk.ts';
import type { StartDriver } from './driver-process.ts';
import { printer, type Say } from './events.ts';
import { Figures } from './figures.ts';
import { FleetMoney } from './fleet-money.ts';
import { WorkerFolders } from './folders.ts';
import { type HealthServer, serveHealth } from './health.ts';
import { Scheduler } from './scheduler.ts';
import type { AskRemote } from './standings.ts';
import { StoreLink } from './store-link.ts';
import { FleetWorker } from './worker.ts';

export interface WorkerFlags {
  queue?: string;
  concurrency: number;
  labels?: string[];
  workdir?: string;
  name?: string;
  healthPort?: number | 'off';
  healthHost: string;
  maxDisk: number;
  drainTimeout: number;
  once: boolean;
  repos?: string[];
  /** Variables that every run gets, by name. */
  env?: string[];
  /** Works where nothing can be confined, too. */
  withoutWalls?: boolean;
  json: boolean;
}

/** What the worker needs of the rest of the fleet. */
export interface WorkerParts {
  engine: Engine;
  secret: string;
  /** What the engine does not take from its store. */
  refusals?: Refusals;
  env: NodeJS.ProcessEnv;
  start: StartDriver;
  envFor(spec: RunSpec): NodeJS.ProcessEnv;
  /** Variables that the spec names and this machine does not have. */
  missing(spec: RunSpec): string[];
  askRemote(caches: string): AskRemote;
  /** `inUse`: repositories of runs under way. */
  sweepCaches(caches: string, mostBytes: number, inUse: ReadonlySet<string>): Promise<void>;
  /** Why this machine can confine nothing; absent where it can. */
  noWalls?: string;
  /** For tests. */
  beatMs?: number;
  submitDue(due: { id: string; at: number; template: string }, caches: string): Promise<void>;
}

/** How long a worker with `--once` waits for a store that cannot be reached. */
const PATIENCE_MS = 30_000;
const AGAIN_MS = 1_000;

/** Returns the exit code. */
export async function runWorker(flags: WorkerFlags, parts: WorkerParts): Promise<number> {
  const { engine, env } = parts;
  refuseWithoutWalls(flags, parts);
  const say = printer(flags.json, Date.now);
  const link = new StoreLink(say);
  const workdir = flags.workdir ? resolve(flags.workdir) : usualWorkdir(env);
  const folders = WorkerFolders.open(workdir, flags.name, hostname());
  let health: HealthServer | undefined;
  try {
    await reachStore(engine, link, flags.once);
    await refuseSameName(engine, folders.worker);
    const { worker, disk, figures } = assemble(flags, parts, { say, link, folders });
    const queue = queueCounts(engine);
    if (flags.healthPort !== 'off')
      health = await serveHealth(
        {
          alive: () => worker.unwell(),
          ready: () => notReady(worker, link, disk),
          metrics: async () =>
            figures.page({
              active: worker.runs.length,
              concurrency: flags.concurrency,
              storeAway: link.awaySince !== undefined,
              draining: worker.isDraining,
              diskFree: disk.free,
              queue: await queue(),
            }),
        },
        { host: flags.healthHost, port: flags.healthPort },
      );
    say(startedEvent(flags, engine, folders, health));
    if (parts.noWalls !== undefined) say({ type: 'note', run: null, text: WITHOUT_WALLS(parts.noWalls) });
    const swept = await folders.sweep();
    if (swept > 0) say({ type: 'note', run: null, text: `removed ${swept} folders that a worker had left` });
    // Who starts a worker wants it to work, also after it was drained.
    await link.until(
      () => engine.drain(folders.worker, false),
      () => false,
    );
    const { code, why } = await workUntilEnd(worker, flags);
    const { begun: taken, endedInAll: ended, returned: put_back, dead } = figures;
    say({ type: 'stopped', why, taken, ended, put_back, dead });
    return code;
  } finally {
    await health?.close();
    folders.release();
    await Promise.race([engine.close().catch(() => {}), wait(AGAIN_MS, undefined, { ref: false })]);
  }
}

const WITHOUT_WALLS = (why: string) =>
  `NO WALLS: ${why}. Sessions and gates of all runs here can read what this user can, the secret of the fleet and other runs among it`;

/** A person decides that, and not a machine that lacks a package. */
function refuseWithoutWalls({ withoutWalls, env = [] }: WorkerFlags, parts: WorkerParts): void {
  const missing = missingVariables(parts.env, env);
  if (missing.length > 0)
    throw new UsageError(
      `--env: this machine cannot give ${missing.join(', ')} to runs: set what is missing; the queue and the secret of the fleet are never given`,
    );
  if (parts.noWalls === undefined || withoutWalls) return;
  throw new UsageError(
    `there are no walls on this machine: ${parts.noWalls}. Without walls, sessions and gates can read what this user can, the secret of the fleet among it. Install what is missing; or, where another wall is around this worker and it works for people who trust each other: untildone worker --without-walls`,
  );
}

const COUNTS_MS = 5_000;
const COUNT_LIMIT_MS = 2_000;

type Counts = Awaited<ReturnType<Engine['counts']>> | undefined;

/** How many runs the queue has, asked for every few seconds at most; undefined while the store does not answer. */
function queueCounts(engine: Engine): () => Promise<Counts> {
  let askedAt = 0;
  let counts: Promise<Counts> = Promise.resolve(undefined);
  return () => {
    if (Date.now() - askedAt > COUNTS_MS) {
      askedAt = Date.now();
      const late = wait(COUNT_LIMIT_MS, undefined, { ref: false });
      counts = Promise.race([engine.counts().catch(() => undefined), late]);
    }
    return counts;
  };
}

/** Outside of the home of untildone, which sessions cannot reach. */
function usualWorkdir(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(userHome(env), '.cache'), 'untildone-fleet');
}

export function assemble(
  flags: WorkerFlags,
  parts: WorkerParts,
  { say, link, folders }: { say: Say; link: StoreLink; folders: WorkerFolders },
): { worker: FleetWorker; disk: DiskWatch; figures: Figures } {
  const { engine } = parts;
  const figures = new Figures();
  const { refusals } = parts;
  if (refusals) refusals.say = (run, text) => say({ type: 'note', run, text });
  const tellDisk = (obstacle: string | undefined) =>
    say({ type: 'note', run: null, text: obstacle ?? 'there is room on the disk again: runs are taken' });
  const sweep = (caches: string, most: number) => parts.sweepCaches(caches, most, new Set(worker.repos));
  const disk: DiskWatch = new DiskWatch(folders, flags.maxDisk, sweep, tellDisk);
  const scheduler = new Scheduler(engine, link, say, (due) => parts.submitDue(due, folders.caches));
  const worker: FleetWorker = new FleetWorker(
    {
      engine,
      link,
      say,
      figures,
      worker: folders.worker,
      secret: parts.secret,
      start: parts.start,
      money: new FleetMoney(engine, link),
      repos: flags.repos ?? [],
      isRoot: process.getuid?.() === 0,
      env: flags.env ?? [],
      envFor: parts.envFor,
      missing: parts.missing,
      askRemote: parts.askRemote(folders.caches),
      refused: (run, why) => refusals?.add(run, why),
      makeFolder: (run) => folders.makeFolder(run),
      removeFolder: (folder) => folders.removeFolder(folder),
      caches: folders.caches,
    },
    {
      labels: flags.labels ?? [],
      concurrency: flags.concurrency,
      once: flags.once,
      host: hostname(),
      beatMs: parts.beatMs,
      version: VERSION,
      obstacle: () => disk.obstacle,
      diskFree: () => disk.free,
      withoutWalls: parts.noWalls,
      onBeat: (isDraining) => {
        folders.touchLock();
        disk.look(Date.now());
        if (!isDraining) scheduler.look(Date.now());
      },
    },
  );
  return { worker, disk, figures };
}

function startedEvent(
  flags: WorkerFlags,
  engine: Engine,
  folders: WorkerFolders,
  health: HealthServer | undefined,
): Parameters<Say>[0] {
  return {
    type: 'started',
    worker: folders.worker,
    version: VERSION,
    queue: engine.place,
    labels: flags.labels ?? [],
    concurrency: flags.concurrency,
    workdir: folders.workdir,
    health: health?.url ?? null,
    repos: flags.repos ?? [],
  };
}

/** Waits for a store that is away, as a machine may start before it. */
async function reachStore(engine: Engine, link: StoreLink, once: boolean): Promise<void> {
  const until = once ? Date.now() + PATIENCE_MS : Number.POSITIVE_INFINITY;
  for (;;) {
    try {
      return await link.call(() => engine.ready());
    } catch (error) {
      if (!(error instanceof EngineAway)) throw error;
      if (Date.now() > until) throw new UsageError(error.message);
      await wait(AGAIN_MS);
    }
  }
}

const STILL_THERE_MS = 5_000;

/** Refuses a name that another living worker of the fleet has: both would be told the same. */
async function refuseSameName(engine: Engine, name: string): Promise<void> {
  const find = async () => (await engine.workers()).find((other) => other.name === name);
  const before = await find();
  if (!before) return;
  const { host, pid } = before;
  // One of this machine that ended, or this very process in a container that was started again.
  if (host === hostname() && (pid === process.pid || !isRunning(pid))) return;
  await wait(STILL_THERE_MS);
  const now = await find();
  if (now === undefined || now.at === before.at) return;
  throw new UsageError(
    `the fleet has a worker named ${name} already (process ${pid} on ${host}): give this one another name (--name)`,
  );
}

function notReady(worker: FleetWorker, link: StoreLink, disk: DiskWatch): string | null {
  if (worker.isDraining) return 'draining';
  if (link.awaySince !== undefined) return 'the store cannot be reached';
  return disk.obstacle ?? null;
}

/** The first signal drains, the second one and the timeout hand everything back at once. */
async function workUntilEnd(
  worker: FleetWorker,
  { drainTimeout }: WorkerFlags,
): Promise<{ code: number; why: string }> {
  let end: { code: number; why: string } = { code: EXIT.ok, why: 'the queue is empty' };
  let timer: NodeJS.Timeout | undefined;
  const cutOff = (code: number, why: string) => {
    end = { code, why };
    void worker.cutOff();
  };
  const drain = (code: number, why: string) => {
    if (timer) return cutOff(code, `${why}, twice`);
    timer = setTimeout(
      () => cutOff(EXIT.no, `not drained within --drain-timeout`),
      Math.min(drainTimeout, 2 ** 31 - 1),
    );
    worker.drain(why);
  };
  const listeners = (
    [
      ['SIGTERM', EXIT.terminated],
      ['SIGINT', EXIT.interrupted],
      ['SIGHUP', EXIT.hangup],
    ] as const
  ).map(([signal, code]) => [signal, () => drain(code, signal)] as const);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  // The reader of the output went away: nobody looks after this worker any more.
  process.stdout
    .removeAllListeners('error')
    .on('error', () => timer ?? drain(EXIT.nobodyReads, 'nobody reads its output'));
  try {
    await worker.work();
    return worker.isDraining && end.code === EXIT.ok ? { ...end, why: 'drained' } : end;
  } finally {
    clearTimeout(timer);
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  }
}
