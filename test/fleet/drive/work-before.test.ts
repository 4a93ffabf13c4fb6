/** What a run builds on that comes after another one: the commit under that run's seal, out of its own published work. */
import { afterAll, expect, test } from 'vitest';
import { headIn, META, RECORD, renderRecord } from '../../../src/fleet/drive/record.ts';
import { publishedOf, withEnd, withoutEnd } from '../../../src/fleet/operate/published.ts';
import { keyOfRun } from '../../../src/fleet/secret.ts';
import { DrivenScene } from '../../support/fleet/driven.ts';

const scene = new DrivenScene();
afterAll(() => scene.close());

test('the sealed commit counts, and only one of the work that the run published', async () => {
  const first = await scene.submit();
  const done = scene.take(first);
  expect(await done.over, done.said).toMatchObject({ kind: 'ended' });
  const key = keyOfRun(first.run, scene.secret);
  const { files = {}, refs } = (await scene.remoteRuns.read(first.run)) ?? {};
  const commit = headIn(files, first.run, key) ?? '';
  expect(publishedOf(first.run, files, scene.secret).result).toMatchObject({
    commit,
    status: 'verified_done',
  });

  // Somebody who may push writes another commit where it is not sealed.
  const other = scene.remote.first;
  const meta = JSON.stringify({ ...JSON.parse(files[META]?.toString() ?? ''), head: other, branch: 'evil' });
  const forged = {
    ...files,
    [META]: Buffer.from(meta),
    [RECORD]: Buffer.from(`no seal\n{"v":1,"head":"${other}"}\n`),
  };
  expect(headIn(forged, first.run, key)).toBe(commit);
  expect(publishedOf(first.run, forged, scene.secret).result?.branch).not.toBe('evil');
  await scene.remoteRuns.publish(
    { run: first.run, expected: refs ?? { journal: '' }, files: forged, message: 'x' },
    scene.root,
  );

  const after = { after: [first.run] };
  const second = await scene.submit({}, after);
  const next = scene.take(second, { before: [{ run: first.run, commit }] });
  expect(await next.over, next.said).toMatchObject({ kind: 'ended', result: { status: 'verified_done' } });
  expect(
    scene.remote.git('merge-base', '--is-ancestor', commit, `refs/untildone/runs/${second.run}/work`),
  ).toBe('');

  // A session that sealed a commit of others for its own run.
  const elsewhere = scene.remote.git('commit-tree', '-m', 'elsewhere', `${other}^{tree}`).trim();
  const steered = scene.take(await scene.submit({}, after), {
    before: [{ run: first.run, commit: elsewhere }],
  });
  expect(await steered.over, steered.said).toMatchObject({
    kind: 'hopeless',
    why: expect.stringContaining('is no part of what it published'),
  });
});

test('that a run is done needs a seal; an end without a journal goes with a retry', () => {
  const run = 'r-1';
  const key = keyOfRun(run, scene.secret);
  const said = (status: string) => ({ [META]: Buffer.from(JSON.stringify({ v: 1, status, at: 5 })) });
  expect(publishedOf(run, said('verified_done'), scene.secret).result).toBeUndefined();
  expect(publishedOf(run, said('cancelled'), scene.secret).result).toMatchObject({ status: 'cancelled' });
  const entry = { kind: 'command' as const, command: 'cancel' as const };
  const ended = withEnd(run, {}, { status: 'cancelled', entry, detail: 'enough' }, scene.secret, 9);
  expect(publishedOf(run, { ...ended, ...said('active') }, scene.secret)).toMatchObject({
    result: { status: 'cancelled', cause: 'enough' },
    endedAt: 9,
  });
  expect(publishedOf(run, withoutEnd(ended), scene.secret).result).toBeUndefined();
  const record = { v: 1 as const, base: 'b', branch: 'x', applied: [], takes: 0, head: 'h' };
  expect(headIn({ [RECORD]: renderRecord(record, run, key) }, run, key)).toBe('h');
  expect(headIn({ [RECORD]: renderRecord(record, run, 'another key') }, run, key)).toBeUndefined();
});
