/** The engine on BullMQ. */
import { randomUUID } from 'node:crypto';
import { EngineAway, Fenced } from '../../core/fleet/errors.ts';
import type { FleetLimits, Slot } from '../../core/fleet/limits.ts';
import { defined } from '../../core/text/defined.ts';
import { UsageError } from '../../core/text/errors.ts';
import type {
  Beat,
  Engine,
  FleetJob,
  JobState,
  RunCommand,
  RunNews,
  RunResult,
  Schedule,
  Taken,
  WorkerView,
} from '../../ports/fleet.ts';
import { jobOptions } from './add.ts';
import { Endings } from './endings.ts';
import { ENDED_LANE, type Lane, Lanes, laneOf } from './lanes.ts';
import { commandIn, fleetJob } from './readable.ts';
import { Schedules } from './schedules.ts';
import { storableText } from './storable.ts';
import { LOCK_MS, type Store } from './store.ts';
import { Sweeper } from './sweeper.ts';
import { Taker } from './taker.ts';
import { type BullJob, Views } from './views.ts';

/** BullMQ counts by itself where an id is a number. */
const RUN_ID = /^(?!\d+$)[\w.-]{1,200}$/;
/** A run comes back so soon when something is asked of it that its last holder has not heard. */
const ASKED_MS = 3_000;

export class BullEngine implements Engine {
  readonly place: string;
  readonly #store: Store;
  readonly #lanes: Lanes;
  readonly #views: Views;
  readonly #endings: Endings;
  readonly #schedules: Schedules;
  readonly #taker: Taker;
  readonly #sweeper: Sweeper;
  /** Claims of this engine are told from those of an earlier holder of the same run. */
  readonly #self = randomUUID();
  /** The commands that were returned to a holder, by its token. */
  readonly #delivered = new Map<string, Set<string>>();

  constructor(place: string, store: Store) {
    this.place = place;
    this.#store = store;
    this.#lanes = new Lanes(store);
    this.#views = new Views(store, this.#lanes);
    this.#endings = new Endings(store, this.#lanes);
    this.#schedules = new Schedules(store, this.#lanes);
    this.#taker = new Taker(store, this.#lanes);
    this.#sweeper = new Sweeper(store, this.#lanes, this.#endings, (runs) => this.#wake(runs));
  }

  async ready(): Promise<void> {
    await this.#store.records.lanes();
    // May this user write, too?
    await this.#store.records.wakeable('nothing');
  }

  async add(job: FleetJob, { notBefore }: { notBefore?: number } = {}): Promise<'added' | 'known'> {
    const wanted = laneOf(job.labels);
    // A run lies beside the lists of its lane.
    if (!RUN_ID.test(job.run) || Object.hasOwn(this.#lanes.get(wanted).backend.keys, job.run)) {
      throw new UsageError(
        `${JSON.stringify(job.run)} cannot be the id of a run: use letters, digits, dots, _ and -, and not a single common word`,
      );
    }
    const delay = Math.max((notBefore ?? 0) - Date.now(), 0);
    const claimed = await this.#store.records.claimRun(
      job.run,
      wanted,
      [...new Set(job.labels)].sort(),
      notBefore ?? 0,
    );
    const lane = this.#lanes.get(claimed.lane === ENDED_LANE ? ENDED_LANE : wanted);
    const there = await this.#lanes.get(claimed.lane).backend.getState(job.run);
    if (there !== 'unknown') return 'known';
    if (lane.name === ENDED_LANE) await this.#store.records.setLane(job.run, wanted);
    const data = { ...fleetJob(job, job.run), title: storableText(job.title) };
    await this.#lanes.get(wanted).queue.add('run', data, jobOptions(job.run, job.priority, delay));
    return claimed.fresh ? 'added' : 'known';
  }

  async take(
    labels: readonly string[],
    worker: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Taken | undefined> {
    this.#sweeper.start();
    return this.#taker.take(labels, worker, waitMs, signal);
  }

  /** After `deadline` nobody hears the answer: then no command counts as delivered. */
  async beat(worker: WorkerView, held: readonly Taken[], deadline = Number.POSITIVE_INFINITY): Promise<Beat> {
    this.#sweeper.start();
    const lost = await this.#renew(held);
    await this.#schedules.renew();
    const mine = held.filter(({ run }) => !lost.includes(run));
    const told = await this.#store.records.beat(
      worker,
      this.#self,
      mine.map(({ run }) => run),
    );
    if (Date.now() > deadline) throw new EngineAway(`the queue at ${this.place} answers too slowly`);
    const commands: Record<string, RunCommand[]> = {};
    let unreadable: Beat['unreadable'];
    for (const { run, token } of mine) {
      const delivered = this.#delivered.get(token) ?? new Set();
      this.#delivered.set(token, delivered);
      const fresh = (told.commands[run] ?? []).filter(({ id }) => !delivered.has(id));
      for (const { id } of fresh) delivered.add(id);
      const readable = fresh.flatMap(({ id, command }) => commandIn(id, command) ?? []);
      if (readable.length > 0) commands[run] = readable;
      const bad = fresh.filter(({ id, command }) => commandIn(id, command) === undefined);
      if (bad.length === 0) continue;
      unreadable = { ...unreadable, [run]: bad.length };
      await this.acknowledge(
        run,
        bad.map(({ id }) => id),
      );
    }
    const { drain, paused } = told;
    const orders = Object.keys(told.orders).length === 0 ? undefined : told.orders;
    return { lost, commands, drain, paused, ...defined({ orders, unreadable }) };
  }

