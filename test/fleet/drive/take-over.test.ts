import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RunSpec } from '../../../src/engine/core/fleet/spec.ts';
import { replay } from '../../../src/engine/core/loop/journal.ts';
import { sha256 } from '../../../src/engine/files/digest.ts';
import { lineCheck, NO_PREVIOUS } from '../../../src/engine/home/journal/file.ts';
import type { JournalLine } from '../../../src/engine/home/journal/line.ts';
import { parseReceipt, receiptProblems } from '../../../src/engine/home/receipts.ts';
import { sumOf } from '../../../src/fleet/drive/spending.ts';
import { keyOfRun } from '../../../src/fleet/secret.ts';
import { type Driven, DrivenScene, piecesProject } from '../../support/fleet/driven.ts';
import { deedsIn } from '../../support/fleet/ledger.ts';
import { processesOf, waitFor } from '../../support/live/processes.ts';
import { longTest } from '../../support/long.ts';

const scene = new DrivenScene(piecesProject(4));
afterAll(() => scene.close());

/** All lines of the published journal, each with the seal of the run and the digest of the line before. */
async function linesOf({ run }: RunSpec): Promise<JournalLine[]> {
  const { files = {} } = (await scene.remoteRuns.read(run)) ?? {};
  const texts = (files['journal.jsonl']?.toString('utf8') ?? '').split('\n').filter(Boolean);
  const check = lineCheck(join(run, 'journal.jsonl'), keyOfRun(run, scene.secret));
  return texts.map((text, i) => {
    const line = check(text);
    if (!line) throw new Error(`line ${i + 1} of the journal does not have the seal of the run`);
    const before = texts[i - 1];
    expect(line.prev).toBe(before === undefined ? NO_PREVIOUS : sha256(before));
    expect(line.seq).toBe(i + 1);
    return line;
  });
}

/** The iterations whose Stops were judged. */
function judged(lines: readonly JournalLine[]): number[] {
  return lines.flatMap(({ entry }, i) => (entry.kind === 'stop' ? [lines[i - 1]?.state.iteration ?? 0] : []));
}

const cents = (usd: number) => Math.round(usd * 100) / 100;

/** What the run had spent in all, as told with each of its iterations. */
function costsOf({ messages }: Driven): number[] {
  return messages.flatMap((message) => (message.type === 'published' ? [cents(message.costUsd ?? -1)] : []));
}

test('a run whose process is killed in its third iteration goes on elsewhere, and nothing is done twice', async () => {
  const gate = join(scene.root, 'go');
  const spec = await scene.submit({ waitFor: { 3: gate } });
  const first = scene.take(spec, { name: 'w1' });
  await first.until('the third piece to be begun', () =>
    deedsIn(scene.ledger).some(({ kind, piece }) => kind === 'working' && piece === 3),
  );
  first.kill();
  await first.over;
  writeFileSync(gate, '');
  const second = scene.take(spec, { name: 'w2' });
  expect(await second.over, second.log).toMatchObject({
    kind: 'ended',
    result: { status: 'verified_done', iterations: 4 },
  });
  const lines = await linesOf(spec);
  expect(judged(lines)).toEqual([1, 2, 3, 4]);
  expect(replay(lines.map(({ entry, at }) => ({ entry, at: Date.parse(at) })))).toEqual(lines.at(-1)?.state);
  expect(lines.filter(({ entry }) => entry.kind === 'moved').map(({ entry }) => entry)).toMatchObject([
    { worker: 'w2', iteration: 3 },
  ]);
  expect(second.lines.map((text) => JSON.parse(text).seq)).toEqual(lines.map(({ seq }) => seq));
  expect(second.messages.find(({ type }) => type === 'claimed')).toMatchObject({
    takesSinceIteration: 1,
    spent: [{ iteration: 1 }, { iteration: 2 }],
  });
  expect([...first.published, ...second.published]).toEqual([1, 2, 3, 4]);
  const { files = {} } = (await scene.remoteRuns.read(spec.run)) ?? {};
  const signed = parseReceipt(files['receipt.json']?.toString('utf8') ?? '', spec.run);
  expect(signed && receiptProblems(signed)).toEqual([]);
  const branch = scene.remote.git('for-each-ref', '--format=%(refname)', `refs/heads/untildone/*${spec.run}`);
  expect(scene.remote.git('show', `${branch}:made.txt`)).toBe('1\n2\n3\n4');
});

