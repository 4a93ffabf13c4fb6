/** Runs that workers of this engine hold: their locks, what is asked of them, and letting go of them. */
import { randomUUID } from 'node:crypto';
import { EngineAway, Fenced } from '../../engine/core/fleet/errors.ts';
import { defined } from '../../engine/core/text/defined.ts';
import type { Engine, RunCommand, RunResult, Taken, WorkerView } from '../../engine/ports/fleet.ts';
import { isRefusal, type Lanes, laneOf } from './lanes.ts';
import { commandIn } from './readable.ts';
import { storableText } from './storable.ts';
import { LOCK_MS, type Store } from './store.ts';
import type { StoredBeat } from './stored.ts';
import type { BullJob, Views } from './views.ts';

/** A run comes back so soon when something is asked of it that its last holder has not heard. */
const ASKED_MS = 3_000;

export class Held {
  readonly #store: Store;
  readonly #lanes: Lanes;
  readonly #views: Views;
  /** Claims of this engine are told from those of an earlier holder of the same run. */
  readonly self = randomUUID();
  /** The commands that were returned to a holder, by its token. */
  readonly #delivered = new Map<string, Set<string>>();

  constructor(store: Store, lanes: Lanes, views: Views) {
    this.#store = store;
    this.#lanes = lanes;
    this.#views = views;
  }

  /** After `deadline` nobody hears the answer: then no command counts as delivered. */
  async beat(worker: WorkerView, held: readonly Taken[], deadline: number): Promise<StoredBeat> {
    const lost = await this.#renew(held);
    const mine = held.filter(({ run }) => !lost.includes(run));
    const told = await this.#store.records.beat(
      worker,
      this.self,
      mine.map(({ run }) => run),
    );
    if (Date.now() > deadline) throw new EngineAway(`the queue at ${this.#store.place} answers too slowly`);
    const commands: Record<string, RunCommand[]> = {};
    let unreadable: StoredBeat['unreadable'];
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
      await this.#store.records.acknowledge(
        run,
        bad.map(({ id }) => id),
      );
    }
    const { drain, paused } = told;
    const orders = Object.keys(told.orders).length === 0 ? undefined : told.orders;
    return { lost, commands, drain, paused, ...defined({ orders, unreadable }) };
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
    if (delay === 0 || (delay > ASKED_MS && (await isAsked()))) await this.#lanes.wake([run]);
    if (waitsFor !== undefined) await this.#lanes.wake(await records.wakeable(waitsFor));
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
      if (!isRefusal(error)) throw error;
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
}
