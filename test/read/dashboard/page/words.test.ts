import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENDINGS } from '../../../../src/engine/core/loop/state.ts';
import { parseDuration } from '../../../../src/engine/core/text/duration.ts';
import {
  axisMarks,
  plural,
  sayAge,
  sayCount,
  sayMoney,
  sayMs,
} from '../../../../src/read/dashboard/page/words/figures.ts';
import { limitsChanged, spelledLimits } from '../../../../src/read/dashboard/page/words/limits.ts';
import { endingWords, lookOf } from '../../../../src/read/dashboard/page/words/states.ts';
import type { Tone } from '../../../../src/read/dashboard/view/types.ts';
import { aRow } from './rows.ts';

test('figures are short and never say nothing of something', () => {
  expect([0, 0.004, 0.42, 12.3, 1240].map(sayMoney)).toEqual([
    '$0.00',
    '< $0.01',
    '$0.42',
    '$12.30',
    '$1,240',
  ]);
  expect([0, 870, 12_300, 99_960, 999_949, 4_560_000].map(sayCount)).toEqual([
    ...['0', '870', '12.3k', '100k', '1M', '4.56M'],
  ]);
  expect([0.84, 42, 1300, 125_000].map(sayMs)).toEqual(['0.8 ms', '42 ms', '1.3 s', '2 min']);
  expect([-4000, 4000, 40_000].map(sayAge)).toEqual(['just now', 'just now', '40 s ago']);
  expect([plural(1, 'gate'), plural(1200, 'gate')]).toEqual(['1 gate', '1,200 gates']);
});

test('an axis begins at 0, reaches the highest value and has few marks', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (most) => {
      const marks = axisMarks(most);
      expect(marks[0]).toBe(0);
      expect(marks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-9));
      expect(marks.length).toBeLessThanOrEqual(6);
    }),
  );
  expect(axisMarks(0)).toEqual([0, 1]);
  expect(axisMarks(Number.NaN)).toEqual([0, 1]);
});

test('only a verified ending looks like success', () => {
  const tones: Record<string, Tone> = { verified_done: 'done', claimed_done: 'claimed', cancelled: 'quiet' };
  const looks = ENDINGS.map((status) =>
    lookOf(aRow({ doing: 'ended', status, tone: tones[status] ?? 'bad' })),
  );
  expect(looks.filter(({ shape, tone }) => shape === 'done' || tone === 'done')).toHaveLength(1);
  expect(ENDINGS.filter((status) => endingWords(status) === status)).toEqual([]);
  expect(ENDINGS.filter((status) => /^done/i.test(endingWords(status)))).toEqual(['verified_done']);
});

test('limits go through the form unchanged, and only what was changed is sent', () => {
  const before = spelledLimits({ iterations: 20, durationMs: 5_400_000, costUsd: 12.5 });
  expect(before).toEqual({ iterations: '20', duration: '1h30m', cost: '12.5', tokens: '' });
  const changed = (change: Partial<typeof before>) =>
    limitsChanged(before, { ...before, ...change }, parseDuration);
  expect(changed({ cost: '20', iterations: '' })).toEqual({
    request: { action: 'limits', iterations: null, costUsd: 20 },
  });
  expect(changed({ duration: '8h' })).toEqual({ request: { action: 'limits', durationMs: 28_800_000 } });
  expect(changed({ tokens: ' 2000000 ' })).toEqual({ request: { action: 'limits', tokens: 2_000_000 } });
  expect(changed({})).toEqual({ wrong: 'Nothing was changed.' });
  for (const wrong of [
    { iterations: '2.5' },
    { duration: 'long' },
    { cost: '-1' },
    { tokens: '0' },
    { cost: '1e9' },
  ])
    expect(changed(wrong)).toHaveProperty('wrong');
});
