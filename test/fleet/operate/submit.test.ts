import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reconcile } from '../../../src/fleet/operate/reconcile.ts';
import { knownRepos } from '../../../src/fleet/operate/repos.ts';
import type { SubmitRequest } from '../../../src/fleet/operate/request.ts';
import { submit } from '../../../src/fleet/operate/submit.ts';
import { keyOfRun, readSpec } from '../../../src/fleet/secret.ts';
import { operateScene, SECRET } from '../../support/fleet/operate-scene.ts';
import { openStore, type Store } from '../../support/fleet/stores.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.close());

const journalsOf = (refs: Record<string, string>) =>
  Object.keys(refs).filter((name) => name.startsWith('refs/untildone/'));

test('a run is recorded on its remote and on the queue, sealed, at the commit of its ref', async () => {
  const { machine, remote, request } = operateScene(store);
  const fleet = await machine('m1');
  const labels = ['gpu'];
  const { commit, runs, submitted } = await submit(
    request({ labels, env: ['NPM_TOKEN'], folder: undefined }),
    fleet,
  );
  expect(commit).toBe(remote.first);
  expect(runs).toEqual(['tests: test -f done']);
  const [{ run } = { run: '' }] = submitted;
  const job = await fleet.engine.job(run);
  expect(job).toMatchObject({ state: 'waiting', labels, repo: remote.url, title: 'Make it work' });
  const spec = readSpec(job?.spec ?? '', run, keyOfRun(run, SECRET));
  expect(spec).toMatchObject({ run, ref: 'main', commit, task: 'Make it work', env: ['NPM_TOKEN'] });
  expect(journalsOf(remote.refs())).toEqual([`refs/untildone/runs/${run}/journal`]);
  expect(knownRepos(fleet.home)).toEqual([remote.url]);
});

test('the same key is the same run, from two machines at once, and after a crash before it was queued', async () => {
  const { machine, remote, request } = operateScene(store);
  const [one, two] = [await machine('m1'), await machine('m2')];
  const both = await Promise.all([one, two].map((fleet) => submit(request({ key: 'k' }), fleet)));
  const [first, second] = both.map(({ submitted }) => submitted[0]);
  expect(first?.run).toBe(second?.run);
  expect([first?.known, second?.known].sort()).toEqual([false, true]);
  expect(journalsOf(remote.refs())).toHaveLength(1);
  expect((await one.engine.counts()).waiting).toBe(1);
  // The queue has lost it, as if the machine had died between the two steps.
  await one.engine.remove(first?.run ?? '');
  const again = await submit(request({ key: 'k' }), one);
  expect(again.submitted[0]).toMatchObject({ run: first?.run, known: true, state: 'waiting' });
  expect((await one.engine.counts()).waiting).toBe(1);
});

test('the same key for another task is refused, and other options of the same task are not', async () => {
  const { machine, request } = operateScene(store);
  const fleet = await machine('m1');
  await submit(request({ key: 'k' }), fleet);
  await expect(submit(request({ key: 'k', task: 'Something else' }), fleet)).rejects.toThrow(
    /the key "k" belongs to run k-\w+ with another task \("Make it work"\)/,
  );
  await expect(submit(request({ key: 'k', priority: 0 }), fleet)).resolves.toMatchObject({
    submitted: [{ known: true }],
  });
});

test('several of the same have keys of their own', async () => {
  const { machine, remote, request } = operateScene(store);
  const fleet = await machine('m1');
  const { submitted } = await submit(request({ key: 'k', count: 6 }), fleet);
  expect(submitted.map(({ key }) => key)).toEqual(['k-1', 'k-2', 'k-3', 'k-4', 'k-5', 'k-6']);
  expect(new Set(submitted.map(({ run }) => run)).size).toBe(6);
  const unkeyed = await submit(request({ count: 3 }), fleet);
  expect(new Set(unkeyed.submitted.map(({ run }) => run)).size).toBe(3);
  expect(journalsOf(remote.refs())).toHaveLength(9);
});

const LIST = JSON.stringify({
  features: [
    { id: 1, description: 'log in', passes: true },
    { id: 2, description: 'write', passes: false, verify: 'test -f two' },
    { id: 3, description: 'read', passes: false, depends_on: [1, 2] },
  ],
});

