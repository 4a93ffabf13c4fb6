import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Counts, Spread } from '../../../../src/read/reflect/metrics/spread.ts';

const spreadOf = (values: readonly number[]) => {
  const spread = new Spread();
  for (const value of values) spread.add(value);
  return spread;
};
const exact = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.max(1, Math.ceil(share * values.length)) - 1] ?? 0;

describe('a spread', () => {
  test('of 1 to 100 has the percentiles that everybody expects', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(spreadOf(values).toJSON()).toEqual({ count: 100, sum: 5050, p50: 50, p95: 95, p99: 99, max: 100 });
  });

  test('of nothing, and of what is no number, is null', () => {
    expect(spreadOf([]).toJSON()).toBeNull();
    expect(spreadOf([Number.NaN, -1, Number.POSITIVE_INFINITY]).toJSON()).toBeNull();
  });

  test('of very many values is right within 2 percent, and keeps its size', () => {
    const values = Array.from({ length: 50_000 }, (_, index) => (index * 7919) % 100_003);
    const spread = spreadOf(values);
    for (const share of [0.5, 0.95, 0.99]) {
      const is = spread.at(share) ?? 0;
      expect(Math.abs(is - exact(values, share)) / exact(values, share)).toBeLessThan(0.02);
    }
    expect(JSON.stringify(spread).length).toBeLessThan(200);
  });

  test('says a value that was there, up to some thousand of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 1, maxLength: 50 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, share) => {
          expect(spreadOf(values).at(share)).toBe(exact(values, share));
        },
      ),
    );
  });
});

test('counts of many names keep their size, and no name of every object disturbs them', () => {
  const counts = new Counts(3);
  for (const name of ['__proto__', 'toString', 'a', 'b', 'c', 'a']) counts.add(name);
  expect(counts.sorted()).toEqual([
    ['a', 2],
    ['other', 2],
    ['__proto__', 1],
    ['toString', 1],
  ]);
  expect(counts.total).toBe(6);
});
