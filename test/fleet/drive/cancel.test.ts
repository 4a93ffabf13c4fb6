/** A run is cancelled at any moment: it ends, that is published, and nothing of it runs on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RunSpec } from '../../../src/engine/core/fleet/spec.ts';
import { END, readEnd, renderEnd } from '../../../src/fleet/drive/record.ts';
import { keyOfRun } from '../../../src/fleet/secret.ts';
import { type Driven, DrivenScene, piecesProject } from '../../support/fleet/driven.ts';
import { deedsIn } from '../../support/fleet/ledger.ts';
import { processesOf, waitFor } from '../../support/live/processes.ts';

/** A command that would take longer than anybody waits, and says that it has begun. */
const slow = (name: string) => `touch ../../${name}; sleep 1000`;

const scene = new DrivenScene({
  ...piecesProject(2),
  'setup/untildone.yaml': `gates:\n  there: { run: test -f there.txt }\nrun:\n  setup: ["${slow('in-setup')}"]\n`,
  'baseline/untildone.yaml': `gates:\n  slow: { run: "${slow('in-baseline')}" }\n`,
  'judging/untildone.yaml': `gates:\n  slow: { run: "test -f made.txt || exit 1; ${slow('in-judging')}" }\n`,
});
afterAll(() => scene.close());

const cancel = () => ({
  type: 'command' as const,
  command: { id: 'c1', command: 'cancel' as const, at: 1, text: 'not needed' },
});
const begunIn = (name: string) => (driven: Driven) => existsSync(join(driven.folder, name));

async function publishedOf({ run }: RunSpec) {
  const { files = {}, refs } = (await scene.remoteRuns.read(run)) ?? {};
  return { files, refs, meta: JSON.parse(files['meta.json']?.toString('utf8') ?? '{}') };
}

test.each<[string, Partial<RunSpec>, (driven: Driven, spec: RunSpec) => boolean]>([
  ['before anything has begun', {}, () => true],
  ['while it makes its checkout', {}, ({ said }) => said.includes('makes its checkout')],
  ['in its setup', { folder: 'setup' }, begunIn('in-setup')],
  ['while its start is judged', { folder: 'baseline' }, begunIn('in-baseline')],
  ['while its work is judged', { folder: 'judging' }, begunIn('in-judging')],
  [
    'in the middle of a session',
    {},
    (_, { run }) => deedsIn(scene.ledger).some(({ kind, cwd }) => kind === 'working' && cwd.includes(run)),
  ],
])('%s', async (name, more, isThere) => {
  const score = more.folder === undefined ? { waitFor: { 1: join(scene.root, 'never') } } : {};
  const spec = await scene.submit(score, more);
  const driven = scene.take(spec);
  await driven.until(name, () => isThere(driven, spec));
  driven.send(cancel());
  expect(await driven.over, driven.said).toMatchObject({ kind: 'ended', result: { status: 'cancelled' } });
  await waitFor(async () => (await processesOf(driven.folder)).length === 0);
  const { meta, refs } = await publishedOf(spec);
  expect(meta).toMatchObject({ status: 'cancelled', detail: 'not needed' });
  // Who takes it after that, because the queue was lost, only hears how it ended.
  const again = scene.take(spec, { name: 'w2' });
  expect(await again.over, again.said).toMatchObject({ kind: 'ended', result: { status: 'cancelled' } });
  expect((await publishedOf(spec)).refs).toEqual(refs);
});

test('a run that was cancelled while nobody had it does not begin', async () => {
  const spec = await scene.submit();
  const { files, refs } = await publishedOf(spec);
  if (!refs) throw new Error('it was not submitted');
  const key = keyOfRun(spec.run, scene.secret);
  const result = { status: 'cancelled', cause: 'wrong branch', iterations: 0, costUsd: 0, tokens: 0 };
  const end = renderEnd({ result, at: 1 }, spec.run, key);
  const all = { ...files, [END]: end };
  expect(readEnd(all, spec.run, key)).toEqual({ result, at: 1 });
  await scene.remoteRuns.publish(
    { run: spec.run, expected: refs, files: all, message: 'cancelled' },
    scene.root,
  );
  const driven = scene.take(spec);
  expect(await driven.over, driven.said).toEqual({ kind: 'ended', result });
  expect(existsSync(join(driven.folder, 'tree'))).toBe(false);
});
