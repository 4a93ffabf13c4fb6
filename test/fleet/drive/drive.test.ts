import { afterAll, expect, test } from 'vitest';
import { DrivenScene } from '../../support/fleet/driven.ts';

const scene = new DrivenScene();
afterAll(() => scene.close());

test('a run goes from its spec to verified_done, and is published after every iteration', async () => {
  const spec = await scene.submit();
  const driven = scene.take(spec);
  const outcome = await driven.over;
  const branch = `untildone/make-the-pieces-play-${spec.run}`;
  expect(outcome, driven.said).toMatchObject({
    kind: 'ended',
    result: { status: 'verified_done', cause: 'gates_passed', iterations: 3, costUsd: 0.03, branch },
  });
  expect(driven.published).toEqual([1, 2, 3]);
  const names = [
    'ended: verified_done',
    'in iteration 3',
    'in iteration 3',
    'in iteration 2',
    'begun',
    'submitted',
  ];
  expect(scene.remote.log(`refs/untildone/runs/${spec.run}/journal`)).toEqual(
    names.map((name) => `${spec.run}: ${name}`),
  );
  expect(scene.remote.git('show', `${branch}:made.txt`)).toBe('1\n2\n3');
  const { files = {}, refs } = (await scene.remoteRuns.read(spec.run)) ?? {};
  expect(refs?.work).toBe(scene.remote.refs()[`refs/heads/${branch}`]);
  expect(Object.keys(files).sort()).toEqual([
    'contract.json',
    'fleet.json',
    'git.json',
    'journal.jsonl',
    'meta.json',
    'receipt.json',
    'run-options.json',
    'spec',
    'task.md',
  ]);
  // Every line of the journal is told once, in order.
  expect(driven.lines).toEqual(files['journal.jsonl']?.toString('utf8').trim().split('\n'));
  // A run that ended is not driven again.
  const again = scene.take(spec, { name: 'w2' });
  expect(await again.over, again.said).toEqual(outcome);
  expect((await scene.remoteRuns.read(spec.run))?.refs).toEqual(refs);
});
