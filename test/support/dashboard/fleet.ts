/** A fleet in memory: an engine that only remembers, runs as their workers would tell them, and what git would hold. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineAway } from '../../../src/engine/core/fleet/errors.ts';
import type { FleetLimits } from '../../../src/engine/core/fleet/limits.ts';
import { DEFAULT_ATTEMPTS, type RunSpec } from '../../../src/engine/core/fleet/spec.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import { writeWhole } from '../../../src/engine/files/whole-file.ts';
import { copyOfEndFile, createHome, type Home, homeAt } from '../../../src/engine/home/layout.ts';
import { FileStore } from '../../../src/engine/home/store.ts';
import { openProjectWith } from '../../../src/engine/hook/wiring/project-ports.ts';
import type {
  Engine,
  JobState,
  JobView,
  ProgressReport,
  RunCommand,
  RunResult,
  WorkerView,
} from '../../../src/engine/ports/fleet.ts';
import type { LoopRef } from '../../../src/engine/ports/ports.ts';
import { Mirror } from '../../../src/fleet/mirror/mirror.ts';
import type { Fleet } from '../../../src/fleet/operate/fleet.ts';
import { fleetOver } from '../../../src/fleet/operate/open.ts';
import type { RemoteRuns, RunFiles } from '../../../src/fleet/remote/remote-runs.ts';
import { keyOfRun, sealSpec } from '../../../src/fleet/secret.ts';
import * as judgeBundle from '../../../src/main/judge.ts';
import { FleetDesk } from '../../../src/read/dashboard/server/fleet/desk.ts';
import type { DashboardPorts } from '../../../src/read/dashboard/server/world.ts';
import { contractWith, frozenWith, run as runGate } from '../hook/judging.ts';

export const SECRET = 'ab'.repeat(32);

/** Only what the dashboard calls. */
export class MemoryEngine {
  readonly place = 'redis://queue.example:6379';
  now: () => number = Date.now;
  readonly all = new Map<string, JobView>();
  readonly told = new Map<string, string[]>();
  readonly commands: [run: string, RunCommand][] = [];
  readonly calls: Record<string, number> = {};
  readonly drained: [string, boolean][] = [];
  list: WorkerView[] = [];
  most: FleetLimits = {};
  paused = false;
  usd = 0;
  isAway = false;

  private async answer<T>(name: string, make: () => T): Promise<T> {
    this.calls[name] = (this.calls[name] ?? 0) + 1;
    if (this.isAway) throw new EngineAway('connect ECONNREFUSED redis://user:hidden-word@queue.example:6379');
    return structuredClone(make());
  }

  counts = () =>
    this.answer('counts', () => {
      const counts: Record<JobState, number> = { waiting: 0, delayed: 0, active: 0, ended: 0, dead: 0 };
      for (const { state } of this.all.values()) counts[state]++;
      return counts;
    });
  workers = () => this.answer('workers', () => this.list);
  isPaused = () => this.answer('isPaused', () => this.paused);
  limits = () => this.answer('limits', () => this.most);
  spent = (day: string) => this.answer('spent', () => ({ day, usd: this.usd, byRepo: {} }));
  job = (run: string) => this.answer('job', () => this.all.get(run));
  jobs = (states: readonly JobState[], from: number, most: number) =>
    this.answer('jobs', () =>
      [...this.all.values()].filter(({ state }) => states.includes(state)).slice(from, from + most),
    );
  lines = (run: string, from: number, most: number) =>
    this.answer('lines', () => (this.told.get(run) ?? []).slice(from, from + most));
  command = (run: string, command: RunCommand) =>
    this.answer('command', () => void this.commands.push([run, command]));
  ready = () => this.answer('ready', () => undefined);
  close = async () => {};
  endUnheld = (run: string, result: RunResult) =>
    this.answer('endUnheld', () => {
      const job = this.all.get(run);
      if (!job || job.state === 'active') return false;
      this.all.set(run, { ...job, state: 'ended', result, endedAt: Date.now() });
      return true;
    });
  again = (run: string) =>
    this.answer('again', () => {
      const job = this.all.get(run);
      if (!job || job.state === 'waiting' || job.state === 'active') return false;
      this.all.set(run, { ...job, state: 'waiting' });
      return true;
    });
  pause = (on: boolean) =>
    this.answer('pause', () => {
      this.paused = on;
    });
  drain = (worker: string, on: boolean) => this.answer('drain', () => void this.drained.push([worker, on]));

  asEngine(): Engine {
    return this as unknown as Engine;
  }
}

/** A run as a worker would have it: its journal is in a home of its own. */
export class MemoryRun {
  readonly id: string;
  readonly home: Home;
  store: FileStore;
  readonly spec: RunSpec;
  readonly clock = { at: Date.now() - 60_000, now: (): number => this.clock.at };
  ref: LoopRef | undefined;
  private readonly engine: MemoryEngine;
  private readonly folder: string;

  constructor(engine: MemoryEngine, folder: string, id: string, spec: Partial<RunSpec> = {}) {
    this.id = id;
    this.engine = engine;
    this.folder = folder;
    const home = homeAt(join(folder, id));
    this.home = home;
    this.store = new FileStore(home, this.clock);
    this.spec = {
      v: 1,
      run: id,
      repo: 'https://git.example/shop.git',
      ref: 'main',
      commit: 'c'.repeat(40),
      task: `the task of ${id}`,
      limits: {},
      client: {},
      labels: [],
      priority: 0,
      after: [],
      env: [],
      attempts: DEFAULT_ATTEMPTS,
      submittedAt: engine.now() - 120_000,
      ...spec,
    };
    const { repo, labels, priority, submittedAt, task } = this.spec;
    engine.all.set(id, {
      run: id,
      repo,
      labels,
      priority,
      submittedAt,
      title: task,
      spec: sealSpec(this.spec, SECRET),
      state: 'waiting',
      takes: 0,
      stalls: 0,
      failures: 0,
    });
  }

