// Tier: world
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { EntryOf } from '../../../../src/engine/core/loop/entry.ts';
import { judgingWatch } from '../../../../src/engine/home/interrupted-judging.ts';
import { projectFolder, readKey } from '../../../../src/engine/home/layout.ts';
import { openWorkspace } from '../../../../src/engine/project/trees/workspace.ts';
import type {
  ActionAnswer,
  DiffView,
  EntriesPage,
  EntryDetail,
  LoopPage,
  Overview,
} from '../../../../src/read/dashboard/view/types.ts';
import { verdict } from '../../../support/core/samples.ts';
import { ENDED, held, lengthen, loopsHome } from '../../../support/dashboard/loops.ts';
import { served, testWorld } from '../../../support/dashboard/served.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';
import { contractWith, run } from '../../../support/hook/judging.ts';

async function scene() {
  const folder = temporaryFolder();
  const home = loopsHome(folder);
  const ref = home.loop('20260101-1');
  home.append(ref, held());
  const page = await served(testWorld(home.home, folder));
  return { folder, home, ref, page };
}

test('what a hook appends is told within 300 ms, with the new entries to those that look at the loop', async () => {
  const { home, ref, page } = await scene();
  const { eventId } = await page.get<Overview>('api/overview');
  const events = await page.events(`?after=${eventId}&loop=${ref.loop}`);
  await events.next('hello');
  expect(await events.next('entries')).toMatchObject({ total: 2, entries: [] });
  const took: number[] = [];
  for (const iteration of [3, 4, 5]) {
    const began = Date.now();
    home.append(ref, held(verdict('fail', { summary: '<img src=x onerror=alert(1)>' })));
    const changes = await events.next('changes', ({ loops }) =>
      loops.some((row) => row.iteration === iteration),
    );
    took.push(Date.now() - began);
    expect(changes.loops.map(({ id }) => id)).toEqual([ref.loop]);
    const place = iteration - 1;
    expect(await events.next('entries')).toMatchObject({
      total: iteration,
      entries: [{ place, kind: 'hold', iteration }],
    });
  }
  // The best of three: other tests run at the same time.
  expect(Math.min(...took)).toBeLessThan(300);
});

test('who connects again gets what was missed, and loads everything where that is not known any more', async () => {
  const { home, ref, page } = await scene();
  const { eventId } = await page.get<Overview>('api/overview');
  home.append(ref, held());
  const first = await page.events(`?after=${eventId}`);
  const { id = '' } = await first.next('changes');
  first.close();
  const again = await page.events('', { 'last-event-id': eventId });
  expect((await again.next('changes')).id).toBe(id);
  const lost = await page.events('', { 'last-event-id': 'another-1' });
  await lost.next('reset');
});

test('new loops, removed ones and endings are told', async () => {
  const { home, ref, page } = await scene();
  const { eventId } = await page.get<Overview>('api/overview');
  const events = await page.events(`?after=${eventId}`);
  const other = home.loop('20260101-2', { session: 'other' });
  await events.next('changes', ({ loops }) => loops.some(({ id }) => id === '20260101-2'));
  home.append(ref, ENDED);
  const ended = await events.next('changes', ({ loops }) => loops.some(({ doing }) => doing === 'ended'));
  expect(ended.ended).toBe(1);
  rmSync(other.dir, { recursive: true });
  writeFileSync(join(home.home.projects, 'touched'), '');
  expect((await events.next('changes', ({ gone }) => gone.length > 0)).gone).toEqual(['20260101-2']);
});

test('a gate that runs is told apart from a model that thinks', async () => {
  const { home, ref, page } = await scene();
  const { eventId, loops } = await page.get<Overview>('api/overview');
  expect(loops[0]).toMatchObject({ doing: 'thinks', tone: 'open' });
  const events = await page.events(`?after=${eventId}`);
  const over = judgingWatch(home.home).begin('session-20260101-1', { loop: ref.loop, gates: ['tests'] });
  const judged = await events.next('changes', ({ loops: rows }) => rows[0]?.doing === 'gate_runs');
  expect(judged.loops[0]).toMatchObject({ judging: ['tests'], words: 'its work is being judged: tests' });
  over();
  await events.next('changes', ({ loops: rows }) => rows[0]?.doing === 'thinks');
});

