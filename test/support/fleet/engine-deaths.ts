/** A process that dies between any two of its steps loses no run: others end what it began. */
import type { IQueueBackend } from 'bullmq';
import { expect } from 'vitest';
import type { Engine, FleetJob, Taken } from '../../../src/engine/ports/fleet.ts';
import { readAddress } from '../../../src/fleet/queue/address.ts';
import { engineAt, openEngine } from '../../../src/fleet/queue/engine.ts';
import { openStore } from '../../../src/fleet/queue/store.ts';
import { aJob, RESULT, taken, until } from './engine-contract.ts';
import type { Store } from './stores.ts';

/** After so many more steps, every one fails. */
class Life {
  left = Number.POSITIVE_INFINITY;

  step(): void {
    if (this.left <= 0) throw new Error('died');
    this.left -= 1;
  }
}

/** The same object, each of whose calls is a step of a life. */
function mortal<T extends object>(object: T, life: Life): T {
  return new Proxy(object, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'forQueue')
        return (queue: string) =>
          mortal((value as IQueueBackend['forQueue']).call(target as IQueueBackend, queue), life);
      if (
        !/^(move|promote|remove|addJob|updateData|retry|claim|put|settle|taken|ended|revive|setLane|release|acknow)/.test(
          String(name),
        )
      )
        return value.bind(target);
      return async (...args: unknown[]) => {
        life.step();
        return value.apply(target, args);
      };
    },
  });
}

const cancelled = { ...RESULT, status: 'cancelled' };
const far = () => Date.now() + 3_600_000;

async function held(engine: Engine, job: FleetJob): Promise<Taken> {
  await engine.add(job);
  return taken(engine, job.labels);
}

/** What a process was about to do when it died; and what is then asked again, as people and programs do. */
const ACTS: Record<
  string,
  {
    before(engine: Engine, job: FleetJob): Promise<unknown>;
    act(engine: Engine, job: FleetJob, prepared: unknown): Promise<unknown>;
    after?(engine: Engine, job: FleetJob): Promise<unknown>;
  }
> = {
  adds: {
    before: async () => undefined,
    act: (engine, job) => engine.add(job),
    after: (engine, job) => engine.add(job),
  },
  takes: { before: (engine, job) => engine.add(job), act: (engine, job) => taken(engine, job.labels) },
  'puts back': {
    before: held,
    act: (engine, _, run) => engine.giveBack(run as Taken, { afterMs: 500, waitsFor: 'x' }),
  },
  completes: {
    before: held,
    act: (engine, _, run) => engine.complete(run as Taken, RESULT),
  },
  buries: {
    before: held,
    act: (engine, _, run) => engine.bury(run as Taken, 'bad'),
    after: (engine, job) => engine.again(job.run),
  },
  'ends what nobody holds': {
    before: (engine, job) => engine.add(job, { notBefore: far() }),
    act: (engine, job) => engine.endUnheld(job.run, cancelled),
    after: (engine, job) => engine.endUnheld(job.run, cancelled),
  },
  'begins anew what ended so': {
    before: async (engine, job) => {
      await engine.add(job, { notBefore: far() });
      await engine.endUnheld(job.run, cancelled);
    },
    act: (engine, job) => engine.again(job.run),
    after: (engine, job) => engine.again(job.run),
  },
};
const STEPS = [0, 1, 2, 3, 4, 5, 6];

export async function noRunIsLost(store: Store): Promise<void> {
  const address = readAddress(store.url, {});
  const opened = await openStore(address);
  const lives = await openEngine(store.url, {});
  const runs: string[] = [];
  for (const [name, { before, act }] of Object.entries(ACTS)) {
    for (const steps of STEPS) {
      const life = new Life();
      const records = mortal(opened.records, life);
      const backend = mortal(opened.backend, life);
      const dies = engineAt({ place: '' }, async () => ({ ...opened, records, backend }));
      const job = aJob(`${name.replaceAll(' ', '-')}-${steps}`, { labels: [`${name} ${steps}`] });
      runs.push(job.run);
      const prepared = await before(dies, job);
      life.left = steps;
      await act(dies, job, prepared).catch((error: unknown) => expect(String(error)).toContain('died'));
      life.left = 0;
    }
  }
  const labels = Object.keys(ACTS).flatMap((name) => STEPS.map((steps) => `${name} ${steps}`));
  const open = new Set(runs);
  await until(async () => {
    const next = await lives.take(labels, 'lives', 200);
    if (next) await lives.complete(next, RESULT);
    for (const run of next ? [] : open) {
      const name = Object.keys(ACTS).find((act) => run.startsWith(act.replaceAll(' ', '-'))) ?? '';
      const steps = run.slice(run.lastIndexOf('-') + 1);
      const view = await lives.job(run);
      if (view?.state === 'ended') open.delete(run);
      else if (view === undefined || view.state === 'delayed' || view.state === 'dead')
        await ACTS[name]?.after?.(lives, aJob(run, { labels: [`${name} ${steps}`] }));
    }
    return open.size === 0;
  });
  const all = await lives.jobs(['waiting', 'delayed', 'active', 'ended', 'dead'], 0, 1_000);
  expect(all.map(({ run }) => run).sort()).toEqual([...runs].sort());
  await lives.close();
  await opened.close();
}
