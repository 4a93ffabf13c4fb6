/** The pages of the dashboard over a fleet: the same views, and what you ask goes to the engine. */
import { expect, test, vi } from 'vitest';
import { sealSpec } from '../../../../src/fleet/secret.ts';
import type {
  ActionAnswer,
  EntriesPage,
  FleetView,
  LoopPage,
  Overview,
} from '../../../../src/read/dashboard/view/types.ts';
import { fleetTestWorld, memoryFleet, SECRET } from '../../../support/dashboard/fleet.ts';
import { ENDED, held } from '../../../support/dashboard/loops.ts';
import { type Served, served } from '../../../support/dashboard/served.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';

async function scene() {
  const fleet = memoryFleet(temporaryFolder());
  const page = await served(fleetTestWorld(fleet));
  return { ...fleet, page };
}

const until = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: 100 });
const rows = async (page: Served) => (await page.get<Overview>('api/overview')).loops;

test('runs of the fleet are shown as loops: with their repository and worker, without folders of workers', async () => {
  const { run, git, page } = await scene();
  const one = run('r-1', { task: 'Make it blue' });
  one.begin('worker-a');
  one.append(held());
  one.tell();
  git.set('r-1', one.published());
  await until(async () =>
    expect(await rows(page)).toMatchObject([
      {
        id: 'r-1',
        task: 'Make it blue',
        iteration: 2,
        doing: 'thinks',
        owner: { worker: 'worker-a', alive: true },
      },
    ]),
  );
  const overview = await page.get<Overview>('api/overview');
  expect(overview).toMatchObject({
    fleet: { place: 'redis://queue.example:6379' },
    projects: [{ name: 'shop', path: 'https://git.example/shop.git' }],
    needs: [],
    problems: [],
  });
  const view = await page.get<LoopPage>('api/loops/r-1');
  expect(view).toMatchObject({ task: 'Make it blue', problems: [], actions: ['pause', 'release', 'cancel'] });
  expect(view.contract).toBeDefined();
  const { entries } = await page.get<EntriesPage>('api/loops/r-1/entries');
  expect(entries.map(({ kind }) => kind)).toEqual(['start', 'hold']);
  const started = await page.get('api/loops/r-1/entries/0');
  expect(JSON.stringify([overview, view, started])).not.toContain('secret-path');
  const hold = await page.get<{ hasDiff: boolean }>('api/loops/r-1/entries/1/diff');
  expect(hold).toMatchObject({ problem: expect.stringContaining('refs/untildone/runs/r-1/work') });
});

test('a run tells, and pages that look at it are told within two seconds', async () => {
  const { run, page } = await scene();
  const one = run('r-1');
  one.begin();
  await until(async () => expect(await rows(page)).toHaveLength(1));
  const events = await page.events('?loop=r-1');
  await events.next('entries');
  const began = Date.now();
  one.append(held());
  one.tell();
  expect(await events.next('entries', ({ total }) => total === 2)).toMatchObject({
    entries: [{ kind: 'hold' }],
  });
  expect(Date.now() - began).toBeLessThan(PATIENCE_MS / 4);
  one.append(ENDED);
  one.tell();
  one.job({ state: 'ended', endedAt: Date.now() });
  await events.next('changes', ({ loops }) => loops.some(({ status }) => status === 'verified_done'));
  await until(async () =>
    expect(await page.get<FleetView>('api/fleet')).toMatchObject({
      endedLastHour: 1,
      counts: { ended: 1 },
      runs: [],
    }),
  );
});