test('pause and resume are requests: in the journal at once, taken at the next step', async () => {
  const { home, ref, page } = await scene();
  const path = `api/loops/${ref.loop}`;
  const { request, words } = (
    await page.post(`${path}/actions`, { action: 'pause', note: 'lunch' })
  ).json<ActionAnswer>();
  expect(request).toMatchObject({
    action: 'pause',
    note: 'lunch',
    state: 'requested',
    takenBy: 'the next Stop of its session',
  });
  expect(words[0]).toBe(
    `Loop ${ref.loop}: paused. Its session may stop now; go on with: untildone resume ${ref.loop}`,
  );
  expect(home.store.read(ref).status).toBe('paused');
  expect(await page.get<LoopPage>(path)).toMatchObject({
    row: { doing: 'paused', requested: ['pause'] },
    actions: ['resume', 'limits', 'release', 'cancel'],
  });
  home.clock.at = Date.now() + 1000;
  home.append(ref, { kind: 'event', event: 'SessionEnd' });
  const after = await page.get<LoopPage>(path);
  expect(after.requests).toMatchObject([{ action: 'pause', state: 'taken' }]);
  expect(after.row.requested).toBeUndefined();
  expect((await page.post(`${path}/actions`, { action: 'pause' })).status).toBe(400);
  expect((await page.post(`${path}/actions`, { action: 'resume' })).json<ActionAnswer>().request.action).toBe(
    'resume',
  );
});

test('questions, approvals and limits are answered as in a terminal', async () => {
  const { home, page } = await scene();
  const contract = contractWith({
    tests: run(),
    plan: { kind: 'approve', options: { ask: 'Is the plan good?' } },
  });
  const ref = home.loop('20260101-2', { session: 'asks', contract });
  home.append(ref, {
    kind: 'asked',
    name: 'question 1',
    text: 'Which one?',
    options: ['a', 'b'],
    policy: 'wait',
    waitMs: 'unlimited',
  });
  page.dashboard.live.look();
  const path = `api/loops/${ref.loop}`;
  const asked = await page.get<Overview>('api/overview');
  expect(asked.needs).toMatchObject([
    {
      kind: 'question',
      loop: ref.loop,
      title: 'the agent asks: Which one?',
      answers: [{ label: 'a' }, { label: 'b' }, { label: 'Answer', note: 'required' }],
    },
  ]);
  expect((await page.post(`${path}/actions`, asked.needs[0]?.answers[1]?.action)).status).toBe(200);
  expect(home.store.read(ref).answers?.['question 1']).toMatchObject({
    said: 'answered',
    note: 'b',
    option: 2,
  });
  home.append(ref, {
    ...held(verdict('fail', { gate: 'plan', kind: 'approve', class: 'judged', asks: 'Is the plan good?' })),
    decision: { kind: 'allow', cause: 'approval', wait: 'approval', detail: 'Is the plan good?' },
  } as never);
  page.dashboard.live.look();
  const waiting = await page.get<LoopPage>(path);
  expect(waiting).toMatchObject({
    row: { doing: 'waits_you', tone: 'waiting' },
    needs: [{ kind: 'approval', title: 'plan asks for your approval', text: 'Is the plan good?' }],
  });
  expect(waiting.actions).toContain('approve');
  const approved = await page.post(`${path}/actions`, { action: 'approve', gate: 'plan', note: 'well done' });
  expect(approved.json<ActionAnswer>().request).toMatchObject({ action: 'approve', state: 'requested' });
  const limits = await page.post(`${path}/actions`, { action: 'limits', iterations: 7, costUsd: null });
  expect(limits.json<ActionAnswer>().words[0]).toContain('iterations 50 -> 7, cost_usd 20 -> unlimited');
  expect(home.store.read(ref).maxIterations).toBe(7);
  expect(await page.get<LoopPage>(path)).toMatchObject({
    row: { maxIterations: 7 },
    limits: { iterations: 7 },
  });
});

test('a timeline is read page by page, each entry with its reason and its evidence', async () => {
  const { home, ref, page } = await scene();
  lengthen(home.home, home.store, ref, 500, (i) =>
    held(verdict(i % 2 ? 'fail' : 'pass', { evidence: [`line ${i}`] })),
  );
  const path = `api/loops/${ref.loop}`;
  const view = await page.get<LoopPage>(path);
  expect(view).toMatchObject({ entries: 502, kinds: { start: 1, hold: 501 } });
  expect(view.strip.columns.length).toBe(200);
  expect(view.series.points.length).toBe(400);
  const some = await page.get<EntriesPage>(`${path}/entries?from=400&count=50`);
  expect(some).toMatchObject({ total: 502, from: 400 });
  expect(some.entries.map(({ place }) => place)).toEqual(Array.from({ length: 50 }, (_, i) => 400 + i));
  expect(await page.get<EntriesPage>(`${path}/entries?only=start`)).toMatchObject({
    total: 1,
    entries: [{ kind: 'start' }],
  });
  const detail = await page.get<EntryDetail>(`${path}/entries/1`);
  expect(detail.verdicts).toMatchObject([{ gate: 'tests', outcome: 'fail', blocks: true }]);
  expect(detail.reason).toMatchObject({ exact: true });
  expect(detail.reason?.text).toContain('untildone: iteration 2 of 50. The work is not done yet.');
});

