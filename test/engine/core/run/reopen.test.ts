import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance } from '../../../../src/engine/core/loop/journal.ts';
import { elapsedMs, reachedLimit } from '../../../../src/engine/core/loop/limits.ts';
import { ENDINGS, type Ending, type LoopState } from '../../../../src/engine/core/loop/state.ts';
import { changedLimits, changesInWords } from '../../../../src/engine/core/run/raised-limits.ts';
import { limitInTheWay } from '../../../../src/engine/core/run/reopen.ts';
import { nextStep } from '../../../../src/engine/core/run/run.ts';
import { STARTED, T0 } from '../../../support/core/samples.ts';

const MINUTE = 60_000;
const REOPENED: Entry = {
  kind: 'reopened',
  contractSha256: 'other',
  maxIterations: 70,
  limits: 'iterations 50 -> 70',
};

/** A run that worked for a minute and ended so; `then` comes an hour later. */
function ended(status: Ending, ...then: Entry[]): LoopState {
  const lines: [Entry, number][] = [
    [{ ...STARTED, run: { mode: 'hybrid' } }, T0],
    [{ kind: 'intent', session: 's1', resume: false, why: 'first' }, T0],
    [
      { kind: 'result', end: { kind: 'completed', detail: '' }, costTotalUsd: 1.6, tokensTotal: 900 },
      T0 + MINUTE,
    ],
    [{ kind: 'ended', status, cause: 'cost', detail: '1.6 of 1.5' }, T0 + MINUTE],
    ...then.map((entry): [Entry, number] => [entry, T0 + 60 * MINUTE]),
  ];
  return lines.reduce<LoopState | undefined>(
    (state, [entry, at]) => advance(state, entry, at),
    undefined,
  ) as LoopState;
}

const DONE = ['verified_done', 'claimed_done'];

describe('a run that you go on with', () => {
  test.each(ENDINGS.filter((ending) => !DONE.includes(ending)))(
    'goes on after %s, in its session',
    (status) => {
      const state = ended(status, REOPENED);
      expect(state).toMatchObject({
        status: 'active',
        contractSha256: 'other',
        maxIterations: 70,
        spent: { costUsd: 1.6, tokens: 900 },
      });
      expect(state.ending).toBeUndefined();
      expect(nextStep(state, T0 + 60 * MINUTE)).toEqual({ kind: 'session', resume: true, why: 'again' });
      // The hour in between was no working time.
      expect(elapsedMs(state, T0 + 61 * MINUTE)).toBe(2 * MINUTE);
    },
  );

  test.each(DONE)('stays %s: its receipt stays true', (status) => {
    const before = ended(status as Ending);
    const after = ended(status as Ending, REOPENED);
    expect(after).toMatchObject({ status, ending: before.ending });
    expect(nextStep(after, T0 + 60 * MINUTE)).toEqual({ kind: 'over' });
  });

  test('that has not ended only gets its limits', () => {
    const state = advance(
      advance(undefined, { ...STARTED, run: { mode: 'hybrid' } }, T0) as LoopState,
      REOPENED,
      T0 + MINUTE,
    );
    expect(state).toMatchObject({ status: 'active', maxIterations: 70, waitedMs: 0 });
  });

  test('forgets what it stalled on', () => {
    const stalled = {
      ...ended('stalled'),
      picture: { fingerprint: 'x', times: 3, timesSameTree: 3 },
      emptyAnswers: 3,
    };
    const state = advance(stalled, REOPENED, T0 + 60 * MINUTE);
    expect(state.picture).toBeUndefined();
    expect(state.emptyAnswers).toBe(0);
  });
});

describe('the limits of a run that goes on', () => {
  const limits: Limits = { ...DEFAULT_LIMITS, costUsd: 1.5, tokens: 'unlimited' };

  test('are added to with a plus sign, and replaced without one', () => {
    const after = changedLimits(limits, {
      costUsd: { more: 5 },
      tokens: { more: 9 },
      iterations: 7,
      durationMs: 'unlimited',
    });
    expect(after).toEqual({
      ...limits,
      costUsd: 6.5,
      tokens: 'unlimited',
      iterations: 7,
      durationMs: 'unlimited',
    });
    expect(changesInWords(limits, after)).toBe(
      'iterations 50 -> 7, duration 8 h 00 min -> unlimited, cost_usd 1.5 -> 6.5',
    );
  });

  test('are refused exactly when they would end it again at once', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 4, noNaN: true }), (costUsd) => {
        const state = ended('reached_limit');
        const now = T0 + 60 * MINUTE;
        const after = advance(state, REOPENED, now);
        const found = limitInTheWay(state, { ...limits, costUsd }, now);
        expect(found).toEqual(reachedLimit(after, { ...limits, costUsd }, now));
        expect(found === undefined).toBe(costUsd > 1.6);
      }),
    );
  });
});
