/** What keeps a run from being driven, in plain words. */
import { afterAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/engine/core/text/errors.ts';
import { outcomeOf } from '../../../src/fleet/drive/drive.ts';
import { DrivenScene, piecesProject } from '../../support/fleet/driven.ts';
import { longTest } from '../../support/long.ts';

const scene = new DrivenScene({
  ...piecesProject(1),
  'sub/untildone.yaml': 'gates:\n  there: { run: test -f there.txt }\nrun:\n  setup: ["exit 3"]\n',
  'list.txt': 'one\ntwo\n',
  'broken/untildone.yaml': 'gates:\n  a: { run: 7, nonsense: true }\n',
});
afterAll(() => scene.close());

describe('a run is not driven', () => {
  test.each([
    [
      'whose contract has a mistake',
      { contract: 'gates: { a: { run: 7, nonsense: true } }' },
      { kind: 'hopeless', why: expect.stringContaining('untildone.yaml') },
    ],
    [
      'whose contract has a mistake at that commit',
      { folder: 'broken' },
      { kind: 'hopeless', why: expect.stringMatching(/untildone\.yaml.*nonsense|nonsense.*untildone\.yaml/) },
    ],
    [
      'whose folder is not there',
      { folder: 'nowhere' },
      { kind: 'hopeless', why: expect.stringContaining('no folder nowhere') },
    ],
    [
      'that needs a variable which the worker lacks',
      { env: ['DEPLOY_TOKEN_OF_TEST'] },
      { kind: 'failed', why: 'the environment of this worker lacks: DEPLOY_TOKEN_OF_TEST' },
    ],
    [
      'whose setup fails',
      { folder: 'sub' },
      { kind: 'failed', why: expect.stringContaining('ended with exit code 3') },
    ],
    [
      'without a task',
      { task: ' ' },
      { kind: 'hopeless', why: expect.stringContaining('the task is empty') },
    ],
  ])('%s', async (_, spec, outcome) => {
    expect(await scene.take(await scene.submit({}, spec)).over).toMatchObject(outcome);
  });

  test('that was submitted with another secret', async () => {
    const spec = await scene.submit();
    const driven = scene.take(spec, { secret: 'f'.repeat(64) });
    expect(await driven.over).toMatchObject({
      kind: 'hopeless',
      why: expect.stringContaining('another secret'),
    });
  });

  longTest('on a machine where Claude Code is not logged in', async () => {
    // Without the played one, that of the Agent SDK is found.
    const driven = scene.take(await scene.submit(), { env: { PATH: '/usr/bin:/bin' } });
    expect(await driven.over, driven.said).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('cannot work on this worker (auth)'),
    });
  });
});

test('runs after others begin with their work, and a conflict is named', async () => {
  const change = (text: string) => ({ command: `echo ${text} > list.txt; echo 1 > made.txt` });
  const [a, b] = [await scene.submit(change('a')), await scene.submit(change('b'))];
  const ends = await Promise.all([scene.take(a).over, scene.take(b, { name: 'w2' }).over]);
  expect(ends).toMatchObject([{ kind: 'ended' }, { kind: 'ended' }]);
  const next = scene.take(await scene.submit({ command: 'echo 2 >> made.txt' }, { after: [a.run] }));
  expect(await next.over, next.said).toMatchObject({ kind: 'ended', result: { status: 'verified_done' } });
  const branch = next.messages.flatMap((m) =>
    m.type === 'over' && m.outcome.kind === 'ended' ? [m.outcome] : [],
  );
  const { commit = '' } = branch[0]?.result ?? {};
  expect(scene.remote.git('show', `${commit}:list.txt`)).toBe('a');
  const both = scene.take(await scene.submit({}, { after: [a.run, b.run] }), { name: 'w2' });
  expect(await both.over, both.said).toMatchObject({
    kind: 'hopeless',
    why: expect.stringMatching(/list\.txt/),
  });
});

test.each<[string, unknown, string]>([
  [
    'a full disk',
    Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' }),
    'the disk of this worker is full',
  ],
  [
    'a full disk under git',
    new Error('git fetch: error: No space left on device'),
    'the disk of this worker is full',
  ],
  [
    'no Claude Code',
    new UsageError('no session can be started: claude is not there'),
    'no session can be started',
  ],
])('%s is tried again, on another worker or later', (_, error, words) => {
  const link = { lost: new AbortController().signal };
  expect(outcomeOf(error, link)).toEqual({ kind: 'failed', why: expect.stringContaining(words) });
});
