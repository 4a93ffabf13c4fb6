import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dayOf } from '../../../src/engine/core/fleet/budget.ts';
import type { Engine } from '../../../src/engine/ports/fleet.ts';
import type { WorkerEvent } from '../../../src/fleet/worker/events.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';
import { WorkerScene } from '../../support/fleet/worker-scene.ts';
import { waitFor } from '../../support/live/processes.ts';

let store: Store;
let scene: WorkerScene;

beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());
beforeEach(async () => {
  scene = await WorkerScene.open(store);
});
afterEach(() => scene.close());

const told = <Type extends WorkerEvent['type']>(events: readonly WorkerEvent[], type: Type) =>
  events.filter((event): event is WorkerEvent & { type: Type } => event.type === type);

const command = (id: string, what: 'cancel' | 'resume') => ({ id, command: what, at: Date.now() });

describe('runs', () => {
  test('are taken, published, ended, and leave no folder', async () => {
    const runs = [
      await scene.submit({ iterations: 2, usd: 0.5 }),
      await scene.submit({}),
      await scene.submit({}),
    ];
    const { events, over, folders } = await scene.start({ once: true });
    await over;
    for (const run of runs) expect(await scene.state(run)).toBe('ended');
    expect(
      told(events, 'ended')
        .map(({ run }) => run)
        .sort(),
    ).toEqual(runs);
    expect(told(events, 'iteration').filter(({ run }) => run === runs[0])).toMatchObject([
      { iteration: 1, cost_usd: 0.5, commit: 'c1' },
      { iteration: 2, cost_usd: 1, commit: 'c2' },
    ]);
    expect(await scene.engine.lines(runs[0] ?? '', 0, 9)).toEqual(['line 1', 'line 2']);
    expect((await scene.engine.spent(dayOf(Date.now()))).usd).toBe(1);
    expect(readdirSync(join(folders.workdir, 'workers', folders.worker))).toEqual([]);
  });

  test('whose seal does not fit are dead, and the cause says what to do', async () => {
    const run = await scene.submit({}, {}, { secret: 'f'.repeat(64) });
    await (await scene.start({ once: true })).over;
    const job = await scene.engine.job(run);
    expect(job?.state).toBe('dead');
    expect(job?.why).toContain(`untildone fleet retry ${run}`);
  });

  test('of a version that the worker does not know, and of repositories that are not its own, are left to others', async () => {
    const newer = await scene.submit({}, {}, { v: 2 });
    const other = await scene.submit({}, { repo: 'https://git.example/other' });
    const own = await scene.submit({});
    const { events } = await scene.start({ repos: ['*/a'] });
    await scene.reaches(own, 'ended');
    await waitFor(() => told(events, 'put_back').length >= 2);
    const whys = told(events, 'put_back').map(({ run, why }) => [run, why]);
    expect(whys).toContainEqual([newer, expect.stringContaining('version 2')]);
    expect(whys).toContainEqual([other, expect.stringContaining('https://git.example/other')]);
  });

  test('get the variables that they name, and nothing of the queue or the secret', async () => {
    const file = join(scene.folder, 'environment.json');
    await scene.submit({ environment: file });
    await (await scene.start({ once: true }, { envFor: () => ({ PATH: process.env.PATH, TOKEN: 't' }) }))
      .over;
    const env = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    expect(env.TOKEN).toBe('t');
    expect(JSON.stringify(env)).not.toContain(scene.secret);
    expect(Object.keys(env).filter((name) => /QUEUE|SECRET/.test(name))).toEqual([]);
  });
});

describe('a poison run', () => {
  test.each([
    ['whose process crashes', { crash: 'first' as const }, 'TypeError: the score says so'],
    ['that fails', { outcome: { kind: 'failed', why: 'no clone' }, iterations: 0 }, 'no clone'],
  ])('%s is dead after its attempts', async (_, score, cause) => {
    const run = await scene.submit(score, { attempts: 2 });
    const { events, over } = await scene.start({ once: true });
    await over;
    const job = await scene.engine.job(run);
    expect(job?.state).toBe('dead');
    expect(job?.why).toContain('it failed 2 times in a row');
    expect(job?.why).toContain(cause);
    expect(told(events, 'taken')).toHaveLength(2);
  });

  test('that the remote knows to have been taken too often is dead at once, also when its process is deaf', async () => {
    const run = await scene.submit({ takes: 4, deaf: true, until: join(scene.folder, 'never') });
    await (await scene.start({ once: true })).over;
    const job = await scene.engine.job(run);
    expect(job?.state).toBe('dead');
    expect(job?.why).toContain('without an iteration being published');
  });

  test('a hopeless one is dead at once', async () => {
    const run = await scene.submit({ outcome: { kind: 'hopeless', why: 'no contract' }, iterations: 0 });
    await (await scene.start({ once: true })).over;
    expect(await scene.engine.job(run)).toMatchObject({ state: 'dead', why: 'no contract' });
  });
});