  async acknowledge(run: string, commands: readonly string[]): Promise<void> {
    await this.#store.records.acknowledge(run, commands);
  }

  async claimSlots(run: string, slots: readonly Slot[]): Promise<string | undefined> {
    return this.#store.records.claimSlots(run, this.#self, slots);
  }

  async releaseSlots(run: string): Promise<void> {
    await this.#wake(await this.#store.records.releaseSlots(run, this.#self));
  }

  async giveBack(
    taken: Taken,
    { afterMs, why, failed, waitsFor, unapplied = [] }: Parameters<Engine['giveBack']>[1],
  ): Promise<void> {
    const { run, token } = taken;
    const { records } = this.#store;
    const failures = failed ? 'more' : failed === false ? 'none' : 'same';
    const applied = [...(this.#delivered.get(token) ?? [])].filter((id) => !unapplied.includes(id));
    const isAsked = async () => !failed && (await records.pending(run)).some((id) => !applied.includes(id));
    const delay = Math.max(0, (await isAsked()) ? Math.min(afterMs, ASKED_MS) : afterMs);
    const notBefore = Date.now() + delay;
    const text = why === undefined ? undefined : storableText(why);
    await records.putBack(run, { token, why: text, failures, waitsFor, notBefore });
    await this.#settled(taken, (job) => job.moveToDelayed(notBefore, token), applied);
    // Something may have been asked, or the slot have become free, while the run was not delayed yet.
    if (delay === 0 || (delay > ASKED_MS && (await isAsked()))) await this.#wake([run]);
    if (waitsFor !== undefined) await this.#wake(await records.wakeable(waitsFor));
  }

  async complete(taken: Taken, result: RunResult): Promise<void> {
    await this.#store.records.settle(taken.run, taken.token, undefined);
    await this.#settled(taken, async (job) => {
      await job.moveToCompleted({ ...result, cause: storableText(result.cause) }, taken.token, false);
    });
    await this.#store.records.ended(taken.run, false);
  }

