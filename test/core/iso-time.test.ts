import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from '../../src/core/iso-time.ts';

const DAY = 86_400_000;

test('every day of 400 years and more, and its last millisecond', () => {
  for (let day = 0; day < 150_000; day++) {
    const last = (day + 1) * DAY - 1;
    if (isoTime(last) !== new Date(last).toISOString())
      expect(isoTime(last)).toBe(new Date(last).toISOString());
  }
});

test('any time that a date can tell, before 1970 and after 9999, too', () => {
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (ms) => {
      expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
      expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
    { numRuns: 1000 },
  );
  expect(isoTime(1_700_000_000_000.7)).toBe(new Date(1_700_000_000_000.7).toISOString());
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
