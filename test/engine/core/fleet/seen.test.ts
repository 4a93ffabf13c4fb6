import { describe, expect, test } from 'vitest';
import { seenIn, whyPassed } from '../../../../src/engine/core/fleet/seen.ts';
import { dueTime } from '../../../../src/engine/core/fleet/when.ts';
import type { AskedQuestion } from '../../../../src/engine/core/loop/state.ts';

const question = (number: number, text: string): AskedQuestion => ({
  name: `question ${number}`,
  text,
  at: number,
  policy: 'wait' as const,
  waitMs: 1_000,
});
const state = (iteration: number, ...questions: AskedQuestion[]) => ({ iteration, questions });

describe('what a person says counts for what they saw', () => {
  const before = state(3, question(1, 'Red or blue?'));
  const seen = seenIn(before);

  test('an answer counts in a later iteration, for the same question alone', () => {
    const answer = { command: 'answer', about: 'question 1', seen };
    expect(whyPassed(answer, state(4, question(1, 'Red or blue?')))).toBeUndefined();
    expect(whyPassed(answer, state(4, question(1, 'Delete it all?')))).toContain('something else');
    expect(whyPassed({ command: 'answer', seen }, state(4, question(2, 'Delete it all?')))).toContain(
      'something else',
    );
    expect(whyPassed({ command: 'approve', seen }, state(3, question(2, 'Delete it all?')))).toContain(
      'something else',
    );
  });

  test('a yes to a gate counts in the iteration in which it was said', () => {
    const yes = { command: 'approve', about: 'signoff', seen };
    expect(whyPassed(yes, state(3))).toBeUndefined();
    expect(whyPassed(yes, state(9))).toContain('iteration 3, and the run is in iteration 9');
    expect(whyPassed({ ...yes, seen: seenIn(undefined) }, state(1))).toBeUndefined();
    expect(whyPassed({ command: 'cancel' }, state(9))).toBeUndefined();
  });
});

test('a schedule is due at the times of its pattern, once in each span, and not on other days', () => {
  const now = Date.parse('2026-03-02T06:00:00Z');
  const cron = { cron: '0 6 * * 1-5' };
  expect(dueTime(cron, now, now + 5_000)).toBe(now);
  for (const at of [now + 60_000, now + 1, now - 3 * 86_400_000, now + 86_400_000, Number.NaN])
    expect(dueTime(cron, at, now)).toBeUndefined();
  const hourly = { everyMs: 3_600_000 };
  expect(dueTime(hourly, now + 5 * 60_000, now)).toBe(dueTime(hourly, now, now));
  expect(dueTime(hourly, now + 3_600_000, now)).toBeUndefined();
});
