import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterFailure,
  backOffMs,
  type Intake,
  isAllowedRepo,
  isSoonFor,
  notForThisWorker,
  notYetAfter,
  type Standing,
  takenOut,
  triedOut,
  unknownVersion,
  waitMs,
} from '../../../../src/engine/core/fleet/intake.ts';
import { parseBytes } from '../../../../src/engine/core/text/bytes.ts';

const FIRST = { takes: 1, stalls: 0, failures: 0 };

describe('repositories', () => {
  test.each([
    ['https://git.example/a/b', [], true],
    ['https://git.example/a/b', ['https://git.example/a/b'], true],
    ['https://git.example/a/b.git', ['https://git.example/a/b'], true],
    ['https://git.example/a/b', ['https://git.example/a/b.git'], true],
    ['https://git.example/a/b', ['https://git.example/a/*'], true],
    ['https://git.example/a/b', ['*/b'], true],
    ['https://git.example/a/b', ['*'], true],
    ['https://git.example/a/b', ['https://*/a/*'], true],
    ['https://git.example/a/b', ['https://git.example/a'], false],
    ['https://git.example/a/b', ['git.example/a/*'], false],
    ['https://git.example/ab', ['https://git.example/a*b*b'], false],
    ['https://git.example/a+b', ['https://git.example/a.b'], false],
  ])('%s among %j: %s', (repo, patterns, allowed) => {
    expect(isAllowedRepo(repo, patterns)).toBe(allowed);
  });

  test('a run of another repository is left to others, and the message names it', () => {
    const spec = { repo: 'https://git.example/a', client: {} };
    expect(notForThisWorker(spec, { repos: ['*/b'], isRoot: false, missing: [] })).toMatchObject({
      do: 'give_back',
      why: expect.stringContaining('https://git.example/a'),
    });
    expect(notForThisWorker(spec, { repos: [], isRoot: true, missing: [] })).toBeUndefined();
  });

  test('root works on no run without permissions', () => {
    const spec = { repo: 'r', client: { permissionMode: 'bypassPermissions' } };
    expect(notForThisWorker(spec, { repos: [], isRoot: true, missing: [] })).toMatchObject({ failed: true });
    expect(notForThisWorker(spec, { repos: [], isRoot: false, missing: [] })).toBeUndefined();
  });
});

test('a worker without a variable that the run names leaves it to others, and says which', () => {
  const spec = { repo: 'r', client: {} };
  expect(notForThisWorker(spec, { repos: [], isRoot: false, missing: ['TOKEN'] })).toMatchObject({
    do: 'give_back',
    failed: true,
    why: expect.stringContaining('TOKEN'),
  });
});

test('a spec of a newer version waits for a worker that knows it, and is never buried', () => {
  expect(unknownVersion(2)).toMatchObject({ do: 'give_back', why: expect.stringContaining('version 2') });
});

describe('attempts', () => {
  test.each([
    [{ takes: 5, stalls: 0, failures: 4 }, 0, undefined],
    [{ takes: 6, stalls: 0, failures: 5 }, 0, 'it failed 5 times in a row; the last time: no clone'],
    [{ takes: 5, stalls: 4, failures: 0 }, 0, undefined],
    [
      { takes: 6, stalls: 5, failures: 0 },
      0,
      'its worker was lost 5 times, and no iteration was published; the last time: no clone',
    ],
    [{ takes: 6, stalls: 5, failures: 0 }, 1, undefined],
    [
      { takes: 9, stalls: 8, failures: 0 },
      3,
      'its worker was lost 8 times, and only 3 iterations were published; the last time: no clone',
    ],
  ])('%j with %i iterations: %s', (tries, iterations, why) => {
    const end = triedOut(tries, { attempts: 5, iterations, lastWhy: 'no clone' });
    expect(end).toEqual(why === undefined ? undefined : { do: 'bury', why });
  });

  test('what the remote tells counts, too: one more take than attempts is none', () => {
    expect(takenOut(5, 5)).toBeUndefined();
    expect(takenOut(6, 5)).toMatchObject({ do: 'bury', why: expect.stringContaining('5 times') });
  });

  test('a run that only fails is in the dead letters after its attempts, whatever they are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (attempts) => {
        let failures = 0;
        let after: Intake = afterFailure('x', { failures }, { attempts, gotOn: false });
        for (; after.do === 'give_back'; after = afterFailure('x', { failures }, { attempts, gotOn: false }))
          failures++;
        expect(failures + 1).toBe(attempts);
      }),
    );
  });

  test('a run that got on before it failed is tried again', () => {
    expect(afterFailure('x', { failures: 4 }, { attempts: 5, gotOn: true })).toMatchObject({
      do: 'give_back',
      failed: false,
    });
    expect(afterFailure('x', { failures: 4 }, { attempts: 5, gotOn: false })).toMatchObject({ do: 'bury' });
  });
});