  async bury(taken: Taken, why: string): Promise<void> {
    const text = storableText(why);
    await this.#store.records.settle(taken.run, taken.token, text);
    await this.#settled(taken, async (job) => {
      await job.moveToFailed(new this.#store.bull.UnrecoverableError(text), taken.token, false);
    });
    await this.#store.records.ended(taken.run, true);
  }

  async again(run: string, spec?: string): Promise<boolean> {
    const found = await this.#views.find(run);
    if (found === undefined || found.state === 'waiting' || found.state === 'active') return false;
    const { lane, job, state } = found;
    const { result: _, from: __, ...before } = job.data;
    const stallsBefore = job.stalledCounter ?? 0;
    const data = { ...before, ...(spec === undefined ? {} : { spec }), stallsBefore };
    await this.#store.records.revive(run);
    if (lane.name === ENDED_LANE) return this.#moveBack(run, lane, data);
    if (spec !== undefined || stallsBefore > 0) await job.updateData(data);
    if (state === 'delayed') await job.promote();
    else await job.retry(state === 'ended' ? 'completed' : 'failed');
    return true;
  }

  async endUnheld(run: string, result: RunResult): Promise<boolean> {
    const found = await this.#views.find(run);
    if (found === undefined || found.state === 'active') return false;
    if (found.state === 'ended') return true;
    return this.#endings.end(run, found.lane, found.job.data, result);
  }

  async remove(run: string): Promise<boolean> {
    const found = await this.#views.find(run);
    if (found === undefined || found.state === 'active') return false;
    if ((await found.lane.backend.remove(run, true)) === 0) return false;
    await this.#store.records.forget(run);
    return true;
  }

  async job(run: string) {
    return this.#views.job(run);
  }

  async jobs(states: readonly JobState[], from: number, most: number) {
    return this.#views.jobs(states, from, most);
  }

  async counts() {
    return this.#views.counts();
  }

  async command(run: string, command: RunCommand): Promise<void> {
    const found = await this.#views.find(run);
    if (found === undefined || found.state === 'ended' || found.state === 'dead') return;
    await this.#store.records.command(run, command);
    await this.#wake([run]);
  }

  async tell(run: string, news: RunNews, lines: readonly string[], from?: number): Promise<void> {
    await this.#store.records.tell(run, news, lines, from);
  }

  async lines(run: string, from: number, most: number): Promise<string[]> {
    return this.#store.records.lines(run, Math.max(from, 0), Math.max(most, 0));
  }

  async workers(): Promise<WorkerView[]> {
    return this.#store.records.workers();
  }

  async drain(worker: string, on: boolean): Promise<void> {
    await this.#store.records.drain(worker, on);
  }

  async pause(on: boolean): Promise<void> {
    await this.#store.records.pause(on);
  }

  async isPaused(): Promise<boolean> {
    return (await this.#store.records.lanes()).paused;
  }

  async limits(): Promise<FleetLimits> {
    return this.#store.records.limits();
  }

  /** Runs that wait for a place look anew whether they have one. */
  async setLimits(limits: FleetLimits): Promise<void> {
    await this.#store.records.setLimits(limits);
    await this.#wake(await this.#store.records.wakeAll());
  }

  async spend(day: string, repo: string, usd: number, of: string): Promise<void> {
    await this.#store.records.spend(day, repo, usd, of);
  }

  async spent(day: string) {
    return this.#store.records.spent(day);
  }

  async countIteration(model: string, mostPerMinute: number): Promise<number> {
    return this.#store.records.countIteration(model, mostPerMinute);
  }

  async schedule(schedule: Schedule): Promise<void> {
    await this.#schedules.schedule(schedule);
  }

  async unschedule(id: string): Promise<boolean> {
    return this.#schedules.unschedule(id);
  }

  async schedules(): Promise<Schedule[]> {
    return this.#schedules.schedules();
  }

  async due() {
    this.#sweeper.start();
    return this.#schedules.due();
  }

  async handled(id: string, at: number): Promise<void> {
    await this.#schedules.handled(id, at);
  }

  async keep(shelf: string, name: string, text: string): Promise<void> {
    await this.#store.records.keep(shelf, name, text);
  }

  async kept(shelf: string): Promise<Record<string, string>> {
    return this.#store.records.kept(shelf);
  }

  async close(): Promise<void> {
    this.#sweeper.stop();
    await this.#store.close();
  }

  async #renew(held: readonly Taken[]): Promise<string[]> {
    const byLane = new Map<string, Taken[]>();
    for (const taken of held) {
      const name = laneOf(taken.labels);
      byLane.set(name, [...(byLane.get(name) ?? []), taken]);
    }
    const lost: string[] = [];
    for (const [name, runs] of byLane) {
      const ids = runs.map(({ run }) => run);
      const failed = await this.#lanes.get(name).backend.extendLocks(
        ids,
        runs.map(({ token }) => token),
        LOCK_MS,
      );
      for (const { run, token } of runs) {
        if (!failed.includes(run) || (await this.#store.regain(name, run, token))) continue;
        lost.push(run);
        this.#delivered.delete(token);
      }
    }
    return lost;
  }

  /** Lets go of a held run. Doing so again, after an answer was lost, does nothing. */
  async #settled(
    taken: Taken,
    letGo: (job: BullJob) => Promise<void>,
    applied: readonly string[] = [],
  ): Promise<void> {
    const { run, token } = taken;
    const { queue } = this.#lanes.get(laneOf(taken.labels));
    const job = (await queue.getJob(run)) as BullJob | undefined;
    try {
      if (job === undefined) throw Object.assign(new Error('it is not on the queue'), { code: -1 });
      await letGo(job);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && typeof error.code === 'number')) throw error;
      const [record] = await this.#store.records.runs([run]);
      const state = await this.#views.state(this.#lanes.get(laneOf(taken.labels)), run);
      // Taking a run clears who settled it: nobody has taken it since.
      if (record?.settled !== token || state === 'active' || state === undefined) {
        throw new Fenced(`run ${run} is not this worker's any more: ${error.message}`);
      }
    }
    await this.#store.records.acknowledge(run, applied);
    this.#delivered.delete(token);
  }

  async #moveBack(run: string, from: Lane, data: FleetJob): Promise<boolean> {
    const lane = this.#lanes.get(laneOf(data.labels));
    await lane.queue.add('run', fleetJob(data, run), jobOptions(run, data.priority));
    await this.#store.records.setLane(run, lane.name);
    await from.backend.remove(run, true);
    return true;
  }

  /** Lets delayed runs be taken at once. Others are left as they are. */
  async #wake(runs: readonly string[]): Promise<void> {
    const records = await this.#store.records.runs(runs);
    for (const [place, run] of runs.entries()) {
      const lane = records[place]?.lane;
      if (lane === undefined) continue;
      try {
        await this.#lanes.get(lane).backend.promote(run);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && typeof error.code === 'number')) throw error;
      }
    }
  }
}
