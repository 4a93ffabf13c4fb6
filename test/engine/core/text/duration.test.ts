import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration, sayDuration } from '../../../../src/engine/core/text/duration.ts';
import { workMs } from '../../../support/work-time.ts';

describe('reading a time', () => {
  test.each([
    ['8h', 8 * 3_600_000],
    ['90m', 90 * 60_000],
    ['1h30m', 90 * 60_000],
    ['45s', 45_000],
    ['500ms', 500],
    ['2d', 2 * 86_400_000],
    ['1.5h', 90 * 60_000],
    [' 10m ', 600_000],
    ['0s', 0],
    ['1m1ms', 60_001],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
  test.each([
    '',
    ' ',
    '8',
    'h',
    '8 h',
    '-8h',
    '8H',
    '8h and a bit',
    '1..5h',
    '.5h',
    '1e3s',
    '8hours',
    '٨h',
    'unlimited',
  ])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
  test('parts add up, in any order', () => {
    fc.assert(
      fc.property(fc.nat(99), fc.nat(99), fc.nat(99), (h, m, s) => {
        const ms = h * 3_600_000 + m * 60_000 + s * 1000;
        expect(parseDuration(`${h}h${m}m${s}s`)).toBe(ms);
        expect(parseDuration(`${s}s${h}h${m}m`)).toBe(ms);
      }),
    );
  });
  test('of absurd length is read quickly, or refused', () => {
    const started = workMs();
    expect(parseDuration(`${'9'.repeat(400)}d`)).toBeUndefined();
    parseDuration('1h'.repeat(50_000));
    parseDuration('1'.repeat(100_000));
    expect(workMs() - started).toBeLessThan(1000);
  });
});

describe('saying a time', () => {
  test.each([
    [0, '0 s'],
    [45_000, '45 s'],
    [59_600, '1 min'],
    [12 * 60_000, '12 min'],
    [3 * 3_600_000 + 5 * 60_000, '3 h 05 min'],
    [8 * 3_600_000, '8 h 00 min'],
    [52 * 3_600_000, '2 d 4 h'],
  ])('%d ms is %s', (ms, words) => {
    expect(sayDuration(ms)).toBe(words);
  });
});