test('delays grow, and stay within their bounds', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), (count) => {
      expect(waitMs({ takes: count })).toBeGreaterThanOrEqual(2_000);
      expect(waitMs({ takes: count + 1 })).toBeGreaterThanOrEqual(waitMs({ takes: count }));
      expect(waitMs({ takes: count })).toBeLessThanOrEqual(10_000);
      expect(backOffMs(count + 1)).toBeGreaterThanOrEqual(backOffMs(count));
      expect(backOffMs(count)).toBeLessThanOrEqual(20_000);
    }),
  );
});

describe('runs that come after others', () => {
  const done: Standing = { run: 'a', is: 'ended', status: 'verified_done', cause: '' };
  const claimed: Standing = { run: 'b', is: 'ended', status: 'claimed_done', cause: '' };
  const stalled: Standing = { run: 'c', is: 'ended', status: 'stalled', cause: 'no progress' };
  const going: Standing = { run: 'd', is: 'going' };
  const dead: Standing = { run: 'e', is: 'dead', cause: 'no contract' };
  const unknown: Standing = { run: 'f', is: 'unknown' };

  test.each<[string, Standing[], string | undefined, string?]>([
    ['none', [], undefined],
    ['all done', [done, claimed], undefined],
    ['one goes on', [done, going], 'give_back', 'waits for d to be done'],
    ['one ended otherwise', [going, stalled], 'bury', 'c, which ended as stalled: no progress'],
    ['one is dead', [going, dead], 'bury', 'e, which is dead: no contract'],
    ['nobody knows one', [going, unknown], 'give_back', 'f, which neither the queue nor the remote knows'],
  ])('%s', (_, standings, does, why) => {
    const next = notYetAfter(standings, FIRST);
    expect(next?.do).toBe(does);
    if (why !== undefined) expect(next?.why).toContain(why);
  });

  test('one that nobody knows counts as a failure, so that the run does not wait for ever', () => {
    expect(notYetAfter([unknown], FIRST)).toMatchObject({ failed: true });
    expect(notYetAfter([going], FIRST)).not.toHaveProperty('failed');
  });
});

test('with --once, only what this worker will soon take is waited for', () => {
  const mine = { labels: ['gpu'], repos: ['r*'], now: 1_000 };
  const job = { state: 'waiting', repo: 'r1', labels: [] as string[] };
  expect(isSoonFor(job, mine)).toBe(true);
  expect(isSoonFor({ ...job, labels: ['gpu'] }, mine)).toBe(true);
  expect(isSoonFor({ ...job, labels: ['mac'] }, mine)).toBe(false);
  expect(isSoonFor({ ...job, repo: 'other' }, mine)).toBe(false);
  expect(isSoonFor({ ...job, state: 'delayed', notBefore: 20_000 }, mine)).toBe(true);
  expect(isSoonFor({ ...job, state: 'delayed', notBefore: 600_000 }, mine)).toBe(false);
  expect(isSoonFor({ ...job, state: 'dead' }, mine)).toBe(false);
});

test.each([
  ['20GB', 20e9],
  ['500 MB', 500e6],
  ['1.5TiB', 1.5 * 2 ** 40],
  ['1000', 1000],
  ['10k', 10_000],
  ['much', undefined],
  ['-1GB', undefined],
  ['1 XB', undefined],
])('%s are %s bytes', (text, bytes) => {
  expect(parseBytes(text)).toBe(bytes);
});