  job(change: Partial<JobView>): void {
    this.engine.all.set(this.id, { ...(this.engine.all.get(this.id) as JobView), ...change });
  }

  /** A worker begins it. */
  begin(worker = 'w1'): LoopRef {
    createHome(this.home);
    writeWhole(this.home.keyFile, `${keyOfRun(this.id, SECRET)}\n`);
    const frozen = frozenWith(contractWith({ tests: runGate() }), {
      project: `${this.folder}/secret-path`,
      fingerprint: '',
    });
    const given = {
      dialect: 'native',
      loop: this.id,
      session: `s-${this.id}`,
      task: this.spec.task,
      transcriptOffset: 0,
    };
    this.ref = this.store.create({
      ...given,
      project: `${this.folder}/secret-path`,
      contract: frozen,
      run: { mode: 'session' },
    });
    this.job({ state: 'active', worker, takes: 1, takenAt: Date.now() });
    this.tell();
    return this.ref;
  }

  /** It is one that was played in another home, which has the key of this run. */
  adopt(store: FileStore, ref: LoopRef, worker: string): void {
    this.store = store;
    this.ref = ref;
    this.job({ state: 'active', worker, takes: 1, takenAt: store.read(ref).startedAt });
    this.tell({ worker });
  }

  append(...entries: Entry[]): void {
    for (const entry of entries) {
      this.clock.at += 1000;
      this.store.append(this.ref as LoopRef, () => entry);
    }
  }

  lines(): string[] {
    return readFileSync(this.store.journalFile(this.ref as LoopRef), 'utf8')
      .trimEnd()
      .split('\n');
  }

  /** Tells the engine of every line that it does not have, as a worker does. */
  tell(news: Partial<ProgressReport> = {}): void {
    const known = this.engine.told.get(this.id) ?? [];
    this.engine.told.set(this.id, [...known, ...this.lines().slice(known.length)]);
    this.news(news);
  }

  news(news: Partial<ProgressReport> = {}): void {
    const before = this.engine.all.get(this.id)?.news;
    const state = this.store.read(this.ref as LoopRef);
    const { iteration, status } = state;
    this.job({
      news: {
        worker: 'w1',
        status,
        iteration,
        costUsd: 0.5,
        tokens: 100,
        doing: 'the model works',
        at: (before?.at ?? Date.now()) + 1,
        ...news,
      },
    });
  }

  /** Its worker is lost, and with it all but the first lines. Returns what was lost. */
  loseAfter(kept: number): string[] {
    const lines = this.lines();
    const left = lines.slice(0, kept);
    writeFileSync(this.store.journalFile(this.ref as LoopRef), `${left.join('\n')}\n`);
    writeFileSync(copyOfEndFile(this.home, this.id), `${left.at(-1)}\n`);
    return lines.slice(kept);
  }

  /** What the remote holds of it. */
  published(): RunFiles {
    const { dir } = this.ref as LoopRef;
    return {
      'journal.jsonl': Buffer.from(`${this.lines().join('\n')}\n`),
      'contract.json': readFileSync(join(dir, 'contract.json')),
      ...(existsSync(join(dir, 'receipt.json'))
        ? { 'receipt.json': readFileSync(join(dir, 'receipt.json')) }
        : {}),
    };
  }
}

export interface MemoryFleet {
  engine: MemoryEngine;
  fleet: Fleet;
  folder: string;
  mirror: Mirror;
  /** What git holds, by run; and how often it was asked. */
  git: Map<string, RunFiles>;
  asked: string[];
  run(id: string, spec?: Partial<RunSpec>): MemoryRun;
}

export function memoryFleet(folder: string, now: () => number = Date.now): MemoryFleet {
  const engine = new MemoryEngine();
  engine.now = now;
  const git = new Map<string, RunFiles>();
  const asked: string[] = [];
  const remoteRunsOf = (repo: string) =>
    ({
      repo,
      read: async (run: string) => {
        asked.push(run);
        const files = git.get(run);
        return files && { refs: { journal: 'j' }, files };
      },
    }) as unknown as RemoteRuns;
  const home = homeAt(join(folder, 'own'));
  const own = { engine: engine.asEngine(), secret: SECRET, home, env: {}, caches: folder };
  const fleet = { ...fleetOver(own), remoteRunsOf, now };
  const mirror = new Mirror({ fleet, folder: mkdtempSync(join(folder, 'mirror-')) });
  return {
    engine,
    fleet,
    folder,
    mirror,
    git,
    asked,
    run: (id, spec) => new MemoryRun(engine, folder, id, spec),
  };
}

/** The dashboard's world over such a fleet. */
export function fleetTestWorld({ fleet: own, mirror, folder }: MemoryFleet): DashboardPorts {
  const clock = { now: own.now };
  const env = { PATH: process.env.PATH, HOME: folder, UNTILDONE_HOME: mirror.home.root };
  const fleet = new FleetDesk({ fleet: own, mirror, everyMs: 50 });
  return {
    home: mirror.home,
    env,
    clock,
    version: '0.0.0',
    only: [],
    fleet,
    hooksAt: () => ({ held: true }),
    turnEndOf: () => undefined,
    open: () =>
      openProjectWith(
        env,
        async () => judgeBundle,
        () => folder,
      ),
    sessions: async () => undefined,
  };
}