describe('a run waits', () => {
  test('for those that it comes after, and is dead when one of them ends otherwise', async () => {
    const gate = join(scene.folder, 'go');
    const first = await scene.submit({ until: gate });
    const failing = await scene.submit({ status: 'stalled' });
    const second = await scene.submit({}, { after: [first] });
    const never = await scene.submit({}, { after: [failing] });
    const { events, over } = await scene.start({ once: true, concurrency: 4 });
    await waitFor(() => told(events, 'put_back').find(({ run }) => run === second));
    writeFileSync(gate, '');
    await over;
    const ended = told(events, 'ended').map(({ run }) => run);
    expect(ended.indexOf(second)).toBeGreaterThan(ended.indexOf(first));
    expect((await scene.engine.job(never))?.why).toContain(`${failing}, which ended as stalled`);
  });

  test('for a place, and limits are never exceeded', async () => {
    await scene.engine.setLimits({ runs: 1 });
    const runs = [];
    for (let at = 0; at < 4; at++) runs.push(await scene.submit({ ms: 60 }));
    const workers = [await scene.start({ once: true }), await scene.start({ once: true })];
    await Promise.all(workers.map(({ over }) => over));
    for (const run of runs) expect(await scene.state(run)).toBe('ended');
    expect(scene.drivers.mostAtATime).toBe(1);
  });

  test('for the money of the day, at the take and before an iteration, and goes on when the limit is raised', async () => {
    const day = dayOf(Date.now());
    await scene.engine.setLimits({ usdPerDay: 1 });
    const run = await scene.submit({ iterations: 3, usd: 1 });
    const { events } = await scene.start();
    await scene.reaches(run, 'delayed');
    expect(told(events, 'iteration')).toHaveLength(1);
    expect((await scene.engine.spent(day)).usd).toBe(1);
    expect((await scene.engine.job(run))?.why).toContain('the fleet has spent 1.00 of 1.00 USD today');
    await scene.engine.again(run);
    await waitFor(() => told(events, 'put_back').length >= 1);
    await scene.engine.setLimits({});
    await scene.engine.again(run);
    await scene.reaches(run, 'ended');
  });

  test('for the rate of its model', async () => {
    await scene.engine.setLimits({ iterationsPerMinute: { slow: 1 } });
    const run = await scene.submit({ iterations: 2 }, { client: { model: 'slow' } });
    await scene.start();
    await waitFor(async () =>
      (await scene.engine.job(run))?.news?.doing.includes('slow has begun its 1 iterations'),
    );
    expect((await scene.engine.job(run))?.news?.iteration).toBe(1);
  });

  test('for you: a command wakes it', async () => {
    const run = await scene.submit({ outcome: { kind: 'rests', why: 'paused' }, iterations: 0 });
    const { events } = await scene.start();
    await waitFor(() => told(events, 'put_back').length > 0);
    expect(told(events, 'put_back')).toMatchObject([{ after_s: null, why: 'paused' }]);
    await scene.engine.command(run, command('c1', 'resume'));
    await waitFor(() => told(events, 'taken').length === 2);
  });
});

test('while the store is away runs go on, and what became of them is written when it is back', async () => {
  const gate = join(scene.folder, 'go');
  const run = await scene.submit({ until: gate, iterations: 2, usd: 1 });
  const { events } = await scene.start();
  await scene.works(run);
  await store.stop();
  try {
    await waitFor(() => told(events, 'store').some(({ reachable }) => !reachable));
    writeFileSync(gate, '');
    await waitFor(() => told(events, 'iteration').length === 2);
  } finally {
    await store.start();
  }
  await scene.reaches(run, 'ended');
  expect(told(events, 'store').map(({ reachable }) => reachable)).toEqual([false, true]);
  expect((await scene.engine.spent(dayOf(Date.now()))).usd).toBe(2);
  expect(await scene.engine.lines(run, 0, 9)).toEqual(['line 1', 'line 2']);
});

