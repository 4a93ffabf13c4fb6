import { expect, test } from 'vitest';
import type { EntryOf } from '../../../../src/engine/core/loop/entry.ts';
import { ENDINGS, type LoopState, type WaitCause } from '../../../../src/engine/core/loop/state.ts';
import { listsSessions, parseSessions } from '../../../../src/read/dashboard/server/other-sessions.ts';
import { parsePatch } from '../../../../src/read/dashboard/view/diff.ts';
import { insightsOf } from '../../../../src/read/dashboard/view/insights.ts';
import { LoopSummary } from '../../../../src/read/dashboard/view/loop-summary.ts';
import { needsOf } from '../../../../src/read/dashboard/view/needs.ts';
import { endedPage, shownRows, totalsOf } from '../../../../src/read/dashboard/view/overview.ts';
import { asRequest, requestIn } from '../../../../src/read/dashboard/view/requests.ts';
import { type RowFacts, rowOf, unreadableRow } from '../../../../src/read/dashboard/view/row.ts';
import { SeenStops } from '../../../../src/read/dashboard/view/stops.ts';
import { kindOf, timelineEntry } from '../../../../src/read/dashboard/view/timeline.ts';
import { budgetsOf, type SeenOfLoop, situationOf, toneOf } from '../../../../src/read/loop/situation.ts';
import { freshLoop, LIMITS, T0, verdict } from '../../../support/core/samples.ts';
import { held } from '../../../support/dashboard/loops.ts';

const HOLD = held() as EntryOf<'stop'>;
const known = (state: LoopState, more: Partial<RowFacts> = {}): RowFacts => ({
  id: state.loop,
  project: 'p',
  task: 'a task',
  state,
  last: { entry: HOLD, at: T0, seq: 2 },
  ...more,
});
const waiting = (why: WaitCause, detail?: string) => freshLoop({ waiting: { why, since: T0 + 5, detail } });

test('what a loop does is told apart, each since its own moment', () => {
  const table: [LoopState, SeenOfLoop, string, string, number][] = [
    [freshLoop(), {}, 'thinks', 'open', T0],
    [freshLoop({ stoppedAt: T0 + 9 }), {}, 'thinks', 'open', T0 + 9],
    [freshLoop(), { judging: { since: T0 + 7, gates: ['tests'] } }, 'gate_runs', 'open', T0 + 7],
    [freshLoop(), { unheld: 'no hooks' }, 'not_held', 'bad', T0],
    [freshLoop(), { unheld: 'no hooks', judging: { since: T0 + 7, gates: [] } }, 'gate_runs', 'open', T0 + 7],
    [waiting('api_error'), {}, 'waits_limit', 'waiting', T0 + 5],
    [waiting('approval'), {}, 'waits_you', 'waiting', T0 + 5],
    [waiting('needs_person'), {}, 'waits_you', 'waiting', T0 + 5],
    [waiting('background'), {}, 'waits_other', 'waiting', T0 + 5],
    [freshLoop({ status: 'paused' }), {}, 'paused', 'waiting', T0],
  ];
  for (const [state, seen, doing, tone, since] of table)
    expect(situationOf(state, seen)).toMatchObject({ doing, tone, since });
});

test('only a verified ending looks like a success', () => {
  for (const status of ENDINGS) expect(toneOf(status, 'ended') === 'done').toBe(status === 'verified_done');
  expect(toneOf('claimed_done', 'ended')).toBe('claimed');
  expect(toneOf('a status of a later version', 'ended')).toBe('bad');
  expect(unreadableRow({ id: 'l', project: 'p', task: 't', lastAt: 1 }, 'damaged')).toMatchObject({
    tone: 'bad',
    doing: 'unreadable',
  });
});

