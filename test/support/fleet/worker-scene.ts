/** A worker in this process, over a real store, whose runs are played by processes that do what their task says. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { RunSpec } from '../../../src/engine/core/fleet/spec.ts';
import { sealedJson } from '../../../src/engine/home/layout.ts';
import type { Engine } from '../../../src/engine/ports/fleet.ts';
import { openEngine } from '../../../src/fleet/queue/engine.ts';
import { keyOfRun, sealSpec } from '../../../src/fleet/secret.ts';
import { assemble, type WorkerFlags, type WorkerParts } from '../../../src/fleet/worker/command.ts';
import { driverStarter, type StartDriver } from '../../../src/fleet/worker/driver-process.ts';
import type { WorkerEvent } from '../../../src/fleet/worker/events.ts';
import { WorkerFolders } from '../../../src/fleet/worker/folders.ts';
import { StoreLink } from '../../../src/fleet/worker/store-link.ts';
import type { FleetWorker } from '../../../src/fleet/worker/worker.ts';
import { waitFor } from '../live/processes.ts';
import type { Store } from './stores.ts';

/** What the process of a run does. */
export interface PlayedRun {
  iterations?: number;
  ms?: number;
  usd?: number;
  /** Each iteration waits for this file. */
  until?: string;
  crash?: 'first' | 'last';
  /** Hears no command and no stop. */
  deaf?: boolean;
  takes?: number;
  spent?: { iteration: number; usd: number; at: number }[];
  status?: string;
  outcome?: unknown;
  /** Where it writes its environment. */
  environment?: string;
}

export interface PlayedWorker {
  worker: FleetWorker;
  events: WorkerEvent[];
  folders: WorkerFolders;
  engine: Engine;
  over: Promise<void>;
}

const FLAGS: WorkerFlags = {
  concurrency: 2,
  labels: [],
  healthHost: '127.0.0.1',
  healthPort: 'off',
  maxDisk: 20e9,
  drainTimeout: 60_000,
  once: false,
  json: false,
};

export class WorkerScene {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-worker-')));
  readonly secret = randomBytes(32).toString('hex');
  readonly engine: Engine;
  /** Processes of runs, on all workers. */
  readonly drivers = { alive: 0, mostAtATime: 0 };
  readonly #url: string;
  readonly #workers: PlayedWorker[] = [];
  #runs = 0;

  private constructor(url: string, engine: Engine) {
    this.#url = url;
    this.engine = engine;
  }

  static async open(store: Store): Promise<WorkerScene> {
    const space = `w${randomBytes(4).toString('hex')}`;
    const url = `${store.url}?prefix=${space}`;
    return new WorkerScene(url, await openEngine(url, {}));
  }

  /** Submits a run; `seal` changes what is sealed. */
  async submit(
    score: PlayedRun,
    spec: Partial<RunSpec> = {},
    { secret = this.secret, v = 1 }: { secret?: string; v?: number } = {},
  ): Promise<string> {
    const run = spec.run ?? `r-${++this.#runs}`;
    const whole: RunSpec = {
      v: 1,
      run,
      repo: 'https://git.example/a',
      ref: 'main',
      commit: 'c'.repeat(40),
      task: JSON.stringify(score),
      limits: {},
      client: {},
      labels: [],
      priority: 0,
      after: [],
      env: [],
      attempts: 3,
      submittedAt: Date.now(),
      ...spec,
    };
    const sealed =
      v === 1
        ? sealSpec(whole, secret)
        : sealedJson({ ...whole, v }, `spec of run ${run}`, keyOfRun(run, secret));
    const { repo, labels, priority, submittedAt } = whole;
    await this.engine.add({ run, repo, labels, priority, submittedAt, spec: sealed, title: 'a task' });
    return run;
  }

  async start(
    flags: Partial<WorkerFlags> = {},
    parts: Partial<WorkerParts> = {},
    {
      name = `w-${this.#workers.length + 1}`,
      changed = {},
    }: { name?: string; changed?: Partial<Engine> } = {},
  ): Promise<PlayedWorker> {
    const opened = await openEngine(this.#url, {});
    const engine = new Proxy(opened, {
      get: (from, method) => changed[method as keyof Engine] ?? from[method as keyof Engine],
    });
    const events: WorkerEvent[] = [];
    const say = (event: WorkerEvent) => void events.push(event);
    const folders = WorkerFolders.open(join(this.folder, 'work'), name, hostname());
    const { worker } = assemble(
      { ...FLAGS, ...flags },
      {
        engine,
        secret: this.secret,
        env: {},
        start: this.#counted(driverStarter(resolve('test/support/fleet/played-driver.mjs'))),
        envFor: () => ({ PATH: process.env.PATH }),
        missing: () => [],
        beatMs: 200,
        askRemote: () => async () => undefined,
        sweepCaches: async () => {},
        submitDue: async () => {},
        ...parts,
      },
      { say, link: new StoreLink(say), folders },
    );
    const played = { worker, events, folders, engine, over: worker.work() };
    this.#workers.push(played);
    return played;
  }

  #counted(start: StartDriver): StartDriver {
    const { drivers } = this;
    return (...given) => {
      const driver = start(...given);
      drivers.alive++;
      drivers.mostAtATime = Math.max(drivers.mostAtATime, drivers.alive);
      void driver.over.then(() => drivers.alive--);
      return driver;
    };
  }

  /** Waits until an iteration of a run is under way. */
  async works(run: string): Promise<void> {
    await waitFor(async () => (await this.engine.job(run))?.news?.doing === 'begins');
  }

  async state(run: string): Promise<string | undefined> {
    return (await this.engine.job(run))?.state;
  }

  /** Waits until a run stands like this. */
  async reaches(run: string, state: string): Promise<void> {
    await waitFor(async () => (await this.state(run)) === state);
  }

  async close(): Promise<void> {
    for (const { worker, over, engine, folders } of this.#workers) {
      worker.drain('the test is over');
      await worker.cutOff();
      await over;
      folders.release();
      await engine.close();
    }
    await this.engine.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
