import { afterAll, beforeAll, expect, test } from 'vitest';
import { prunable, pruneRun } from '../../../src/fleet/operate/prune.ts';
import { reconcile } from '../../../src/fleet/operate/reconcile.ts';
import {
  listSchedules,
  scheduleRuns,
  submitFromTemplate,
  unschedule,
} from '../../../src/fleet/operate/schedules.ts';
import { cancelRun } from '../../../src/fleet/operate/steer.ts';
import { submit } from '../../../src/fleet/operate/submit.ts';
import { operateScene, published } from '../../support/fleet/operate-scene.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const DONE = { kind: 'ended', status: 'verified_done', cause: 'test', detail: '' } as const;
const when = { everyMs: 3_600_000 };

test('a store that lost everything is rebuilt from the remotes, by two machines at once, and once more', async () => {
  const { machine, request, remote, folder } = operateScene(store);
  const [one, two] = [await machine('m1'), await machine('m2')];
  const foreign = await machine('m3', 'b'.repeat(64));
  const { submitted } = await submit(request({ count: 5 }), one);
  const [ended, cancelled, begun, ...untouched] = submitted.map(({ run }) => run) as [string, string, string];
  const { submitted: others } = await submit(request({ task: 'Of another fleet' }), foreign);
  await published(one, { run: ended, repo: remote.url }, [DONE]);
  await published(one, { run: begun, repo: remote.url }, []);
  await cancelRun(cancelled, undefined, one);
  await scheduleRuns({ id: 'nightly', when, request: request() }, one);
  await store.wipe();
  expect((await one.engine.counts()).waiting).toBe(0);

  const looked = await reconcile({ dryRun: true }, one);
  expect(looked.added.map(({ run }) => run).sort()).toEqual([begun, ...untouched].sort());
  expect((await one.engine.counts()).waiting).toBe(0);

  const both = await Promise.all([
    reconcile({ dryRun: false }, one),
    // The second machine never submitted anything, so it has to be told where to look.
    reconcile({ dryRun: false, repos: [remote.url] }, two),
  ]);
  const added = both.flatMap((done) => done.added.map(({ run }) => run));
  expect([...new Set(added)].sort()).toEqual([begun, ...untouched].sort());
  expect((await one.engine.counts()).waiting).toBe(3);
  expect((await listSchedules(one)).map(({ id, about }) => [id, about?.repo])).toEqual([
    ['nightly', remote.url],
  ]);
  expect(both[0]).toMatchObject({
    ended: 2,
    unreadable: others.map(({ run }) => ({ run, repo: remote.url })),
  });

  const again = await reconcile({ dryRun: false, repos: [remote.url, `${folder}/gone.git`] }, two);
  expect(again).toMatchObject({ added: [], schedules: [], known: 3, ended: 2 });
  expect(again.repos).toMatchObject([
    { runs: 6, problem: null },
    { runs: 0, problem: expect.stringContaining('gone.git') },
  ]);
});

test('what the queue has and its remote does not is named and left alone, and a lost worker is named', async () => {
  const { machine, request, remote } = operateScene(store);
  const fleet = await machine('m1');
  const { submitted } = await submit(request({ count: 2 }), fleet);
  const [one = '', two = ''] = submitted.map(({ run }) => run);
  const read = await fleet.remoteRunsOf(remote.url).read(one);
  if (read) await fleet.remoteRunsOf(remote.url).remove(one, read.refs);
  const held = await fleet.engine.take([], 'w-gone', PATIENCE_MS);
  const done = await reconcile({ dryRun: false }, fleet);
  expect(done).toMatchObject({
    added: [],
    missing: [{ run: one }],
    lost: [{ run: held?.run, worker: 'w-gone' }],
  });
  expect(await fleet.engine.job(one)).toBeDefined();
  expect(await fleet.engine.job(two)).toBeDefined();
});

test('what is due is submitted once, however often a worker tries, at the commit of that time', async () => {
  const { machine, request, remote } = operateScene(store);
  const [one, two] = [await machine('m1'), await machine('m2')];
  const { known } = await scheduleRuns({ id: 'hourly', when, request: request() }, one);
  expect(known).toBe(false);
  expect(await scheduleRuns({ id: 'hourly', when, request: request() }, one)).toMatchObject({ known: true });
  await expect(scheduleRuns({ id: 'hourly', when, request: request({ task: 'Else' }) }, one)).rejects.toThrow(
    'there is a schedule hourly already',
  );
  const [schedule] = await two.engine.schedules();
  // The span of this hour, and the one before it.
  const at = Math.floor(Date.now() / when.everyMs) * when.everyMs;
  const due = { id: 'hourly', at, template: schedule?.template ?? '' };
  const runs = await Promise.all([submitFromTemplate(due, one), submitFromTemplate(due, two)]);
  expect(new Set(runs.map(({ submitted }) => submitted[0]?.run)).size).toBe(1);
  const next = await submitFromTemplate({ ...due, at: at - when.everyMs }, two);
  expect(next.submitted[0]?.run).not.toBe(runs[0]?.submitted[0]?.run);
  expect((await one.engine.counts()).waiting).toBe(2);
  await expect(submitFromTemplate({ ...due, id: 'other' }, one)).rejects.toThrow('another secret');
  // A queue that names times as it likes gets no more runs: one a span, and none of a day that is over or to come.
  await submitFromTemplate({ ...due, at: at + 1 }, one);
  for (const wrong of [at + 2 * when.everyMs, at - 90_000_000, Number.NaN])
    await expect(submitFromTemplate({ ...due, at: wrong }, one)).rejects.toThrow('is no time');
  expect((await one.engine.counts()).waiting).toBe(2);

  expect(Object.keys(remote.refs())).toContain('refs/untildone/schedules/hourly');
  await unschedule('hourly', two);
  expect(Object.keys(remote.refs())).not.toContain('refs/untildone/schedules/hourly');
  expect(await one.engine.schedules()).toEqual([]);
  // Put back on the queue, it submits nothing.
  await expect(submitFromTemplate(due, one)).rejects.toThrow('was ended or replaced');
  await expect(unschedule('hourly', one)).rejects.toThrow('there is no schedule hourly');
});

test('only refs of runs that ended long ago are removed', async () => {
  const { machine, request, remote } = operateScene(store);
  const fleet = await machine('m1');
  const { submitted } = await submit(request({ count: 3 }), fleet);
  const [old, fresh, open] = submitted.map(({ run }) => run) as [string, string, string];
  const day = 86_400_000;
  await published(fleet, { run: old, repo: remote.url }, [DONE], { at: Date.now() - 40 * day });
  await published(fleet, { run: fresh, repo: remote.url }, [DONE]);
  await published(fleet, { run: open, repo: remote.url }, [], { at: Date.now() - 40 * day });
  const { runs } = await prunable({ olderThanMs: 30 * day }, fleet);
  expect(runs.map(({ run, status }) => [run, status])).toEqual([[old, 'verified_done']]);
  const result = { status: 'verified_done', cause: '', iterations: 1, costUsd: 0, tokens: 0 };
  await fleet.engine.endUnheld(old, result);
  for (const run of runs) await pruneRun(run, fleet);
  const left = Object.keys(remote.refs()).filter((name) => name.startsWith('refs/untildone/runs/'));
  expect(left.map((name) => name.split('/')[3]).sort()).toEqual([fresh, open].sort());
  expect(await fleet.engine.job(old)).toBeUndefined();
});