test('what would end a loop next is the limit that is nearest to being used up', () => {
  const state = freshLoop({
    iteration: 40,
    spent: { tokens: 0, costUsd: 19 },
    picture: { fingerprint: 'x', times: 1, timesSameTree: 1 },
  });
  const [first, second] = budgetsOf(state, LIMITS, T0);
  expect(first).toEqual({
    name: 'cost',
    words: 'cost: 19.00 of 20.00 USD',
    used: 19,
    limit: 20,
    share: 0.95,
  });
  expect(second?.name).toBe('iterations');
  expect(
    budgetsOf(state, { ...LIMITS, costUsd: 'unlimited', iterations: 'unlimited' }, T0).map(
      ({ name }) => name,
    ),
  ).toEqual(['stall', 'duration', 'tokens']);
});

test('tokens of a limit are figures that one can read', () => {
  const state = freshLoop({ spent: { tokens: 12_060, costUsd: 0 } });
  const tokens = budgetsOf(state, { ...LIMITS, tokens: 20_000_000 }, T0).find(
    ({ name }) => name === 'tokens',
  );
  expect(tokens).toMatchObject({ words: 'tokens: 12,060 of 20,000,000', used: 12_060, limit: 20_000_000 });
});

test('what needs you names what to do, and says nothing for a loop that works', () => {
  expect(needsOf(known(freshLoop()))).toEqual([]);
  const unheld = 'no process drives it; go on with: untildone run --resume l1';
  expect(needsOf(known(freshLoop(), { unheld }))).toMatchObject([
    { id: 'l1/not_held', text: unheld, command: 'untildone run --resume l1' },
  ]);
  const trust = 'the contract of /p is not trusted on this machine yet. In a terminal there: untildone trust';
  expect(needsOf({ ...known(waiting('needs_person', trust)), folder: "/a b/it's" })).toMatchObject([
    { kind: 'trust', since: T0 + 5, command: "cd '/a b/it'\\''s' && untildone trust" },
  ]);
  expect(needsOf({ ...known(freshLoop()), missedAt: T0 + 3 })).toMatchObject([
    { kind: 'missed_stop', since: T0 + 3 },
  ]);
});

test('a request is taken by the next line of the loop; what ends work also when nobody works', () => {
  const state = freshLoop();
  const request = (command: 'pause' | 'resume') => requestIn(3, T0, { kind: 'command', command }, state);
  const pause = request('pause');
  const resume = request('resume');
  if (!pause || !resume) throw new Error('no request');
  expect(asRequest(pause, state, {})).toMatchObject({ state: 'requested' });
  expect(asRequest(pause, state, { stepAt: T0 + 1 })).toMatchObject({ state: 'taken', takenAt: T0 + 1 });
  expect(asRequest(pause, state, { turnEndedAt: T0 + 2 })).toMatchObject({ state: 'taken', takenAt: T0 + 2 });
  expect(asRequest(pause, state, { turnEndedAt: T0 - 2 })).toMatchObject({ state: 'requested' });
  expect(asRequest(resume, state, { turnEndedAt: T0 + 2, gone: true })).toMatchObject({ state: 'requested' });
  expect(requestIn(3, T0, HOLD, state)).toBeUndefined();
  const ended = freshLoop({ status: 'cancelled' });
  expect(asRequest(pause, ended, {})).toMatchObject({ state: 'taken', takenAt: T0 });
  expect(asRequest(pause, ended, { there: true })).toMatchObject({ state: 'requested' });
});

test('a row is exact', () => {
  const state = freshLoop({ iteration: 3, spent: { tokens: 10, costUsd: 0 } });
  expect(rowOf(known(state, { alive: true, context: 0.5 }), T0 + 60_000)).toEqual({
    id: 'l1',
    project: 'p',
    task: 'a task',
    status: 'active',
    tone: 'open',
    words: 'the model works',
    doing: 'thinks',
    doingSince: T0,
    owner: { kind: 'session', session: 's1', alive: true, command: 'claude --resume s1' },
    iteration: 3,
    maxIterations: 50,
    context: 0.5,
    gates: [],
    tokens: 10,
    startedAt: T0,
    lastAt: T0,
    elapsedMs: 60_000,
    questions: 0,
    dialect: 'native',
  });
});