test('one run for each open feature, after those it depends on, and one that joins them', async () => {
  const { machine, request } = operateScene(store, { 'features.json': LIST });
  const fleet = await machine('m1');
  const { submitted, runs } = await submit(
    request({ features: 'features.json', each: true, key: 'f' }),
    fleet,
  );
  const [two, three, all] = submitted;
  expect(submitted.map(({ title }) => title)).toEqual([
    'Build feature 2: write',
    'Build feature 3: read',
    'Join the features of features.json, and make all of them pass.',
  ]);
  expect(two?.after).toEqual([]);
  expect(three?.after).toEqual([two?.run]);
  expect(all?.after).toEqual([two?.run, three?.run]);
  expect(runs).toContain('features: test -f two');
  const job = await fleet.engine.job(three?.run ?? '');
  const spec = readSpec(job?.spec ?? '', three?.run ?? '', keyOfRun(three?.run ?? '', SECRET));
  expect(spec?.features).toEqual({ file: 'features.json', only: ['3'] });
  const again = await submit(request({ features: 'features.json', each: true, key: 'f' }), fleet);
  expect(again.submitted.every(({ known }) => known)).toBe(true);
});

describe('what cannot work is refused before anything is recorded', () => {
  const files = {
    'features.json': LIST,
    'done.json': '[{"id": 1, "passes": true}]',
    'circle.json': '[{"id": "a", "depends_on": ["b"]}, {"id": "b", "depends_on": ["a"]}]',
    'broken.json': '{"features": [',
    'odd/untildone.yml': 'gates: {}',
    'bad/untildone.yaml': 'gates:\n  tests: { run: 3 }\nlimits: soon\n',
    'bare/README.md': 'nothing here',
  };
  test.each<[string, Partial<SubmitRequest>, RegExp]>([
    ['no task', { task: ' ' }, /the task is empty/],
    [
      'a contract with mistakes',
      { folder: 'bad' },
      /bad\/untildone\.yaml:2:.*[\s\S]*bad\/untildone\.yaml:3:/,
    ],
    [
      'a contract that was brought, with a mistake',
      { contract: 'gates: 3', contractFile: 'mine.yaml' },
      /^mine\.yaml:1:/,
    ],
    ['a misspelt contract', { folder: 'odd' }, /odd\/untildone\.yml of main is not read/],
    ['a ref that is not there', { ref: 'nowhere' }, /nowhere/],
    ['a commit that is not there', { ref: '1'.repeat(40) }, /has no commit/],
    ['a list that is not there', { features: 'none.json' }, /there is no none\.json in that commit/],
    ['a list that passes', { features: 'done.json' }, /passes already/],
    ['a broken list', { features: 'broken.json' }, /broken\.json:1: no valid JSON/],
    ['features in a circle', { features: 'circle.json', each: true }, /wait for each other: a -> b -> a/],
    [
      'an unknown run to wait for',
      { after: ['20200101-000000-aaaaaa'] },
      /there is no run 20200101-000000-aaaaaa/,
    ],
    ['an odd run to wait for', { after: ['../x'] }, /is no id of a run/],
    ['an empty promise', { promise: ' ' }, /the promise is empty/],
    ['a repository that is not there', { repo: '/nowhere/at/all.git' }, /\/nowhere\/at\/all\.git/],
  ])('%s', async (_, more, problem) => {
    const { machine, remote, request } = operateScene(store, files);
    const fleet = await machine('m1');
    await expect(submit(request(more), fleet)).rejects.toThrow(problem);
    expect(journalsOf(remote.refs())).toEqual([]);
    expect((await fleet.engine.counts()).waiting).toBe(0);
  });

  test('the store is away', async () => {
    const { machine, remote, request } = operateScene(store);
    const fleet = await machine('m1');
    await store.stop();
    try {
      await expect(submit(request(), fleet)).rejects.toThrow(/cannot be reached|no answer/);
      expect(journalsOf(remote.refs())).toEqual([]);
    } finally {
      await store.start();
    }
  });
});

test('without a contract it is said that nothing is measured', async () => {
  const { machine, request } = operateScene(store, { 'bare/README.md': 'nothing here' });
  const { notes, runs } = await submit(request({ folder: 'bare' }), await machine('m1'));
  expect(runs).toEqual([]);
  expect(notes.join()).toContain('nothing is measured');
});

test('a run that begins later is delayed, also when the queue was brought back', async () => {
  const { machine, request } = operateScene(store);
  const fleet = await machine('m1');
  const notBefore = Date.now() + 3_600_000;
  const { submitted } = await submit(request({ notBefore }), fleet);
  const run = submitted[0]?.run ?? '';
  expect(await fleet.engine.job(run)).toMatchObject({ state: 'delayed' });
  await fleet.engine.remove(run);
  await reconcile({ dryRun: false }, fleet);
  expect(await fleet.engine.job(run)).toMatchObject({ state: 'delayed' });
});
