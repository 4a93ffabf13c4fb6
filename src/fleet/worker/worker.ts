/** A worker: takes runs while it has room for them, beats, and hands everything back when it ends. */
import { setTimeout as wait } from 'node:timers/promises';
import { EngineAway } from '../../engine/core/fleet/errors.ts';
import { isSoonFor } from '../../engine/core/fleet/intake.ts';
import type { Beat, Taken, WorkerView } from '../../engine/ports/fleet.ts';
import { HeldRun, type WorkerPorts } from './held-run.ts';

export interface WorkerOptions {
  labels: string[];
  concurrency: number;
  once: boolean;
  host: string;
  version: string;
  /** Why nothing may be taken at the moment, such as a full disk. */
  obstacle(): string | undefined;
  diskFree(): number | undefined;
  /** Why this machine can confine nothing. */
  withoutWalls?: string;
  /** For tests. */
  beatMs?: number;
  /** On every beat, besides. */
  onBeat?(isDraining: boolean): void;
}

const BEAT_MS = 2_000;
/** A beat that takes longer counts as one whose store is away. */
const BEAT_LIMIT_MS = 4_000;
/** How long a lock lasts. */
const LEASE_MS = 10_000;
const TAKE_WAIT_MS = 5_000;
const LOOK_MS = 500;
/** A loop that has not beaten for so long is not well. */
const UNWELL_MS = 30_000;
/** How long cut off runs may take to get back to the queue; then their locks run out. */
const CUT_OFF_MS = 8_000;
const MOST_JOBS = 1_000;
const BY_COMMAND = 'untildone fleet drain';

export class FleetWorker {
  readonly #world: WorkerPorts;
  readonly #options: WorkerOptions;
  readonly #held = new Set<HeldRun>();
  readonly #startedAt = Date.now();
  #taking = new AbortController();
  #lastBeat = Date.now();
  #beating: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #drainWhy: string | undefined;
  #isPaused = false;
  #isOver = false;
  #isCutOff = false;
  #wake = () => {};

  constructor(world: Omit<WorkerPorts, 'fresh'>, options: WorkerOptions) {
    this.#world = { ...world, fresh: () => this.#fresh() };
    this.#options = options;
  }

  get isDraining(): boolean {
    return this.#drainWhy !== undefined;
  }