test('the fleet: its workers, its queue, why runs wait, what died, limits and spending', async () => {
  const { run, engine, page } = await scene();
  const now = Date.now();
  const worker = {
    host: 'h',
    pid: 1,
    version: '0.1.0',
    labels: ['gpu'],
    concurrency: 2,
    startedAt: now,
    draining: false,
  };
  engine.list = [
    { ...worker, name: 'a', runs: ['r-1'], at: now, diskFree: 5e9 },
    { ...worker, name: 'b', runs: [], at: now - 60_000 },
  ];
  engine.most = { runs: 4, usdPerDay: 10, iterationsPerMinute: { '*': 30 } };
  engine.usd = 2.5;
  run('r-1').begin('a');
  run('r-2', { labels: ['tpu'] });
  run('r-3').job({
    state: 'delayed',
    why: 'the limit of the repository is reached',
    takes: 1,
    notBefore: now + 60_000,
  });
  run('r-4', { task: 'Poison' }).job({ state: 'dead', why: 'its contract cannot be read', endedAt: now });
  await until(async () => expect((await page.get<FleetView>('api/fleet')).runs).toHaveLength(4));
  const view = await page.get<FleetView>('api/fleet');
  expect(view).toMatchObject({
    counts: { active: 1, waiting: 1, delayed: 1, dead: 1, ended: 0 },
    spentUsd: 2.5,
    workers: [
      { name: 'b', lost: true },
      { name: 'a', runs: 1, concurrency: 2, diskFree: 5e9, labels: ['gpu'] },
    ],
    runs: [
      {
        run: 'r-4',
        state: 'dead',
        words: 'its contract cannot be read',
        actions: ['retry', 'cancel'],
        hasLoop: false,
      },
      { run: 'r-1', state: 'active', worker: 'a', words: 'the model works', hasLoop: true },
      { run: 'r-3', state: 'delayed', words: expect.stringContaining('is reached; it is tried again in') },
      { run: 'r-2', state: 'waiting', words: expect.stringContaining('no worker has the labels tpu') },
    ],
    more: 0,
    paused: false,
  });
  expect(view.limits.map(({ words }) => words)).toEqual([
    'runs at a time: 1 of 4',
    'spent today: $2.50 of $10.00',
    'iterations a minute: at most 30',
  ]);
  expect((await page.get<Overview>('api/overview')).needs).toMatchObject([
    { kind: 'dead_letter', loop: 'r-4', title: 'a run in the dead letters: Poison' },
  ]);
});

test('what you ask goes to the engine, is requested, and taken when the journal says so', async () => {
  const { run, engine, page } = await scene();
  const one = run('r-1');
  one.begin();
  await until(async () => expect(await rows(page)).toHaveLength(1));
  const asked = await page.post('api/loops/r-1/actions', { action: 'pause' });
  expect(asked.json<ActionAnswer>().request).toMatchObject({ action: 'pause', state: 'requested' });
  expect(engine.commands).toMatchObject([['r-1', { command: 'pause' }]]);
  expect((await rows(page))[0]).toMatchObject({ requested: ['pause'], status: 'active' });
  const events = await page.events('');
  one.append({ kind: 'command', command: 'pause' });
  one.tell();
  await events.next('request', ({ request }) => request.state === 'taken');
  const view = await page.get<LoopPage>('api/loops/r-1');
  expect(view.requests).toMatchObject([{ action: 'pause', state: 'taken' }]);
  expect(view).toMatchObject({ row: { doing: 'paused' }, actions: ['resume', 'release', 'cancel'] });
  expect(view.row.requested).toBeUndefined();
});

test('questions are answered by name, approvals by gate; what makes no sense is refused in words', async () => {
  const { run, engine, page } = await scene();
  const one = run('r-1');
  one.begin();
  one.append({
    kind: 'asked',
    name: 'question 1',
    text: 'Which colour?',
    options: ['red', 'blue'],
    policy: 'wait',
    waitMs: 0,
  });
  one.tell();
  await until(async () =>
    expect((await page.get<Overview>('api/overview')).needs).toMatchObject([{ kind: 'question' }]),
  );
  expect(
    (await page.post('api/loops/r-1/actions', { action: 'answer', question: 1, option: 2 })).status,
  ).toBe(200);
  expect(
    (await page.post('api/loops/r-1/actions', { action: 'reject', gate: 'plan', note: 'no' })).status,
  ).toBe(200);
  expect(engine.commands.map(([, { command, about, text }]) => [command, about, text])).toEqual([
    ['answer', 'question 1', '2'],
    ['reject', 'plan', 'no'],
  ]);
  for (const wrong of [
    { action: 'answer', question: 7, text: 'x' },
    { action: 'limits', costUsd: 3 },
    { action: 'retry' },
  ])
    expect((await page.post('api/loops/r-1/actions', wrong)).status).toBe(400);
  expect((await page.post('api/loops/nobody/actions', { action: 'pause' })).status).toBe(404);
});

