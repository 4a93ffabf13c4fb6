/** A run that you go on with after it has ended without being done. */
import type { Limits } from '../contract/contract.ts';
import { afterProgress, waitingAgain } from '../loop/asked.ts';
import { type ReachedLimit, reachedLimit } from '../loop/limits.ts';
import { closeWait, hasEnded, isDone, type LoopState, openWait } from '../loop/state.ts';

/** Whether a run can go on after it has ended: one that is done cannot. */
export function canReopen(state: LoopState): boolean {
  return state.run !== undefined && hasEnded(state) && !isDone(state.status);
}

/** The limit that would end the run again at once. */
export function limitInTheWay(state: LoopState, limits: Limits, now: number): ReachedLimit | undefined {
  return reachedLimit(canReopen(state) ? reopened(state, now) : state, limits, now);
}

/** The state in which the run goes on. The time since its end was no working time, and earlier failures are forgotten. */
export function reopened(state: LoopState, at: number): LoopState {
  if (!canReopen(state) || !state.run) return state;
  const { ending, picture: _picture, lastMessage: _message, promptId: _prompt, ...rest } = state;
  const { judged: _judged, lastEnd, ...run } = state.run;
  const again = closeWait(
    openWait(
      {
        ...rest,
        ...afterProgress(state),
        status: 'active',
        emptyAnswers: 0,
        blocksInARow: 0,
        run: { ...run, failures: 0, ...(lastEnd ? { lastEnd: { ...lastEnd, kind: 'lost' as const } } : {}) },
      },
      'session_ended',
      ending?.at ?? state.lastAt,
    ),
    at,
  );
  return waitingAgain(again, at);
}