test('the overview shows every loop that has not ended and the newest that have; children follow their run', () => {
  const row = (id: string, state: Partial<LoopState> = {}) => ({ ...rowOf(known(freshLoop(state)), T0), id });
  const ended = Array.from({ length: 150 }, (_, i) =>
    row(`e${i}`, { status: 'stalled', ending: { cause: 'same_failure', detail: '3 times', at: T0 + i } }),
  );
  const parent = row('run');
  const child = { ...row('child'), run: { mode: 'fresh', sessions: 1, parent: 'run' } };
  const { loops, ended: count } = shownRows([child, ...ended, parent, row('z')]);
  expect(loops.slice(0, 3).map(({ id }) => id)).toEqual(['run', 'child', 'z']);
  expect([loops.length, count, loops[3]?.id]).toEqual([103, 150, 'e149']);
  expect(endedPage(ended, { from: 100, count: 10 }).loops[0]?.id).toBe('e49');
  expect(endedPage(ended, { from: 0, count: 10, q: 'E7 no progress' }).total).toBe(11);
  expect(totalsOf([...ended, parent], [], T0 + 100)).toMatchObject({
    active: 1,
    doneToday: 0,
    otherEndingsToday: 50,
  });
});

test('gates over iterations fit any width, and a column shows the worst', () => {
  const stops = new SeenStops();
  for (let i = 0; i < 1000; i++)
    stops.add(
      i,
      T0 + i,
      {
        ...HOLD,
        verdicts: [verdict(i === 503 ? 'fail' : 'pass'), verdict('skip', { gate: 'late' })].slice(
          0,
          i > 900 ? 2 : 1,
        ),
      },
      freshLoop({ iteration: i + 1 }),
    );
  const { columns, gates } = stops.strip(100);
  expect(columns.length).toBe(100);
  expect(columns[50]).toEqual({ from: 501, to: 510, place: 500, at: T0 + 500 });
  expect(gates.map(({ name, held: times }) => [name, times])).toEqual([
    ['tests', 1],
    ['late', 0],
  ]);
  expect(gates[0]?.cells.filter((cell) => cell === 'fail').length).toBe(1);
  expect([gates[1]?.cells[0], gates[1]?.cells[99]]).toEqual([null, 'skip']);
  expect(new SeenStops().strip()).toEqual({ columns: [], gates: [] });
});

test('entries are told by kind, those of later versions as events', () => {
  expect(kindOf({ kind: 'event', event: 'PreCompact' })).toBe('compaction');
  expect(kindOf({ kind: 'event', event: 'PreToolUse', detail: { tool: 'Bash', refused: 'no' } })).toBe(
    'tool',
  );
  expect(kindOf({ kind: 'of a later version' } as never)).toBe('event');
  const line = {
    seq: 2,
    at: new Date(T0 + 5000).toISOString(),
    entry: HOLD,
    state: freshLoop({ iteration: 2, spent: { tokens: 30, costUsd: 0.5 } }),
  };
  const before = { ...line, seq: 1, at: new Date(T0).toISOString(), state: freshLoop() };
  expect(timelineEntry(1, line, before, true)).toEqual({
    place: 1,
    seq: 2,
    at: T0 + 5000,
    kind: 'hold',
    iteration: 2,
    words: 'stop: held, iteration 2 begins',
    tone: 'open',
    sinceMs: 5000,
    gates: [{ name: 'tests', verdict: 'fail' }],
    tokens: 30,
    costUsd: 0.5,
    context: 0.25,
    changed: true,
  });
});

