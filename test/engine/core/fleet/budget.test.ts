import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  dayOf,
  iterationsAMinute,
  leftOfBudget,
  limitsMoney,
  lookAgainAt,
  overBudget,
  withMore,
} from '../../../../src/engine/core/fleet/budget.ts';

const REPO = 'https://git.example/a';
const spent = (usd: number, ofRepo = usd) => ({ usd, byRepo: { [REPO]: ofRepo } });

test.each([
  ['without limits', {}, spent(1_000), undefined],
  ['below', { usdPerDay: 10 }, spent(9.99), undefined],
  ['at the limit', { usdPerDay: 10 }, spent(10), 'the fleet has spent 10.00 of 10.00 USD today'],
  ['over it', { usdPerDay: 10 }, spent(11), 'the fleet has spent 11.00 of 10.00 USD'],
  [
    'of every repository',
    { usdPerRepoPerDay: 5 },
    spent(9, 5),
    `the runs of ${REPO} have spent 5.00 of 5.00 USD`,
  ],
  ['of this repository', { usdPerRepoPerDay: 5, usdOfRepoPerDay: { [REPO]: 20 } }, spent(9), undefined],
  ['of another one', { usdOfRepoPerDay: { other: 1 } }, spent(9), undefined],
  ['of nothing', { usdPerDay: 0 }, spent(0), 'the fleet has spent 0.00 of 0.00 USD'],
])('a budget %s', (_, limits, paid, why) => {
  const refused = overBudget(REPO, limits, paid);
  if (why === undefined) expect(refused).toBeUndefined();
  else expect(refused).toContain(why);
});

test.each([
  ['without limits', {}, spent(3), undefined],
  ['of the day', { usdPerDay: 10 }, spent(4), 6],
  ['of the repository, where that is less', { usdPerDay: 10, usdPerRepoPerDay: 5 }, spent(4, 2), 3],
  ['of the day, where that is less', { usdPerDay: 5, usdPerRepoPerDay: 5 }, spent(4, 2), 1],
  ['of another repository', { usdOfRepoPerDay: { other: 1 } }, spent(3), undefined],
  ['never nothing: who has nothing left does not begin', { usdPerDay: 3 }, spent(3), 0.0001],
])('what is left for a session %s', (_, limits, paid, left) => {
  expect(leftOfBudget(REPO, limits, paid)).toBe(left);
});

test('a sum that is not told yet counts', () => {
  expect(withMore(spent(3, 2), REPO, 1)).toEqual(spent(4, 3));
  expect(withMore({ usd: 3, byRepo: {} }, REPO, 1)).toEqual(spent(4, 1));
});

test('a repository or a model may be called as what every object has', () => {
  expect(overBudget('constructor', { usdPerRepoPerDay: 1 }, { usd: 0, byRepo: {} })).toBeUndefined();
  expect(iterationsAMinute('toString', { iterationsPerMinute: { '*': 3 } })).toBe(3);
});

test('a model without a rate of its own has that of all others', () => {
  const limits = { iterationsPerMinute: { opus: 2, '*': 9 } };
  expect(iterationsAMinute('opus', limits)).toBe(2);
  expect(iterationsAMinute('haiku', limits)).toBe(9);
  expect(iterationsAMinute('haiku', { iterationsPerMinute: { opus: 2 } })).toBeUndefined();
  expect(iterationsAMinute('haiku', {})).toBeUndefined();
});

test('which limits are about money', () => {
  expect(limitsMoney({ runs: 3, iterationsPerMinute: { '*': 1 }, usdOfRepoPerDay: {} })).toBe(false);
  expect(limitsMoney({ usdPerDay: 1 })).toBe(true);
  expect(limitsMoney({ usdPerRepoPerDay: 1 })).toBe(true);
  expect(limitsMoney({ usdOfRepoPerDay: { a: 1 } })).toBe(true);
});

test('a used up budget is looked at again within a minute, and at midnight', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (now) => {
      const then = lookAgainAt(now);
      expect(then).toBeGreaterThan(now);
      expect(then - now).toBeLessThanOrEqual(60_000);
      if (dayOf(then) !== dayOf(now)) expect(new Date(then).toISOString()).toContain('T00:00:00.000Z');
    }),
  );
});
