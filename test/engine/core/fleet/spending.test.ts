import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Spending } from '../../../../src/fleet/drive/spending.ts';

const AT = 1_000;

describe('what a run has cost the fleet', () => {
  test('grows with every iteration of one session', () => {
    const spending = new Spending();
    spending.sessionBegins(0);
    for (const usd of [1, 3, 3]) spending.iterated(usd, AT);
    expect(spending.rows.map(({ iteration, usd }) => [iteration, usd])).toEqual([
      [1, 1],
      [2, 2],
      [3, 0],
    ]);
    expect(spending.total(3.5)).toBe(3.5);
  });

  test('includes a session that was killed before its bill was known', () => {
    const killed = new Spending();
    killed.sessionBegins(0);
    killed.iterated(1, AT);
    killed.iterated(2, AT);
    const next = new Spending(killed.rows);
    expect(next.total(0)).toBe(2);
    next.sessionBegins(0);
    next.iterated(0.5, AT);
    expect(next.rows.at(-1)).toEqual({ iteration: 3, usd: 0.5, at: AT });
    expect(next.total(0.5)).toBe(2.5);
  });

  test('counts the bill of a session once, whoever goes on', () => {
    const first = new Spending();
    first.sessionBegins(0);
    first.iterated(2, AT);
    const next = new Spending(first.rows);
    next.sessionBegins(2.25);
    next.iterated(3, AT);
    expect(next.rows.map(({ usd }) => usd)).toEqual([2, 1]);
  });

  test('has a last sum, and a run that goes on after its end counts on from there', () => {
    const ended = new Spending();
    ended.sessionBegins(0);
    ended.iterated(1, AT);
    ended.ended(1.5, AT);
    ended.ended(1.5, AT);
    expect(ended.rows.slice(1)).toEqual([{ iteration: 1, usd: 0.5, at: AT, end: true }]);
    const reopened = new Spending(ended.rows);
    reopened.sessionBegins(1.5);
    reopened.iterated(2, AT);
    expect(reopened.rows.at(-1)).toEqual({ iteration: 2, usd: 0.5, at: AT });
  });

  test('forgets an iteration that was not published', () => {
    const spending = new Spending([{ iteration: 1, usd: 1, at: AT }]);
    spending.iterated(3, AT);
    spending.takeBack();
    expect([spending.iterations, spending.total(0)]).toEqual([1, 1]);
  });

  test('is never less than what was told, and what was told adds up to it', () => {
    const step = fc.record({ usd: fc.double({ min: 0, max: 10, noNaN: true }), begins: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const spending = new Spending();
        let last = 0;
        for (const { usd, begins } of steps) {
          if (begins) spending.sessionBegins(usd);
          spending.iterated(usd, AT);
          const total = spending.total(usd);
          expect(total).toBeGreaterThanOrEqual(last);
          expect(spending.rows.reduce((sum, row) => sum + row.usd, 0)).toBeCloseTo(total, 6);
          expect(Math.min(...spending.rows.map((row) => row.usd))).toBeGreaterThanOrEqual(0);
          last = total;
        }
      }),
    );
  });
});
