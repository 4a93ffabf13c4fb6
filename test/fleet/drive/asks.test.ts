/** Runs that need a person: they leave their place to others, and go on with the answer, on any machine. */
import { afterAll, expect, test } from 'vitest';
import type { RunSpec } from '../../../src/engine/core/fleet/spec.ts';
import type { RunCommand } from '../../../src/engine/ports/fleet.ts';
import { DrivenScene, piecesProject } from '../../support/fleet/driven.ts';
import { deedsIn } from '../../support/fleet/ledger.ts';
import { longTest } from '../../support/long.ts';

const scene = new DrivenScene({
  ...piecesProject(2),
  'approve/untildone.yaml':
    'gates:\n  made: { run: test -s made.txt }\n  plan: { approve: "Is it good?" }\ndone: [made, plan]\n',
});
afterAll(() => scene.close());

let asked = 0;
const command = (name: RunCommand['command'], more: Partial<RunCommand> = {}) => ({
  type: 'command' as const,
  command: { id: `c${++asked}`, command: name, at: 1, ...more },
});

async function metaOf({ run }: RunSpec): Promise<Record<string, unknown>> {
  const { files = {} } = (await scene.remoteRuns.read(run)) ?? {};
  return JSON.parse(files['meta.json']?.toString('utf8') ?? '{}');
}

const SOON = { waitMs: 100 };
const ASKS = { ask: { piece: 2, question: 'Which colour?', answer: 'as blue as the sea' } };
const sessionsOf = ({ run }: RunSpec) =>
  new Set(deedsIn(scene.ledger).flatMap(({ cwd, session }) => (cwd.includes(run) ? [session] : [])));

test('a run that asks rests, and goes on elsewhere with the answer in the brief of a fresh session', async () => {
  const spec = await scene.submit(ASKS);
  const first = scene.take(spec, SOON);
  expect(await first.over, first.said).toEqual({
    kind: 'rests',
    why: expect.stringContaining('Which colour?'),
  });
  expect(await metaOf(spec)).toMatchObject({ rest: { kind: 'needs_you' } });
  const before = sessionsOf(spec);
  const second = scene.take(spec, { name: 'w2', ...SOON });
  const answer = command('answer', { text: 'as blue as the sea' });
  second.send(answer);
  expect(await second.over, second.said).toMatchObject({
    kind: 'ended',
    result: { status: 'verified_done' },
  });
  expect(second.messages).toContainEqual({ type: 'applied', id: answer.command.id });
  expect(sessionsOf(spec).size).toBeGreaterThan(before.size);
});

test('an answer that comes while the run still waits is heard at once', async () => {
  const spec = await scene.submit(ASKS);
  const driven = scene.take(spec);
  await driven.until('the question', () => driven.said.includes('Which colour?'));
  driven.send(command('answer', { about: 'question 1', text: 'as blue as the sea' }));
  expect(await driven.over, driven.said).toMatchObject({
    kind: 'ended',
    result: { status: 'verified_done' },
  });
});

longTest('a run that was woken for nothing rests once more, for the same cause', async () => {
  const spec = await scene.submit(ASKS);
  const first = scene.take(spec, SOON);
  const rests = await first.over;
  expect(rests, first.said).toMatchObject({ kind: 'rests' });
  const second = scene.take(spec, { name: 'w2', ...SOON });
  second.send(command('approve', { about: 'nothing-of-that-name' }));
  expect(await second.over, second.said).toEqual(rests);
  expect(second.said).toContain('was not carried out');
  const third = scene.take(spec, SOON);
  third.send(command('release', { text: 'good enough' }));
  expect(await third.over, third.said).toMatchObject({ kind: 'ended', result: { status: 'released' } });
  expect(await metaOf(spec)).toMatchObject({ status: 'released', detail: 'good enough' });
});

test('an approval is asked for, refused with a reason, asked for again, and given', async () => {
  const spec = await scene.submit({}, { folder: 'approve' });
  const first = scene.take(spec, SOON);
  expect(await first.over, first.said).toMatchObject({
    kind: 'rests',
    why: expect.stringContaining('Is it good?'),
  });
  const second = scene.take(spec, { name: 'w2', ...SOON });
  second.send(command('reject', { about: 'plan', text: 'make one more' }));
  expect(await second.over, second.said).toMatchObject({ kind: 'rests' });
  const third = scene.take(spec, SOON);
  third.send(command('approve'));
  expect(await third.over, third.said).toMatchObject({
    kind: 'ended',
    result: { status: 'verified_done' },
  });
});
