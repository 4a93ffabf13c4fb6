/** What people and workers ask of a run while its process drives it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RunSpec } from '../../../src/engine/core/fleet/spec.ts';
import type { RunCommand } from '../../../src/engine/ports/fleet.ts';
import { type Driven, DrivenScene, piecesProject } from '../../support/fleet/driven.ts';
import { deedsIn } from '../../support/fleet/ledger.ts';
import { longTest } from '../../support/long.ts';

const scene = new DrivenScene(piecesProject(3));
afterAll(() => scene.close());

let asked = 0;
const command = (name: RunCommand['command'], more: Partial<RunCommand> = {}) => ({
  type: 'command' as const,
  command: { id: `c${++asked}`, command: name, at: 1, ...more },
});

/** A run whose second piece waits for a file, once it is being made. */
async function inSecondPiece(name: string): Promise<{ spec: RunSpec; driven: Driven; open(): void }> {
  const gate = join(scene.root, `go-${name}`);
  const spec = await scene.submit({ waitFor: { 2: gate } });
  const driven = scene.take(spec);
  await driven.until('the second piece to be begun', () =>
    deedsIn(scene.ledger).some(
      ({ kind, piece, cwd }) => kind === 'working' && piece === 2 && cwd.includes(spec.run),
    ),
  );
  return { spec, driven, open: () => writeFileSync(gate, '') };
}

async function metaOf({ run }: RunSpec): Promise<Record<string, unknown>> {
  const { files = {} } = (await scene.remoteRuns.read(run)) ?? {};
  return JSON.parse(files['meta.json']?.toString('utf8') ?? '{}');
}

test('cancel ends the session in the middle of an iteration, and is published', async () => {
  const { spec, driven } = await inSecondPiece('cancel');
  driven.send(command('cancel', { text: 'not needed' }));
  expect(await driven.over, driven.log).toMatchObject({
    kind: 'ended',
    result: { status: 'cancelled', cause: 'person' },
  });
  // Without that it would wait for ever.
  expect(
    deedsIn(scene.ledger).some(
      ({ kind, piece, driver }) => kind === 'made' && piece === 2 && driver === driven.pid,
    ),
  ).toBe(false);
  expect(await metaOf(spec)).toMatchObject({ status: 'cancelled', detail: 'not needed' });
  // It is not driven again: who takes it only hears how it ended.
  const again = scene.take(spec, { name: 'w2' });
  expect(await again.over).toMatchObject({ kind: 'ended', result: { status: 'cancelled' } });
  expect(again.published).toEqual([]);
});

test('a paused run rests until somebody resumes it; each command counts once', async () => {
  const { spec, driven, open } = await inSecondPiece('pause');
  const pause = command('pause');
  driven.send(pause);
  driven.send(pause);
  await driven.until('the pause to be carried out', () =>
    driven.messages.some(({ type }) => type === 'note'),
  );
  open();
  expect(await driven.over, driven.log).toMatchObject({
    kind: 'rests',
    why: expect.stringContaining('paused'),
  });
  expect(driven.messages).toContainEqual({ type: 'applied', id: pause.command.id });
  expect(await metaOf(spec)).toMatchObject({ status: 'paused', rest: { kind: 'paused' } });
  const second = scene.take(spec, { name: 'w2' });
  second.send(pause);
  second.send(command('resume'));
  expect(await second.over, second.said).toMatchObject({
    kind: 'ended',
    result: { status: 'verified_done' },
  });
});

longTest(
  'a worker that drains hands the run back after this iteration, and another one goes on at once',
  async () => {
    const { spec, driven, open } = await inSecondPiece('drain');
    driven.send({ type: 'stop', why: 'drain' });
    open();
    expect(await driven.over, driven.said).toEqual({ kind: 'handed_back' });
    expect(driven.published).toEqual([1, 2]);
    const second = scene.take(spec, { name: 'w2' });
    expect(await second.over, second.said).toMatchObject({ kind: 'ended', result: { iterations: 3 } });
    expect(second.published).toEqual([3]);
  },
);

test.each([
  ['is silent', (driven: Driven) => driven.silence(), { silenceMs: 1_000 }],
  ['has lost the run', (driven: Driven) => driven.send({ type: 'stop', why: 'lost' }), {}],
])('a run whose worker %s stops at once, and publishes nothing more', async (_, lose, worker) => {
  const spec = await scene.submit({ waitFor: { 2: join(scene.root, 'never') } });
  const driven = scene.take(spec, worker);
  await driven.until('the first iteration', () => driven.published.length === 1);
  const { refs } = (await scene.remoteRuns.read(spec.run)) ?? {};
  lose(driven);
  expect(await driven.over, driven.said).toMatchObject({ kind: 'fenced' });
  expect((await scene.remoteRuns.read(spec.run))?.refs).toEqual(refs);
});

longTest('while the remote refuses pushes, the next iteration does not begin', async () => {
  const { driven, open } = await inSecondPiece('away');
  scene.remote.refusePushes(true);
  open();
  const isAway = () =>
    driven.messages.some((m) => m.type === 'news' && m.news.doing.startsWith('the remote is away'));
  await driven.until('the run to say so', isAway);
  expect(driven.published).toEqual([1]);
  expect(deedsIn(scene.ledger).filter(({ piece, driver }) => piece === 3 && driver === driven.pid)).toEqual(
    [],
  );
  scene.remote.refusePushes(false);
  expect(await driven.over, driven.said).toMatchObject({
    kind: 'ended',
    result: { status: 'verified_done' },
  });
  expect(driven.published).toEqual([1, 2, 3]);
});
