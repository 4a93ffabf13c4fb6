import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sayCount, sayUsed } from '../../../../src/engine/core/text/figures.ts';

describe('a count', () => {
  test.each([
    [0, '0'],
    [870, '870'],
    [1_000, '1,000'],
    [12_060, '12,060'],
    [20_000_000, '20,000,000'],
    [-1_234, '-1,234'],
    [1_234.5678, '1,234.5678'],
    [1e21, '1e+21'],
  ])('%d is %s', (count, said) => {
    expect(sayCount(count)).toBe(said);
  });

  test('loses no digit, and has a comma every three of them', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (count) => {
        const said = sayCount(count);
        expect(Number(said.replaceAll(',', ''))).toBe(count);
        expect(said).toMatch(/^\d{1,3}(?:,\d{3})*$/);
      }),
    );
  });
});

test.each([
  [12_060, 20_000_000, 'tokens', '12,060 of 20,000,000 tokens'],
  [0.421, 20, 'usd', '0.42 of 20.00 USD'],
  [720_000, 28_800_000, 'ms', '12 min of 8 h 00 min'],
  [3, 1_000, 'count', '3 of 1,000'],
] as const)('of %d and %d %s the unit is said once: %s', (used, limit, unit, said) => {
  expect(sayUsed(used, limit, unit)).toBe(said);
});
