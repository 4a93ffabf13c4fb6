/** What every engine does, whatever its store. */
import { expect } from 'vitest';
import { Fenced } from '../../../src/engine/core/fleet/errors.ts';
import type { Engine, FleetJob, RunResult, Taken, WorkerView } from '../../../src/engine/ports/fleet.ts';
import { PATIENCE_MS } from '../patience.ts';

export interface Rig {
  /** Another engine on the same store and space, as another process has it. */
  open(): Promise<Engine>;
}

export const RESULT: RunResult = {
  status: 'verified',
  cause: 'all gates pass',
  iterations: 3,
  costUsd: 1.5,
  tokens: 900,
};

export function aJob(run: string, over: Partial<FleetJob> = {}): FleetJob {
  const job = {
    run,
    repo: 'https://example.org/a.git',
    labels: [],
    priority: 0,
    spec: `{"run":"${run}"}`,
    submittedAt: 1_000,
    title: 'do it',
  };
  return { ...job, ...over };
}

export function aWorker(name: string, over: Partial<WorkerView> = {}): WorkerView {
  const view = {
    name,
    host: 'h',
    pid: 1,
    version: '1',
    labels: [],
    concurrency: 2,
    runs: [],
    draining: false,
  };
  return { ...view, startedAt: Date.now() - 60_000, at: Date.now(), ...over };
}

/** Takes the next run; one has to be there. */
export async function taken(engine: Engine, labels: readonly string[] = [], worker = 'w'): Promise<Taken> {
  const found = await engine.take(labels, worker, PATIENCE_MS);
  if (found === undefined) throw new Error('there was nothing to take');
  return found;
}