test('what a killed worker did not tell of money is told by the next one, and counts once', async () => {
  const at = Date.now();
  const spent = [1, 2].map((iteration) => ({ iteration, usd: 1, at }));
  await scene.engine.spend(dayOf(at), 'https://git.example/a', 1, 'r-1 1');
  await scene.submit({ spent, iterations: 1, usd: 3 });
  await (await scene.start({ once: true })).over;
  expect((await scene.engine.spent(dayOf(at))).usd).toBe(5);
});

describe('a worker', () => {
  test('that is asked to cancel a run ends it', async () => {
    const run = await scene.submit({ until: join(scene.folder, 'never') });
    const { events } = await scene.start();
    await waitFor(() => told(events, 'taken').length === 1);
    await scene.engine.command(run, command('c1', 'cancel'));
    await waitFor(() => told(events, 'ended').length > 0);
    expect(told(events, 'ended')).toMatchObject([{ run, status: 'cancelled' }]);
  });

  test('drains: finishes the iteration, hands back, takes nothing new', async () => {
    const gate = join(scene.folder, 'go');
    const run = await scene.submit({ until: gate, iterations: 3 });
    const { worker, events, over } = await scene.start({ concurrency: 1 });
    await scene.works(run);
    const waiting = await scene.submit({});
    worker.drain('SIGTERM');
    expect(told(events, 'draining')).toMatchObject([{ waits_for: [run] }]);
    writeFileSync(gate, '');
    await over;
    expect(await scene.state(run)).toBe('waiting');
    expect(await scene.state(waiting)).toBe('waiting');
    expect(told(events, 'iteration')).toHaveLength(1);
  });

  test('drains by `fleet drain`', async () => {
    const { over } = await scene.start({}, {}, { name: 'named' });
    await scene.engine.drain('named', true);
    await over;
  });

  test('that is cut off puts its runs back at once, and nothing of them runs on', async () => {
    const run = await scene.submit({ until: join(scene.folder, 'never'), deaf: true });
    const { worker, over } = await scene.start();
    await scene.works(run);
    worker.drain('SIGTERM');
    await worker.cutOff();
    await over;
    expect(await scene.state(run)).toBe('waiting');
    expect((await scene.engine.job(run))?.failures).toBe(0);
  });

  test('stops a run that it has lost, also one that is deaf, and writes nothing about it', async () => {
    const run = await scene.submit({ until: join(scene.folder, 'never'), deaf: true });
    const beat: Engine['beat'] = async (view, held) => ({
      ...(await scene.engine.beat(view, held)),
      lost: held.map((taken) => taken.run),
    });
    const { worker, events } = await scene.start({}, {}, { changed: { beat } });
    await waitFor(() => told(events, 'lost').length === 1);
    expect(worker.runs).toEqual([]);
    expect(told(events, 'lost')).toMatchObject([{ run }]);
    expect(told(events, 'put_back')).toEqual([]);
  });

  test('that is paused with the fleet takes nothing until it goes on', async () => {
    await scene.engine.pause(true);
    const { events } = await scene.start();
    await waitFor(() => told(events, 'note').some(({ text }) => text.includes('paused')));
    const run = await scene.submit({});
    await scene.engine.pause(false);
    await scene.reaches(run, 'ended');
  });

  test('without room takes nothing, and says so where the fleet looks', async () => {
    const run = await scene.submit({});
    const caches = join(scene.folder, 'work', 'caches');
    mkdirSync(caches, { recursive: true });
    writeFileSync(join(caches, 'large'), 'x'.repeat(100));
    const { events, worker } = await scene.start({ maxDisk: 1 });
    await waitFor(async () =>
      (await scene.engine.workers()).some(({ note }) => note?.includes('--max-disk')),
    );
    expect(told(events, 'note').some(({ text }) => text.includes('takes nothing'))).toBe(true);
    expect(worker.runs).toEqual([]);
    expect(existsSync(join(scene.folder, 'work'))).toBe(true);
    expect(await scene.state(run)).toBeDefined();
  });
});
