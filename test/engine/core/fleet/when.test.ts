import { describe, expect, test } from 'vitest';
import { checkedCron, checkedEvery, parseMoment, sayWhen } from '../../../../src/engine/core/fleet/when.ts';

const NOW = Date.parse('2026-01-05T10:00:00Z');

describe('a time to begin at', () => {
  test.each([
    ['2h', '2026-01-05T12:00:00.000Z'],
    ['+90m', '2026-01-05T11:30:00.000Z'],
    ['10:30', '2026-01-05T10:30:00.000Z'],
    ['9:05', '2026-01-06T09:05:00.000Z'],
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2026-01-31 08:00', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00:30Z', '2026-01-31T08:00:30.000Z'],
    ['2026-01-31T08:00+02:00', '2026-01-31T06:00:00.000Z'],
  ])('%s', (text, expected) => expect(new Date(parseMoment(text, NOW)).toISOString()).toBe(expected));

  test.each(['soon', '25:00', '2026-02-30', '2026-13-01', '', '08:00Z', '1'])('%j is none', (text) =>
    expect(() => parseMoment(text, NOW)).toThrow('is no time'),
  );

  test('that is over is refused', () => expect(() => parseMoment('2025-01-01', NOW)).toThrow('is over'));
});

describe('again and again', () => {
  test('at least a minute apart', () => {
    expect(checkedEvery('6h')).toEqual({ everyMs: 21_600_000 });
    expect(() => checkedEvery('30s')).toThrow('at least 1m');
    expect(() => checkedEvery('often')).toThrow('is no time');
    expect(sayWhen({ everyMs: 21_600_000 })).toBe('every 6 h 00 min');
  });

  test.each(['* * * * *', '0 6 * * 1-5', '*/15 0-23/2 1,15 jan-mar MON', '59 23 31 12 7', '0 0 1 */3 *'])(
    '%s is a pattern',
    (text) => expect(checkedCron(text)).toEqual({ cron: text }),
  );

  test.each([
    ['* * * *', 'has 4 fields'],
    ['0 0 6 * * *', 'has 6 fields'],
    ['60 * * * *', 'is no minute'],
    ['* 24 * * *', 'is no hour'],
    ['* * 0 * *', 'is no day of the month'],
    ['* * * 13 *', 'is no month'],
    ['* * * * 8', 'is no day of the week'],
    ['5-1 * * * *', 'is no minute'],
    ['*/0 * * * *', 'is no minute'],
    ['1/2/3 * * * *', 'is no minute'],
    ['a * * * *', 'is no minute'],
  ])('%s is none', (text, problem) => expect(() => checkedCron(text)).toThrow(problem));
});