test('a dead letter is tried again, a waiting run cancelled, the fleet paused, a worker drained', async () => {
  const { run, engine, git, page } = await scene();
  engine.list = [
    {
      name: 'a',
      host: 'h',
      pid: 1,
      version: '1',
      labels: [],
      concurrency: 1,
      runs: [],
      draining: false,
      startedAt: 1,
      at: Date.now(),
    },
  ];
  const dead = run('r-1');
  dead.job({ state: 'dead', why: 'poison' });
  git.set('r-1', { spec: Buffer.from(sealSpec(dead.spec, SECRET)) });
  run('r-2');
  await until(async () => expect((await page.get<FleetView>('api/fleet')).runs).toHaveLength(2));
  await page.post('api/loops/r-1/actions', { action: 'retry' });
  expect(engine.all.get('r-1')?.state).toBe('waiting');
  await page.post('api/loops/r-2/actions', { action: 'cancel' });
  expect(engine.all.get('r-2')).toMatchObject({ state: 'ended', result: { status: 'cancelled' } });
  expect((await page.post('api/fleet', { action: 'pause' })).status).toBe(200);
  expect(engine.paused).toBe(true);
  expect((await page.get<FleetView>('api/fleet')).paused).toBe(true);
  await page.post('api/fleet', { action: 'drain', worker: 'a' });
  expect(engine.drained).toEqual([['a', true]]);
  expect((await page.get<FleetView>('api/fleet')).workers).toMatchObject([{ requested: 'drain' }]);
  expect((await page.post('api/fleet', { action: 'drain', worker: 'nobody' })).status).toBe(400);
  expect((await page.post('api/fleet', { action: 'burn' })).status).toBe(400);
});

test('who does not belong here may neither look nor act', async () => {
  const { page } = await scene();
  const { origin, path, cookie } = page;
  expect((await page.send(`${path}api/fleet`)).status).toBe(401);
  const body = JSON.stringify({ action: 'pause' });
  const headers = { cookie, 'content-type': 'application/json' };
  const post = (more: Record<string, string>) =>
    page.send(`${path}api/fleet`, { method: 'POST', body, headers: { ...headers, ...more } });
  expect((await post({ origin: 'http://evil.example' })).status).toBe(403);
  expect((await post({ origin, host: 'evil.example' })).status).toBe(421);
  expect((await post({ origin, 'content-type': 'text/plain' })).status).toBe(415);
});

test('a store that is away is said without credentials; what was seen stays, and it comes back by itself', async () => {
  const { run, engine, page } = await scene();
  run('r-1').begin();
  await until(async () => expect(await rows(page)).toHaveLength(1));
  const events = await page.events('');
  engine.isAway = true;
  await events.next('reset');
  const away = await page.get<Overview>('api/overview');
  expect(away.fleet?.away).toMatch(/^Since .*ECONNREFUSED/);
  expect(away.loops).toHaveLength(1);
  const fleet = await page.get<FleetView>('api/fleet');
  expect(fleet).toMatchObject({ away: { why: expect.any(String) }, counts: { active: 1 } });
  expect(JSON.stringify([away, fleet])).not.toContain('hidden-word');
  const refused = await page.post('api/fleet', { action: 'pause' });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('nothing was asked')]);
  expect(refused.text).not.toContain('hidden-word');
  engine.isAway = false;
  await events.next('reset');
  expect((await page.get<Overview>('api/overview')).fleet?.away).toBeUndefined();
});