export async function until<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > end) throw new Error('what was waited for did not come');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Each case has a space of its own in the store, so that all may run at once. */
export const CONTRACT: Record<string, (rig: Rig) => Promise<void>> = {
  async 'a run is added once, and taken once'({ open }) {
    const [a, b] = [await open(), await open()];
    const answers = await Promise.all([a, b, a, b].map((engine) => engine.add(aJob('r-1'))));
    expect(answers.filter((answer) => answer === 'added')).toHaveLength(1);
    expect(await a.job('r-1')).toMatchObject({
      ...aJob('r-1'),
      state: 'waiting',
      takes: 0,
      stalls: 0,
      failures: 0,
    });
    const both = await Promise.all([a.take([], 'a', 50), b.take([], 'b', 50)]);
    const [held] = both.filter((one) => one !== undefined);
    expect(both.filter((one) => one !== undefined)).toHaveLength(1);
    expect(held).toMatchObject({ ...aJob('r-1'), takes: 1, stalls: 0, failures: 0 });
    expect(await a.add(aJob('r-1'))).toBe('known');
    expect(await a.job('r-1')).toMatchObject({ state: 'active', worker: both[0] ? 'a' : 'b' });
    if (held) await a.complete(held, RESULT);
    expect(await b.job('r-1')).toMatchObject({ state: 'ended', result: RESULT });
    expect(await a.add(aJob('r-1'))).toBe('known');
    expect(await b.counts()).toEqual({ waiting: 0, delayed: 0, active: 0, ended: 1, dead: 0 });
    expect(await a.job('never')).toBeUndefined();
    expect(await a.job('a:b')).toBeUndefined();
  },

  async 'priorities: 0 first, then larger ones, each in the order of adding'({ open }) {
    const engine = await open();
    for (const [run, priority] of Object.entries({ five: 5, 'zero-a': 0, one: 1, 'zero-b': 0 }))
      await engine.add(aJob(run, { priority }));
    const waiting = await engine.jobs(['waiting'], 0, 10);
    const order: string[] = [];
    for (let i = 0; i < 4; i += 1) order.push((await taken(engine)).run);
    expect(order).toEqual(['zero-a', 'zero-b', 'one', 'five']);
    expect(waiting.map(({ run }) => run)).toEqual(order);
  },

  async 'a worker takes what its labels suffice for, and no lane starves'({ open }) {
    const [submits, works] = [await open(), await open()];
    const waiting = works.take(['gpu', 'linux', 'a b', 'ü+:'], 'w', PATIENCE_MS);
    await submits.add(aJob('mac', { labels: ['mac'] }));
    await submits.add(aJob('odd', { labels: ['ü+:', 'a b'] }));
    expect((await waiting)?.run).toBe('odd');
    expect(await works.take([], 'w', 0)).toBeUndefined();
    for (const n of [1, 2, 3]) {
      await submits.add(aJob(`plain-${n}`));
      await submits.add(aJob(`gpu-${n}`, { labels: ['gpu'] }));
      await submits.add(aJob(`both-${n}`, { labels: ['linux', 'gpu'] }));
    }
    const firstThree: string[] = [];
    for (let i = 0; i < 3; i += 1)
      firstThree.push((await taken(works, ['linux', 'gpu'])).run.split('-')[0] ?? '');
    expect(firstThree.sort()).toEqual(['both', 'gpu', 'plain']);
    expect((await submits.counts()).waiting).toBe(7);
    expect((await taken(works, ['mac'])).labels.concat((await taken(works, ['mac'])).labels)).toContain(
      'mac',
    );
  },

  async 'taking ends with its time and with its signal'({ open }) {
    const engine = await open();
    await engine.add(aJob('gpu', { labels: ['gpu'] }));
    const began = Date.now();
    expect(await engine.take([], 'w', 60)).toBeUndefined();
    const stop = new AbortController();
    const waiting = engine.take([], 'w', PATIENCE_MS, stop.signal);
    setTimeout(() => stop.abort(), 50);
    expect(await waiting).toBeUndefined();
    expect(await engine.take([], 'w', PATIENCE_MS, stop.signal)).toBeUndefined();
    expect(Date.now() - began).toBeLessThan(PATIENCE_MS / 4);
  },

  async 'a delayed run comes back by itself, and a put-back one with its why'({ open }) {
    const engine = await open();
    const notBefore = Date.now() + 2_500;
    await engine.add(aJob('later'), { notBefore });
    expect(await engine.job('later')).toMatchObject({ state: 'delayed', notBefore });
    expect(await engine.take([], 'w', 0)).toBeUndefined();
    const first = await taken(engine);
    expect(Date.now()).toBeGreaterThanOrEqual(notBefore);
    await engine.giveBack(first, { afterMs: 300, why: 'the remote is away', failed: true });
    expect(await engine.job('later')).toMatchObject({
      state: 'delayed',
      why: 'the remote is away',
      failures: 1,
    });
    const second = await taken(engine);
    expect(second).toMatchObject({ takes: 2, failures: 1 });
    await engine.giveBack(second, { afterMs: 0, why: 'again', failed: true });
    const third = await taken(engine);
    expect(third).toMatchObject({ takes: 3, failures: 2 });
    await engine.giveBack(third, { afterMs: 60_000, waitsFor: 'x' });
    expect(await engine.job('later')).toMatchObject({ state: 'delayed', failures: 2 });
    expect(await engine.again('later')).toBe(true);
    await engine.giveBack(await taken(engine), { afterMs: 0, failed: true });
    await engine.giveBack(await taken(engine), { afterMs: 0, why: 'waits' });
    const waited = await taken(engine);
    expect(waited).toMatchObject({ failures: 1 });
    await engine.giveBack(waited, { afterMs: 0, failed: false });
    expect(await taken(engine)).toMatchObject({ failures: 0 });
  },

  async 'dead letters keep their cause, and are taken again with a new spec'({ open }) {
    const engine = await open();
    await engine.add(aJob('bad', { labels: ['x'] }));
    await engine.bury(await taken(engine, ['x']), 'no\0 contract\ud800');
    expect(await engine.job('bad')).toMatchObject({ state: 'dead', why: 'no contract\ufffd' });
    expect(await engine.again('bad', 'other')).toBe(true);
    expect(await engine.again('bad')).toBe(false);
    const held = await taken(engine, ['x']);
    expect(held).toMatchObject({ spec: 'other', failures: 0 });
    expect(await engine.again('bad')).toBe(false);
    await engine.complete(held, RESULT);
    expect(await engine.again('bad')).toBe(true);
    expect(await engine.job('bad')).toMatchObject({ state: 'waiting' });
    expect((await engine.job('bad'))?.result).toBeUndefined();
    expect(await engine.again('never')).toBe(false);
  },

  async 'only the holder lets a run go, and doing it again does nothing'({ open }) {
    const engine = await open();
    await engine.add(aJob('r-1'));
    const held = await taken(engine);
    const forged = { ...held, token: 'another' };
    await expect(engine.complete(forged, RESULT)).rejects.toBeInstanceOf(Fenced);
    await expect(engine.bury(forged, 'x')).rejects.toBeInstanceOf(Fenced);
    await expect(engine.giveBack(forged, { afterMs: 0 })).rejects.toBeInstanceOf(Fenced);
    expect((await engine.beat(aWorker('w'), [held])).lost).toEqual([]);
    expect((await engine.beat(aWorker('w'), [forged])).lost).toEqual(['r-1']);
    await engine.giveBack(held, { afterMs: 60_000, failed: true });
    await engine.giveBack(held, { afterMs: 60_000, failed: true });
    expect(await engine.job('r-1')).toMatchObject({ state: 'delayed', failures: 1 });
    await engine.again('r-1');
    const next = await taken(engine);
    await expect(engine.complete(held, RESULT)).rejects.toBeInstanceOf(Fenced);
    await engine.complete(next, RESULT);
    await engine.complete(next, RESULT);
    expect((await engine.beat(aWorker('w'), [next])).lost).toEqual(['r-1']);
  },

  async 'a run that nobody holds ends by a command, and begins anew'({ open }) {
    const engine = await open();
    const cancelled = { ...RESULT, status: 'cancelled', cause: 'by you' };
    await engine.add(aJob('waits', { labels: ['x'] }));
    await engine.add(aJob('sleeps'), { notBefore: Date.now() + 3_600_000 });
    await engine.add(aJob('held', { priority: 3 }));
    const held = await taken(engine);
    expect(await engine.endUnheld('held', cancelled)).toBe(false);
    for (const run of ['waits', 'sleeps']) {
      expect(await engine.endUnheld(run, cancelled)).toBe(true);
      expect(await engine.endUnheld(run, cancelled)).toBe(true);
      expect(await engine.job(run)).toMatchObject({ state: 'ended', result: cancelled, run });
      expect(await engine.add(aJob(run))).toBe('known');
    }
    expect(await engine.take(['x'], 'w', 0)).toBeUndefined();
    expect(await engine.counts()).toEqual({ waiting: 0, delayed: 0, active: 1, ended: 2, dead: 0 });
    expect((await engine.jobs(['ended', 'active'], 0, 9)).map(({ run }) => run).sort()).toEqual([
      'held',
      'sleeps',
      'waits',
    ]);
    expect(await engine.again('waits')).toBe(true);
    expect(await taken(engine, ['x'])).toMatchObject({
      run: 'waits',
      labels: ['x'],
      spec: aJob('waits').spec,
    });
    await engine.complete(held, RESULT);
    expect(await engine.counts()).toEqual({ waiting: 0, delayed: 0, active: 1, ended: 2, dead: 0 });
    expect(await engine.remove('sleeps')).toBe(true);
    expect(await engine.remove('waits')).toBe(false);
    expect(await engine.job('sleeps')).toBeUndefined();
    expect(await engine.add(aJob('sleeps'))).toBe('added');
    expect(await engine.endUnheld('never', cancelled)).toBe(false);
  },

  async 'slots: all or none, never more than there are, and one that waits is woken'({ open }) {
    const [a, b] = [await open(), await open()];
    const slots = [
      { name: 'all', most: 3 },
      { name: 'repo r', most: 2 },
    ];
    const claims = await Promise.all(
      ['1', '2', '3', '4', '5'].map((n) => (Number(n) % 2 ? a : b).claimSlots(`r-${n}`, slots)),
    );
    expect(claims.filter((full) => full === undefined)).toHaveLength(2);
    expect(claims.filter((full) => full === 'repo r')).toHaveLength(3);
    const owner = claims[0] === undefined ? a : b;
    const first = `r-${claims.indexOf(undefined) + 1}`;
    expect(await a.claimSlots('other', [{ name: 'all', most: 3 }])).toBeUndefined();
    expect(await a.claimSlots('one more', [{ name: 'all', most: 3 }])).toBe('all');
    for (const run of ['w-1', 'w-2']) {
      await a.add(aJob(run));
      await a.giveBack(await taken(a), { afterMs: 3_600_000, why: 'repo r is full', waitsFor: 'repo r' });
    }
    // Whoever does not hold it cannot free it.
    await (owner === a ? b : a).releaseSlots(first);
    expect((await a.counts()).delayed).toBe(2);
    await owner.releaseSlots(first);
    const woken = await taken(b);
    expect(woken.run).toBe('w-1');
    expect((await a.counts()).delayed).toBe(1);
    expect(await b.claimSlots('w-1', slots)).toBeUndefined();
    expect(await b.claimSlots('w-1', slots)).toBeUndefined();
    await b.setLimits({ runs: 9 });
    expect((await taken(a)).run).toBe('w-2');
    expect(await a.limits()).toEqual({ runs: 9 });
  },

  async 'a slot that became free before the run was put back wakes it, too'({ open }) {
    const engine = await open();
    expect(await engine.claimSlots('holder', [{ name: 'all', most: 1 }])).toBeUndefined();
    await engine.add(aJob('r-1'));
    const held = await taken(engine);
    expect(await engine.claimSlots('r-1', [{ name: 'all', most: 1 }])).toBe('all');
    await engine.releaseSlots('holder');
    await engine.giveBack(held, { afterMs: 3_600_000, waitsFor: 'all' });
    expect((await taken(engine)).run).toBe('r-1');
  },
};