test('a patch of git is read, odd names, binary files and renames included', () => {
  const patch = [
    ...[
      'diff --git a/a b.txt b/a b.txt',
      'index 1..2 100644',
      '--- a/a b.txt\t',
      '+++ b/a b.txt\t',
      '@@ -1 +1,2 @@',
      '-one',
      '+two',
      '+--- three',
    ],
    ...['diff --git a/x.png b/x.png', 'new file mode 100644', 'Binary files /dev/null and b/x.png differ'],
    ...['diff --git a/old b/new', 'similarity index 100%', 'rename from old', 'rename to new'],
    ...[
      'diff --git "a/t\\tb" "b/t\\tb"',
      'deleted file mode 100644',
      '--- "a/t\\tb"',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-<script>',
      '',
    ],
  ].join('\n');
  expect(parsePatch(patch)).toEqual({
    more: 0,
    files: [
      {
        path: 'a b.txt',
        change: 'changed',
        added: 2,
        removed: 1,
        hunks: [{ header: '@@ -1 +1,2 @@', lines: ['-one', '+two', '+--- three'] }],
      },
      { path: 'x.png', change: 'added', added: 0, removed: 0, binary: true },
      { path: 'new', before: 'old', change: 'renamed', added: 0, removed: 0, hunks: [] },
      {
        path: 't\tb',
        change: 'removed',
        added: 0,
        removed: 1,
        hunks: [{ header: '@@ -1 +0,0 @@', lines: ['-<script>'] }],
      },
    ],
  });
});

test('insights sum up what journals say', () => {
  const summary = new LoopSummary();
  const stop = (place: number, entry: EntryOf<'stop'>, costUsd: number) =>
    summary.add(place, T0, entry, freshLoop({ spent: { tokens: 10, costUsd } }));
  stop(1, HOLD, 1);
  stop(
    2,
    { ...HOLD, verdicts: [...HOLD.verdicts, verdict('fail', { gate: 'intact', kind: 'tests_intact' })] },
    3,
  );
  summary.add(3, T0, { kind: 'foreign', lines: 2 }, freshLoop({ spent: { tokens: 10, costUsd: 3 } }));
  const row = rowOf(
    known(
      freshLoop({
        status: 'verified_done',
        iteration: 3,
        ending: { cause: 'gates_passed', detail: '', at: T0 },
      }),
    ),
    T0,
  );
  const found = insightsOf([{ row, summary }, { row: { ...row, id: 'l2' } }], T0 - 1, T0);
  expect(found.gates).toEqual([
    { name: 'tests', project: 'p', held: 2, judged: 2, loops: 1 },
    { name: 'intact', project: 'p', held: 1, judged: 1, loops: 1 },
  ]);
  expect(found.reasons).toEqual([
    { gate: 'tests', summary: '1 of 9 tests fails', times: 2, loops: 1, example: { loop: 'l1', place: 2 } },
  ]);
  expect(found.cheats.map(({ what }) => what)).toEqual(['tests_intact', 'journal']);
  expect(found.cost).toEqual([{ day: '2026-01-01', project: 'p', usd: 3, tokens: 10, loops: 1 }]);
  expect(found.untilDone).toMatchObject({ median: 3, p90: 3 });
  expect(found.endings).toEqual([
    { status: 'verified_done', tone: 'done', words: 'done, and verified', count: 2 },
  ]);
  expect('lessons' in found || 'audit' in found || 'latency' in found).toBe(false);
});

test('sessions of Claude Code are read as they come, and an older one is never asked', () => {
  expect(parseSessions('[]')).toEqual([]);
  expect(
    parseSessions(
      '{"sessions":[{"sessionId":"a","name":"x","cwd":"/p","state":"running","startedAt":5},{"no":"id"},null]}',
    ),
  ).toEqual([{ id: 'a', name: 'x', folder: '/p', status: 'running', startedAt: 5 }]);
  expect(parseSessions('no JSON')).toBeUndefined();
  // As 2.1.325 prints it, and what it prints for a word that is no command of it.
  const own = 'Usage: claude agents [options]\n\nOptions:\n  --json                Print active sessions\n';
  const general = 'Usage: claude [options] [command] [prompt]\n\n  --json-schema <schema>  JSON Schema\n';
  const without = 'Usage: claude agents [options]\n\n  --setting-sources <sources>\n  --json-lines\n';
  expect([own, general, without, '', 'error'].map(listsSessions)).toEqual([true, false, false, false, false]);
});