test('an iteration shows what it changed, between the trees that were kept', async () => {
  const { home, folder, page } = await scene();
  const project = home.project('work');
  const key = readKey(home.home);
  const shadow = join(projectFolder(home.home, project), 'shadow.git');
  mkdirSync(dirname(shadow), { recursive: true });
  const workspace = openWorkspace({ project, shadowDir: shadow, indexFile: join(folder, 'index'), key });
  writeFileSync(join(project, 'a b.txt'), 'one\ntwo\n');
  const baseTree = await workspace.tree();
  writeFileSync(join(project, 'a b.txt'), 'one\n<b>two</b>\n');
  const tree = await workspace.tree();
  const ref = home.loop('20260101-2', { session: 'works', project, baseTree });
  const stop = held() as EntryOf<'stop'>;
  home.append(ref, { ...stop, seen: { ...stop.seen, tree } }, { ...stop, seen: { ...stop.seen, tree } });
  page.dashboard.live.look();
  const path = `api/loops/${ref.loop}/entries`;
  const { entries } = await page.get<EntriesPage>(path);
  expect(entries.map(({ changed }) => changed)).toEqual([undefined, true, false]);
  expect(await page.get<EntryDetail>(`${path}/1`)).toMatchObject({ hasDiff: true });
  expect(await page.get<DiffView>(`${path}/1/diff`)).toEqual({
    from: baseTree,
    to: tree,
    more: 0,
    files: [
      {
        path: 'a b.txt',
        change: 'changed',
        added: 1,
        removed: 1,
        hunks: [{ header: '@@ -1,2 +1,2 @@', lines: [' one', '-two', '+<b>two</b>'] }],
      },
    ],
  });
  expect(await page.get<DiffView>(`${path}/2/diff`)).toMatchObject({ files: [] });
  rmSync(shadow, { recursive: true });
  expect((await page.get<DiffView>(`${path}/1/diff`)).problem).toContain('the kept trees are gone');
});

test('a damaged journal, a missing contract and a deleted project are named, and the rest is shown', async () => {
  const { home, ref, page, folder } = await scene();
  appendFileSync(home.store.journalFile(ref), 'not ours\n');
  const other = home.loop('20260101-2', { session: 'other', project: home.project('gone') });
  rmSync(join(other.dir, 'contract.json'));
  rmSync(join(folder, 'gone'), { recursive: true });
  const broken = home.loop('20260101-3', { session: 'broken' });
  rmSync(join(home.home.root, 'ends', broken.loop));
  writeFileSync(home.store.journalFile(broken), 'nothing of ours\n');
  page.dashboard.live.look();
  const { loops, needs } = await page.get<Overview>('api/overview');
  expect(loops.find(({ id }) => id === broken.loop)).toMatchObject({
    status: 'unreadable',
    tone: 'bad',
    doing: 'unreadable',
  });
  expect(needs.map(({ kind }) => kind)).toContain('unreadable');
  expect((await page.get<LoopPage>(`api/loops/${ref.loop}`)).problems[0]?.message).toContain(
    '1 lines of its journal count for nothing',
  );
  expect((await page.get<LoopPage>(`api/loops/${other.loop}`)).problems[0]?.message).toContain(
    'contract.json is missing',
  );
  const answer = await page.send(`${page.path}api/loops/${broken.loop}`, {
    headers: { cookie: page.cookie },
  });
  expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('has no valid line')]);
});

test('an empty home, and none at all, are shown in words', async () => {
  const folder = temporaryFolder();
  const { home } = loopsHome(folder);
  const page = await served(testWorld(home, folder));
  expect(await page.get<Overview>('api/overview')).toMatchObject({ loops: [], needs: [], problems: [] });
  rmSync(home.root, { recursive: true });
  page.dashboard.live.look();
  expect((await page.get<Overview>('api/overview')).problems[0]?.message).toContain(
    'there is no untildone home yet',
  );
});

test('a page that does not read is let go before it fills the memory', async () => {
  const { page } = await scene();
  const socket = connect(page.dashboard.port, '127.0.0.1');
  socket.pause();
  socket.write(
    `GET ${page.path}api/events HTTP/1.1\r\nHost: 127.0.0.1:${page.dashboard.port}\r\nCookie: ${page.cookie}\r\n\r\n`,
  );
  await expect.poll(() => page.dashboard.live.hub.size).toBe(1);
  const sessions = Array.from({ length: 100 }, (_, i) => ({ id: String(i), name: 'x'.repeat(1000) }));
  for (let i = 0; i < 200; i++) page.dashboard.live.hub.publish({ type: 'sessions', sessions });
  expect(page.dashboard.live.hub.size).toBe(0);
  socket.destroy();
});

test('the end of the server is told, and ends every stream at once', async () => {
  const { page } = await scene();
  const events = await page.events();
  await events.next('hello');
  await page.dashboard.close();
  await events.ended;
  expect(events.text()).toContain('event: bye');
});
