import { describe, expect, test } from 'vitest';
import { promiseContract } from '../../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance } from '../../../../src/engine/core/loop/journal.ts';
import { elapsedMs } from '../../../../src/engine/core/loop/limits.ts';
import type { Decision, LoopState } from '../../../../src/engine/core/loop/state.ts';
import { limitBefore, nextStep } from '../../../../src/engine/core/run/run.ts';
import { LIMITS, STARTED, seenStop, T0 } from '../../../support/core/samples.ts';

const MINUTE = 60_000;
const MOVED: Entry = { kind: 'moved', worker: 'w2', contractSha256: 'other', iteration: 1 };
const LOST: Entry = { kind: 'result', end: { kind: 'lost', detail: '' } };

const intent = (session: string, resume = false): Entry => ({
  kind: 'intent',
  session,
  resume,
  why: 'first',
});
const stop = (decision: Decision): Entry => ({ kind: 'stop', seen: seenStop(), verdicts: [], decision });
const HELD = stop({ kind: 'block', instruction: 'continue' });
const ASKED = stop({ kind: 'block', instruction: 'hand_over' });
const GIVEN = stop({ kind: 'allow', cause: 'hand_over', detail: '', note: 'see the parser' });

/** The state after these entries, one a minute. */
function stateAfter(...entries: Entry[]): LoopState {
  const all: Entry[] = [{ ...STARTED, run: { mode: 'hybrid' } }, ...entries];
  return all.reduce<LoopState | undefined>(
    (state, entry, i) => advance(state, entry, T0 + i * MINUTE),
    undefined,
  ) as LoopState;
}

describe('a run that has moved', () => {
  test.each<[string, Entry[], number]>([
    ['before its first session', [], 1],
    ['in its first iteration', [intent('a')], 1],
    ['after a hold, in the iteration that this began', [intent('a'), HELD], 2],
    [
      'after its session was judged and not done',
      [intent('a'), { ...LOST, end: { kind: 'completed', detail: '' } }, HELD],
      2,
    ],
    ['when a hand-over note was asked for', [intent('a'), HELD, ASKED], 3],
    ['when a hand-over note was given', [intent('a'), HELD, ASKED, GIVEN], 3],
    ['for the second time without a session in between', [intent('a'), HELD, MOVED], 2],
    ['when it was paused in an iteration', [intent('a'), HELD, { kind: 'command', command: 'pause' }], 2],
  ])('%s counts its iterations as if it had stayed', (_, before, iteration) => {
    const moved = stateAfter(...before, MOVED);
    expect(moved).toMatchObject({ contractSha256: 'other', iteration: stateAfter(...before).iteration });
    const goesOn = moved.run?.open ? [LOST] : [];
    expect(stateAfter(...before, MOVED, ...goesOn, intent('b')).iteration).toBe(iteration);
  });

  test('goes on with a fresh session, which is a further one the next time', () => {
    const moved = stateAfter(intent('a'), HELD, MOVED, LOST);
    expect(nextStep(moved, T0 + 9 * MINUTE)).toMatchObject({ kind: 'session', why: 'again' });
    const fresh = stateAfter(intent('a'), HELD, MOVED, LOST, intent('b'));
    expect(fresh.run?.moved).toBeUndefined();
    expect(stateAfter(intent('a'), HELD, MOVED, LOST, intent('b'), LOST, intent('c')).iteration).toBe(3);
  });

  test('judges nothing again that was judged right before it moved', () => {
    const ended: Entry = { kind: 'result', end: { kind: 'stopped_by_hook', detail: '' } };
    const pause: Entry = { kind: 'command', command: 'pause', note: 'its worker drains' };
    const resume: Entry = { kind: 'command', command: 'resume' };
    const tool: Entry = { kind: 'event', event: 'PreToolUse' };
    const at = T0 + 9 * MINUTE;
    expect(nextStep(stateAfter(intent('a'), HELD, pause, ended, MOVED, resume), at)).toMatchObject({
      kind: 'session',
      why: 'not_done',
    });
    expect(nextStep(stateAfter(intent('a'), HELD, tool, pause, ended, MOVED, resume), at).kind).toBe('judge');
    expect(nextStep(stateAfter(intent('a'), tool, pause, ended, MOVED, resume), at).kind).toBe('judge');
  });

  test('may begin the session of its last iteration', () => {
    const contract = promiseContract('DONE', { ...LIMITS, iterations: 2 });
    const state = stateAfter(intent('a'), HELD, MOVED, LOST);
    expect(limitBefore(contract, state, false, T0)).toBeUndefined();
    expect(limitBefore(contract, stateAfter(intent('a'), HELD, LOST), false, T0)).toMatchObject({
      cause: 'iterations',
    });
  });

  test('has not worked since its last line', () => {
    const before = stateAfter(intent('a'), HELD);
    const state = advance(before, MOVED, T0 + 60 * MINUTE);
    expect(elapsedMs(state, T0 + 60 * MINUTE)).toBe(elapsedMs(before, T0 + 2 * MINUTE));
  });

  test.each(['cancelled', 'failed', 'verified_done'] as const)('stays %s', (status) => {
    const ended: Entry = { kind: 'ended', status, cause: 'person', detail: '' };
    expect(stateAfter(ended, MOVED)).toEqual({ ...stateAfter(ended), lastAt: T0 + 2 * MINUTE });
  });
});
