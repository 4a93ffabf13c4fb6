import { expect, test } from 'vitest';
import { isDueWithin } from '../../../../src/engine/client/hooks/wake-up.ts';

const HOUR = 3_600_000;
/** A Wednesday, local time, as Claude Code counts. */
const NOW = new Date(2026, 0, 7, 14, 30, 20).getTime();

test.each([
  // As Claude Code writes a single time: ScheduleWakeup names minute and hour, CronCreate the day, too.
  ['31 14 * * *', true],
  ['30 14 * * *', true],
  ['25 16 * * *', true],
  ['31 16 * * *', false],
  ['0 9 * * *', false],
  // It came due while the session was busy; but not this morning.
  ['22 14 * * *', true],
  ['10 14 * * *', false],
  ['45 15 7 1 *', true],
  ['45 15 8 1 *', false],
  ['45 15 7 2 *', false],
  ['45 15 7 1 5', true],
  ['45 15 6 1 5', false],
  ['45 15 * * 3', true],
  ['45 15 * * 0,7', false],
  ['*/5 * * * *', true],
  ['*/5 17-23 * * *', false],
  ['15,45 15 * * 1-5', true],
  ['0 0/8 * * *', true],
  ['0 1/8 * * *', false],
  // What cannot be read counts as due: how many in a row excuse is bounded all the same.
  ['', true],
  ['tomorrow', true],
  ['0 9 * * MON', true],
  ['* * * * * *', true],
])('the wake-up %j is waited for: %s', (schedule, due) => {
  expect(isDueWithin(schedule, 2 * HOUR, NOW)).toBe(due);
});

test('a wake-up after midnight is due on the next day', () => {
  const late = new Date(2026, 0, 31, 23, 30).getTime();
  expect(isDueWithin('15 0 * * *', 2 * HOUR, late)).toBe(true);
  expect(isDueWithin('15 0 1 2 *', 2 * HOUR, late)).toBe(true);
  expect(isDueWithin('15 0 31 1 *', 2 * HOUR, late)).toBe(false);
});
