import { describe, expect, test, vi } from 'vitest';
import { clockOf, dateOf, momentOf, stampOf, whenOf } from '../../../../src/engine/core/text/moment.ts';

const at = (iso: string) => Date.parse(iso);
const NOW = at('2026-11-16T14:05:00Z');

describe('a moment for people', () => {
  test('says its day in words, and how long ago it was', () => {
    expect(whenOf(NOW - 1000, NOW)).toBe('today 14:04 (just now)');
    expect(whenOf(NOW - 120_000, NOW)).toBe('today 14:03 (2 min ago)');
    expect(whenOf(at('2026-11-16T01:00:00Z'), NOW)).toBe('today 01:00 (13 h 05 min ago)');
    expect(whenOf(at('2026-11-15T23:00:00Z'), NOW)).toBe('yesterday 23:00 (15 h 05 min ago)');
    expect(whenOf(at('2026-11-15T01:00:00Z'), NOW)).toBe('yesterday 01:00');
    expect(whenOf(at('2026-11-12T01:00:00Z'), NOW)).toBe('12 Nov 01:00');
    expect(whenOf(at('2025-11-12T01:00:00Z'), NOW)).toBe('12 Nov 2025 01:00');
    expect(whenOf(NOW + 3_600_000, NOW)).toBe('today 15:05');
    expect(whenOf(at('2026-11-18T01:00:00Z'), NOW)).toBe('18 Nov 01:00');
  });

  test('is short where its day is known', () => {
    expect(momentOf(NOW, NOW)).toBe('14:05');
    expect(momentOf(at('2026-11-12T01:00:00Z'), NOW)).toBe('12 Nov 01:00');
    expect(clockOf(NOW)).toBe('14:05:00');
    expect(dateOf(NOW, NOW)).toBe('16 Nov 14:05');
  });

  test('takes the same room in a list', () => {
    expect(stampOf(NOW, NOW)).toBe('16 Nov 14:05:00');
    expect(stampOf(at('2026-01-05T01:02:03Z'), NOW)).toBe(' 5 Jan 01:02:03');
    expect(stampOf(at('2025-01-05T01:02:03Z'), NOW)).toBe('5 Jan 2025 01:02:03');
  });

  test('is one of the time zone that the machine is set to', () => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(whenOf(NOW - 120_000, NOW)).toBe('today 09:03 (2 min ago)');
    // It is still the day before over there.
    expect(whenOf(at('2026-11-16T03:00:00Z'), NOW)).toBe('yesterday 22:00 (11 h 05 min ago)');
    vi.stubEnv('TZ', 'Asia/Kolkata');
    expect(dateOf(NOW, NOW)).toBe('16 Nov 19:35');
  });

  test('counts a day of 23 hours as one', () => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    expect(whenOf(at('2026-03-28T22:30:00Z'), at('2026-03-29T21:45:00Z'))).toBe(
      'yesterday 23:30 (23 h 15 min ago)',
    );
  });
});