longTest('a run that another worker has taken up cannot be published by the first one', async () => {
  const gate = join(scene.root, 'go-2');
  const spec = await scene.submit({ waitFor: { 2: gate } });
  const first = scene.take(spec, { name: 'w1' });
  await first.until('the first iteration to be published', () => first.published.length === 1);
  const second = scene.take(spec, {
    name: 'w2',
    may: () => ({ why: 'the budget is spent', untilMs: 5_000 }),
  });
  expect(await second.over, second.log).toEqual({
    kind: 'rests',
    why: 'the budget is spent',
    untilMs: 5_000,
  });
  writeFileSync(gate, '');
  expect(await first.over, first.log).toMatchObject({ kind: 'fenced' });
  const third = scene.take(spec, { name: 'w1' });
  expect(await third.over, third.log).toMatchObject({ kind: 'ended', result: { status: 'verified_done' } });
  expect(judged(await linesOf(spec))).toEqual([1, 2, 3, 4]);
});

test('what a session spends counts at each of its iterations, and once, whoever goes on', async () => {
  const gate = join(scene.root, 'go-4');
  const spec = await scene.submit({ usd: 0.02, waitFor: { 4: gate } });
  const refused = { why: 'the budget is spent', untilMs: 5_000 };
  const refusing = {
    name: 'w1',
    may: ({ costUsd }: { costUsd: number }) => (costUsd > 0.03 ? refused : undefined),
  };
  const first = scene.take(spec, refusing);
  expect(await first.over, first.log).toEqual({ kind: 'rests', ...refused });
  expect(costsOf(first)).toEqual([0.02, 0.04]);
  const news = first.messages.flatMap((message) => (message.type === 'news' ? [message.news.costUsd] : []));
  expect(Math.max(...news)).toBeCloseTo(0.04, 9);
  // Still over it: no session begins.
  const again = scene.take(spec, refusing);
  expect(await again.over, again.log).toEqual({ kind: 'rests', ...refused });
  expect(again.published).toEqual([]);
  // Its session may spend 0.01 and has spent 0.02 then: its work is judged, and the next session begins.
  const second = scene.take(spec, { name: 'w2', leftUsd: () => 0.01 });
  await second.until('the third iteration to be published', () => second.published.length === 1);
  expect(costsOf(second)).toEqual([0.06]);
  await second.until('the fourth piece to be begun', () =>
    deedsIn(scene.ledger).some(
      ({ kind, piece, cwd }) => kind === 'working' && piece === 4 && cwd.includes(spec.run),
    ),
  );
  second.kill();
  await second.over;
  writeFileSync(gate, '');
  const third = scene.take(spec, { name: 'w3' });
  const outcome = await third.over;
  expect(outcome, third.log).toMatchObject({ kind: 'ended', result: { status: 'verified_done' } });
  expect(costsOf(third)).toEqual([0.08]);
  expect(outcome?.kind === 'ended' && sumOf(outcome.spent ?? [])).toBeCloseTo(0.08, 9);
  const claimed = third.messages.find(({ type }) => type === 'claimed');
  const told = claimed?.type === 'claimed' ? (claimed.spent ?? []) : [];
  expect(told.map(({ iteration, usd }) => [iteration, cents(usd)])).toEqual([
    [1, 0.02],
    [2, 0.02],
    [3, 0.02],
  ]);
});

test('when the worker is killed, nothing of the run is left, and its folder is not needed', async () => {
  const spec = await scene.submit({ waitFor: { 2: join(scene.root, 'never') }, leavesProcess: true });
  const driven = scene.take(spec, { name: 'w3' });
  await driven.until('the first iteration to be published', () => driven.published.length === 1);
  driven.disconnect();
  expect(await driven.over).toBeUndefined();
  await waitFor(async () => (await processesOf(`${driven.folder}`)).length === 0);
  expect(existsSync(join(driven.folder, 'home'))).toBe(true);
  expect(readFileSync(join(driven.folder, 'tree', 'made.txt'), 'utf8')).toBe('1\n');
});
