/** What every engine does beside the queue, whatever its store. */
import { expect } from 'vitest';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import type { RunCommand } from '../../../src/engine/ports/fleet.ts';
import { PATIENCE_MS } from '../patience.ts';
import { aJob, aWorker, RESULT, type Rig, taken, until } from './engine-contract.ts';

export const RECORDS_CONTRACT: Record<string, (rig: Rig) => Promise<void>> = {
  async 'commands come once to each holder, in order, until they are acknowledged'({ open }) {
    const [worker, other, person] = [await open(), await open(), await open()];
    const ask = (id: string, command: RunCommand['command']) => person.command('r-1', { id, command, at: 1 });
    await worker.add(aJob('r-1'));
    await ask('c-1', 'pause');
    const held = await taken(worker);
    await ask('c-2', 'resume');
    await ask('c-2', 'resume');
    const view = aWorker('w', { runs: ['r-1'] });
    expect((await worker.beat(view, [held])).commands['r-1']?.map(({ id }) => id)).toEqual(['c-1', 'c-2']);
    expect((await worker.beat(view, [held])).commands).toEqual({});
    // As another process, that goes on with the run after this one died.
    expect((await other.beat(view, [held])).commands['r-1']).toHaveLength(2);
    await worker.acknowledge('r-1', ['c-1']);
    const third = await open();
    expect((await third.beat(view, [held])).commands['r-1']?.map(({ id }) => id)).toEqual(['c-2']);
    // Nobody has heard this one: the run does not sleep over it.
    await ask('c-3', 'pause');
    await worker.giveBack(held, { afterMs: 3_600_000 });
    expect((await person.job('r-1'))?.notBefore ?? 0).toBeLessThan(Date.now() + 60_000);
    await ask('c-4', 'resume');
    const again = await taken(other);
    expect((await other.beat(view, [again])).commands['r-1']?.map(({ id }) => id)).toEqual(['c-3', 'c-4']);
    await other.giveBack(again, { afterMs: 3_600_000, unapplied: ['c-4'] });
    const last = await taken(other);
    expect((await other.beat(view, [last])).commands['r-1']?.map(({ id }) => id)).toEqual(['c-4']);
    await other.giveBack(last, { afterMs: 3_600_000 });
    expect((await person.job('r-1'))?.notBefore ?? 0).toBeGreaterThan(Date.now() + 60_000);
    await other.again('r-1');
    await other.complete(await taken(other), RESULT);
    await ask('c-5', 'cancel');
    await other.again('r-1');
    expect((await other.beat(view, [await taken(other)])).commands).toEqual({});
  },

  async 'workers, draining and pausing'({ open }) {
    const [worker, person] = [await open(), await open()];
    const view = aWorker('w-1', { labels: ['gpu'], diskFree: 5 });
    expect(await worker.beat(view, [])).toEqual({ lost: [], commands: {}, drain: false, paused: false });
    expect(await person.workers()).toEqual([view]);
    await person.drain('w-1', true);
    expect(await worker.beat(view, [])).toMatchObject({ drain: true });
    expect(await worker.beat(aWorker('w-2'), [])).toMatchObject({ drain: false });
    // The one that takes its place under the same name does not drain.
    expect(await worker.beat({ ...view, startedAt: Date.now() + 60_000 }, [])).toMatchObject({
      drain: false,
    });
    await person.drain('w-1', false);
    await person.pause(true);
    expect(await worker.isPaused()).toBe(true);
    await person.add(aJob('r-1'));
    expect(await worker.beat(view, [])).toMatchObject({ drain: false, paused: true });
    const waiting = worker.take([], 'w-1', PATIENCE_MS);
    expect(await person.take([], 'w-2', 100)).toBeUndefined();
    await person.pause(false);
    expect(await waiting).toMatchObject({ run: 'r-1' });
    expect(await person.isPaused()).toBe(false);
  },

  async 'news and journal lines: in their places, bounded, and gone with the run'({ open }) {
    const engine = await open();
    const news = {
      worker: 'w',
      status: 'running',
      iteration: 2,
      costUsd: 0.5,
      tokens: 10,
      doing: 'itera\0tes',
      at: 5,
    };
    await engine.add(aJob('r-1'));
    await engine.tell('never', news, ['x']);
    expect(await engine.lines('never', 0, 9)).toEqual([]);
    await engine.tell('r-1', news, ['a', '{"b":"\\u0000 ü"}']);
    await engine.tell('r-1', news, ['c'], 2);
    await engine.tell('r-1', news, ['c', 'd'], 2);
    expect(await engine.lines('r-1', 0, 9)).toEqual(['a', '{"b":"\\u0000 ü"}', 'c', 'd']);
    expect(await engine.lines('r-1', 1, 2)).toEqual(['{"b":"\\u0000 ü"}', 'c']);
    expect(await engine.lines('r-1', 4, 2)).toEqual([]);
    await engine.tell('r-1', { ...news, iteration: 3 }, ['B'], 1);
    expect(await engine.lines('r-1', 0, 9)).toEqual(['a', 'B']);
    expect((await engine.job('r-1'))?.news).toMatchObject({ iteration: 3, worker: 'w' });
    const many = Array.from({ length: 6_000 }, (_, n) => `line ${n}`);
    await engine.tell('r-1', news, many, 0);
    expect(await engine.lines('r-1', 999, 3)).toEqual(['', 'line 1000', 'line 1001']);
    expect(await engine.lines('r-1', 0, 2)).toEqual(['', '']);
    expect(await engine.lines('r-1', 5_999, 9)).toEqual(['line 5999']);
    await engine.tell('r-1', news, ['far'], 7_000);
    expect(await engine.lines('r-1', 6_998, 5)).toEqual(['', '', 'far']);
    expect(await engine.remove('r-1')).toBe(true);
    expect(await engine.lines('r-1', 0, 9)).toEqual([]);
  },

  async 'money is counted once, and iterations by the minute'({ open }) {
    const [a, b] = [await open(), await open()];
    await Promise.all([a, b, a].map((engine) => engine.spend('2026-01-31', 'repo: a', 0.5, 'r-1 #1')));
    await a.spend('2026-01-31', 'b', 0.25, 'r-1 #2');
    await a.spend('2026-02-01', 'b', 7, 'r-1 #1');
    expect(await b.spent('2026-01-31')).toEqual({
      day: '2026-01-31',
      usd: 0.75,
      byRepo: { 'repo: a': 0.5, b: 0.25 },
    });
    expect(await b.spent('2026-03-01')).toEqual({ day: '2026-03-01', usd: 0, byRepo: {} });
    const waits = await Promise.all(
      Array.from({ length: 9 }, (_, n) => (n % 2 ? a : b).countIteration('opus', 3)),
    );
    // A new minute may begin in between.
    expect([3, 4, 5, 6]).toContain(waits.filter((ms) => ms === 0).length);
    for (const ms of waits) expect(ms).toBeLessThanOrEqual(60_000);
    expect(await a.countIteration('haiku', 1)).toBe(0);
    expect(await a.countIteration('never', 0)).toBeGreaterThan(0);
  },

  async 'what is due is handed to one worker'({ open }) {
    const [a, b, person] = [await open(), await open(), await open()];
    await expect(
      person.schedule({ id: 'x', when: { cron: 'every monday' }, template: 't' }),
    ).rejects.toBeInstanceOf(UsageError);
    await person.schedule({ id: 'often', when: { everyMs: 1_000 }, template: 't-1' });
    await person.schedule({ id: 'nightly', when: { cron: '0 3 * * *' }, template: 't-2' });
    const listed = await person.schedules();
    expect(
      listed.map(({ id, when, template }) => ({ id, when, template })).sort((x, y) => (x.id < y.id ? -1 : 1)),
    ).toEqual([
      { id: 'nightly', when: { cron: '0 3 * * *' }, template: 't-2' },
      { id: 'often', when: { everyMs: 1_000 }, template: 't-1' },
    ]);
    const nightly = listed.find(({ id }) => id === 'nightly')?.next ?? 0;
    expect(new Date(nightly).toISOString()).toContain('T03:00:00.000Z');
    expect(nightly).toBeGreaterThan(Date.now());
    // The same again leaves the times as they are; another template counts from the next time on.
    await person.schedule({ id: 'hourly', when: { everyMs: 3_600_000 }, template: 't-3' });
    const hourly = (await person.schedules()).find(({ id }) => id === 'hourly')?.next;
    await person.schedule({ id: 'hourly', when: { everyMs: 3_600_000 }, template: 't-4' });
    expect((await person.schedules()).find(({ id }) => id === 'hourly')).toMatchObject({
      next: hourly,
      template: 't-4',
    });
    expect(hourly).toBeGreaterThan(Date.now());
    await person.unschedule('hourly');
    const got: { id: string; at: number; template: string }[] = [];
    await until(async () => {
      for (const engine of [a, b]) {
        for (const due of await engine.due()) {
          got.push(due);
          await engine.handled(due.id, due.at);
        }
      }
      return got.length >= 3;
    });
    expect(new Set(got.map(({ at }) => at)).size).toBe(got.length);
    expect(new Set(got.map(({ id, template }) => `${id} ${template}`))).toEqual(new Set(['often t-1']));
    expect(await person.unschedule('often')).toBe(true);
    expect(await person.unschedule('often')).toBe(false);
    expect((await person.schedules()).map(({ id }) => id)).toEqual(['nightly']);
  },

  async 'pages of many runs'({ open }) {
    const engine = await open();
    const runs = Array.from({ length: 25 }, (_, n) =>
      aJob(`r-${n}`, { labels: n % 2 ? ['x'] : [], submittedAt: n }),
    );
    await Promise.all(runs.map((job) => engine.add(job)));
    for (let n = 0; n < 5; n += 1) await engine.complete(await taken(engine, ['x']), RESULT);
    const seen: string[] = [];
    for (let from = 0; ; from += 7) {
      const page = await engine.jobs(['waiting', 'ended', 'dead'], from, 7);
      seen.push(...page.map(({ run }) => run));
      if (page.length < 7) break;
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen)).toEqual(new Set(runs.map(({ run }) => run)));
    expect(await engine.jobs([], 0, 5)).toEqual([]);
  },
};
