import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LoopDigest } from '../../../../src/engine/core/lessons/digest.ts';
import { figuresFolder, writeFigure } from '../../../../src/engine/home/hook-figures.ts';
import { projectFolder } from '../../../../src/engine/home/layout.ts';
import { chooseLessons, rememberLoop } from '../../../../src/engine/home/lessons/files.ts';
import { KnownElsewhere } from '../../../../src/read/dashboard/server/known-elsewhere.ts';
import type {
  AuditAnswer,
  Insights,
  Overview,
  ReceiptView,
} from '../../../../src/read/dashboard/view/types.ts';
import { verifiedLoop } from '../../../support/cli/verified-loop.ts';
import { verdict } from '../../../support/core/samples.ts';
import { ENDED, held, loopsHome } from '../../../support/dashboard/loops.ts';
import { served, testWorld } from '../../../support/dashboard/served.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

const DAY = 86_400_000;

test('a valid receipt is shown as intact, and a changed one is not', async () => {
  const { world, ref } = await verifiedLoop();
  const page = await served(testWorld(world.home, world.env.HOME ?? ''));
  const path = `api/loops/${ref.loop}/receipt`;
  const receipt = await page.get<ReceiptView>(path);
  expect(receipt).toMatchObject({ loop: ref.loop, status: 'verified_done', tone: 'done', task: 'a task' });
  expect(receipt.verification).toMatchObject({ ok: true, problems: [], ownKey: true });
  expect(receipt.ladder.rungs.some(({ reached }) => reached)).toBe(true);
  expect(receipt.markdown).toContain('a task');
  const file = world.store.receiptFile(ref);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"a task"', '"another task"'));
  const changed = await page.get<ReceiptView>(path);
  expect(changed.verification.ok).toBe(false);
  expect(changed.verification.problems.length).toBeGreaterThan(0);
});

/** An ended loop that a gate held. */
function digest(i: number): LoopDigest {
  return {
    loop: `l${i}`,
    at: Date.now() - i,
    gates: { tests: { held: 1, at: [1], rules: [], files: [] } },
    commands: { tests: 'npm test' },
  };
}

test('insights have what journals say, how long hooks took, and lessons', async () => {
  const folder = temporaryFolder();
  const home = loopsHome(folder);
  const [shop, till] = [home.project('shop'), home.project('till')];
  home.append(home.loop('20260101-1', { project: shop }), held(), held(), ENDED);
  home.append(home.loop('20260101-2', { project: till, session: 'other' }), held(verdict('fail')));
  const ofShop = projectFolder(home.home, shop);
  for (const i of [3, 2, 1]) rememberLoop(home.home, ofShop, digest(i));
  const dropped = [
    { id: 'Lold', at: Date.now() - 40 * DAY, why: 'no_gain' as const, text: 'an old one' },
    { id: 'Lbad', at: Date.now() - DAY, why: 'person' as const, text: '<b>bad</b>' },
  ];
  chooseLessons(home.home, ofShop, Date.now(), (_, { pinned }) => ({ pinned, dropped }));
  for (const [i, ms] of [10, 20, 30, 40].entries())
    writeFigure(
      {
        at: Date.now() - i,
        event: 'Stop',
        session: 's',
        answer: 'refuse',
        ms,
        project: join(shop, 'sub'),
      },
      home.home,
      {},
    );
  writeFigure(
    { at: Date.now(), event: 'SessionStart', session: 't', answer: 'silence', ms: 5, project: till },
    home.home,
    {},
  );
  writeFileSync(join(figuresFolder(home.home), 'hooks-2026-01-01.jsonl'), 'torn {\n');
  const elsewhere = new KnownElsewhere(home.home, [], { now: () => Date.now() });
  const page = await served(
    testWorld(home.home, folder, { lookBack: (since, project) => elsewhere.lookBack(since, project) }),
  );
  const all = await page.get<Insights>('api/insights?days=30');
  expect(all).toMatchObject({
    loops: 2,
    gates: [
      { name: 'tests', held: 2 },
      { name: 'tests', held: 1 },
    ],
    latency: [
      { event: 'Stop', count: 4, p50: 20, p95: 40, p99: 40, max: 40 },
      { event: 'SessionStart', count: 1, p50: 5 },
    ],
    lessons: [
      {
        state: 'told',
        text: '`npm test` (gate `tests`) blocked 3 of the last 3 loops: run it before you finish.',
      },
      { id: 'Lbad', state: 'dropped', tone: 'quiet', text: '<b>bad</b>' },
    ],
  });
  expect('audit' in all || 'canAudit' in all).toBe(false);
  const { projects } = await page.get<Overview>('api/overview');
  const id = projects.find(({ name }) => name === 'till')?.id ?? '';
  const one = await page.get<Insights>(`api/insights?days=7&project=${id}`);
  expect(one).toMatchObject({ loops: 1, latency: [{ event: 'SessionStart' }] });
  expect(one.lessons).toBeUndefined();
});