  get runs(): string[] {
    return [...this.#held].filter(({ isHeld }) => isHeld).map(({ taken }) => taken.run);
  }

  /** The repositories of its runs. */
  get repos(): string[] {
    return [...this.#held].map(({ taken }) => taken.repo);
  }

  /** What is wrong with this process; null when it is well. */
  unwell(): string | null {
    const silent = Date.now() - this.#lastBeat;
    return silent > UNWELL_MS ? `no heartbeat for ${Math.round(silent / 1000)} s` : null;
  }

  /** Works until it is drained, or the queue is empty with `once`. */
  async work(): Promise<void> {
    await this.#beat();
    this.#beatAgain();
    try {
      while (!this.#isOver && !(await this.#takeNext()));
    } finally {
      this.#isOver = true;
      clearTimeout(this.#timer);
      await this.#beating;
      await this.#lastView();
    }
  }

  /** Takes nothing new; every run is handed back after its iteration. */
  drain(why: string): void {
    if (this.#drainWhy !== undefined) return;
    this.#drainWhy = why;
    this.#world.say({ type: 'draining', why, waits_for: this.runs });
    this.#taking.abort();
    for (const run of this.#held) run.drain();
    this.#wake();
  }

  /** Hands everything back at once. */
  async cutOff(): Promise<void> {
    if (this.#isCutOff) return;
    this.#isCutOff = true;
    const runs = [...this.#held];
    await Promise.race([
      Promise.all(runs.map(async (run) => run.cutOff().then(() => run.gone))),
      wait(CUT_OFF_MS, undefined, { ref: false }),
    ]);
    for (const run of this.#held) run.lose('the worker was stopped before it could write what became of it');
    this.#held.clear();
    this.#isOver = true;
    this.#wake();
  }

  /** Takes one run, or waits for something to change. True when there is nothing left to do. */
  async #takeNext(): Promise<boolean> {
    if (this.#drainWhy !== undefined && this.#held.size === 0) return true;
    if (this.#held.size >= this.#options.concurrency || this.#obstacle() !== undefined) {
      await this.#change();
      return this.#options.once && this.#isPaused && this.#held.size === 0;
    }
    const taken = await this.#take();
    if (taken) {
      this.#hold(taken);
      return false;
    }
    return this.#options.once && this.#held.size === 0 && (await this.#isEmpty());
  }

  #obstacle(): string | undefined {
    if (this.#drainWhy !== undefined) return 'it drains';
    return this.#isPaused ? 'the fleet is paused' : this.#options.obstacle();
  }

  async #take(): Promise<Taken | undefined> {
    const { engine, link, worker } = this.#world;
    const { labels, once } = this.#options;
    await this.#fresh();
    if (this.#drainWhy !== undefined) return undefined;
    this.#taking = new AbortController();
    try {
      const { signal } = this.#taking;
      return await link.call(() => engine.take(labels, worker, once ? LOOK_MS : TAKE_WAIT_MS, signal));
    } catch (error) {
      if (!(error instanceof EngineAway)) this.#note(`no run can be taken: ${(error as Error).message}`);
      await this.#change();
      return undefined;
    }
  }

  #hold(taken: Taken): void {
    const run = new HeldRun(taken, this.#world);
    this.#held.add(run);
    if (this.#drainWhy !== undefined) run.drain();
    void run.gone.then(() => {
      this.#held.delete(run);
      this.#world.figures.forget(taken.run);
      this.#wake();
    });
  }

  /** Waits for a change that concerns taking, but not long: some changes tell nobody. */
  async #change(): Promise<void> {
    await Promise.race([
      new Promise<void>((resolve) => {
        this.#wake = resolve;
      }),
      wait(LOOK_MS),
    ]);
  }

  /** Whether nothing is left that this worker will soon take. */
  async #isEmpty(): Promise<boolean> {
    const { engine, link, repos } = this.#world;
    const mine = { labels: this.#options.labels, repos, now: Date.now() };
    try {
      const open = await link.call(() => engine.jobs(['waiting', 'delayed'], 0, MOST_JOBS));
      return !open.some((job) => isSoonFor(job, mine));
    } catch (error) {
      if (error instanceof EngineAway) return false;
      throw error;
    }
  }

  /** Beats first when this process stood still for longer than a lock lasts: others may have its runs by now. */
  async #fresh(): Promise<void> {
    if (Date.now() - this.#lastBeat > LEASE_MS) await this.#beat();
  }

  #beatAgain(): void {
    this.#timer = setTimeout(() => {
      void this.#beat().finally(() => {
        if (!this.#isOver) this.#beatAgain();
      });
    }, this.#options.beatMs ?? BEAT_MS);
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#beatOnce().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  async #beatOnce(): Promise<void> {
    const { engine, link } = this.#world;
    const held = [...this.#held].filter(({ isHeld }) => isHeld);
    this.#options.onBeat?.(this.isDraining);
    try {
      const beat = await link.call(
        () =>
          engine.beat(
            this.#view(),
            held.map(({ taken }) => taken),
          ),
        BEAT_LIMIT_MS,
      );
      this.#heed(beat, held);
    } catch (error) {
      if (!(error instanceof EngineAway)) this.#note(`a heartbeat failed: ${(error as Error).message}`);
    }
    this.#lastBeat = Date.now();
    for (const run of held) if (run.isHeld) run.alive();
  }

  #heed({ lost, commands, drain, paused }: Beat, held: readonly HeldRun[]): void {
    for (const run of held) {
      const { run: id } = run.taken;
      if (lost.includes(id)) run.lose('its lock ran out, and another worker may have it');
      else if (Object.hasOwn(commands, id)) run.command(commands[id] ?? []);
    }
    if (paused && !this.#isPaused) this.#taking.abort();
    if (paused !== this.#isPaused) {
      this.#note(paused ? 'the fleet is paused: nothing new is taken' : 'the fleet goes on');
      this.#isPaused = paused;
      this.#wake();
    }
    if (drain) this.drain(BY_COMMAND);
    else if (this.#drainWhy === BY_COMMAND) this.#goOn();
  }

  /** The command was taken back. What was told to end comes back to the queue, and may be taken again. */
  #goOn(): void {
    this.#drainWhy = undefined;
    this.#note('runs are taken again');
    this.#wake();
  }

  #view(): WorkerView {
    const { labels, concurrency, host, version, withoutWalls } = this.#options;
    return {
      name: this.#world.worker,
      host,
      pid: process.pid,
      version,
      labels,
      concurrency,
      runs: this.runs,
      draining: this.isDraining,
      startedAt: this.#startedAt,
      at: Date.now(),
      diskFree: this.#options.diskFree(),
      note: this.#options.obstacle(),
      withoutWalls,
    };
  }

  /** Tells that it holds nothing any more. */
  async #lastView(): Promise<void> {
    const { engine, link } = this.#world;
    const view = { ...this.#view(), draining: true };
    await link.call(() => engine.beat(view, []), BEAT_LIMIT_MS).catch(() => {});
  }

  #note(text: string): void {
    this.#world.say({ type: 'note', run: null, text });
  }
}