test('an audit is made when somebody asks for it: one at a time, with its progress, kept with its time', async () => {
  const folder = temporaryFolder();
  const home = loopsHome(folder);
  home.loop('20260101-1');
  const asked: unknown[] = [];
  let tell = (_: number, __: number) => {};
  let end = (_: { problem: string } | { counts: Record<string, unknown> }) => {};
  const page = await served(
    testWorld(home.home, folder, {
      audit(request, progress) {
        asked.push(request);
        tell = progress;
        return new Promise((resolve) => {
          end = resolve;
        });
      },
    }),
  );
  expect(await page.get<Insights>('api/insights?days=7')).toMatchObject({ canAudit: true });
  expect(await page.get<AuditAnswer>('api/audit?days=7')).toEqual({});
  const begun = await page.post('api/audit', { days: 7 });
  expect([begun.status, begun.json<AuditAnswer>().audit?.state]).toEqual([202, 'running']);
  tell(500_000, 2_000_000);
  expect((await page.get<AuditAnswer>('api/audit?days=7')).audit).toEqual({
    state: 'running',
    share: 0.25,
    findings: [],
    words: 'Reading transcripts: 500 KB of 2.0 MB',
  });
  // The same once more joins it; another one has to wait.
  expect((await page.post('api/audit', { days: 7 })).status).toBe(202);
  expect((await page.post('api/audit', { days: 30 })).text).toContain('another audit is being made');
  expect(asked).toMatchObject([{ sinceMs: 7 * DAY }]);
  end({
    counts: { total: 4, verified: 1, stale: 2, failed: 0, masked: 0, never_ran: 1, sessions: 3, bytes: 9 },
  });
  await expect.poll(async () => (await page.get<AuditAnswer>('api/audit?days=7')).audit?.state).toBe('done');
  const { audit } = await page.get<Insights>('api/insights?days=7');
  expect(audit?.words).toContain('of 4 turns that edited and said they were done, 1 had a passing check');
  expect(audit?.findings.slice(0, 2)).toMatchObject([
    { title: 'verified', count: 1, share: 0.25, tone: 'done' },
    { title: 'stale', count: 2, share: 0.5, tone: 'claimed' },
  ]);
  expect(audit?.at).toBeGreaterThan(0);
  await page.post('api/audit', { days: 30 });
  end({ problem: 'there are no transcripts' });
  await expect
    .poll(async () => (await page.get<AuditAnswer>('api/audit?days=30')).audit)
    .toMatchObject({ state: 'failed', words: 'there are no transcripts' });
  for (const body of [{}, { days: 'x' }, { days: 7, project: 5 }, [], null, { days: 7, project: 'nowhere' }])
    expect((await page.post('api/audit', body)).status).toBe(400);
  expect((await page.post('api/audit', { days: 7 }, { origin: 'http://evil.example' })).status).toBe(403);
});
