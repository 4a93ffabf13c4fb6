/** What a run may still use up. */
import type { Contract, Limit, Limits } from '../contract/contract.ts';
import { elapsedMs, type ReachedLimit, reachedLimit } from '../loop/limits.ts';
import { limitsIn, phaseOf } from '../loop/phases.ts';
import type { LoopState } from '../loop/state.ts';

/** The limit that keeps the next session from being started; one that only goes on is no further iteration. */
export function limitBefore(
  contract: Contract,
  state: LoopState,
  resume: boolean,
  now: number,
): ReachedLimit | undefined {
  const isNext = !resume && (state.run?.sessions ?? 0) > 0;
  const limits = isNext
    ? limitsIn(contract.limits, phaseOf(contract, state))
    : { ...contract.limits, iterations: 'unlimited' as const };
  return reachedLimit(state, limits, now);
}

/** The client takes no budget of nothing. */
const LEAST_USD = 0.01;

export function costLeft({ costUsd }: Limits, { spent }: LoopState): { maxCostUsd?: number } {
  return costUsd === 'unlimited' ? {} : { maxCostUsd: Math.max(LEAST_USD, costUsd - spent.costUsd) };
}

const LEAST_MS = 1000;

/** The longest that a session may take: its own limit, and what is left of the run's. */
export function timeLeft(
  { durationMs }: Limits,
  sessionMs: number | undefined,
  state: LoopState,
  now: number,
): { deadlineMs?: number } {
  const left =
    durationMs === 'unlimited' ? undefined : Math.max(LEAST_MS, durationMs - elapsedMs(state, now));
  const bounds = [left, sessionMs].filter((ms) => ms !== undefined);
  return bounds.length === 0 ? {} : { deadlineMs: Math.min(...bounds) };
}

const NEAR = 0.8;

/** The limit of which most is used up. */
export function nearLimit(state: LoopState, limits: Limits, now: number): ReachedLimit | undefined {
  const share = (limit: Limit) => (limit === 'unlimited' ? limit : limit * NEAR);
  const { iterations, costUsd, tokens, durationMs } = limits;
  const most = {
    iterations: share(iterations),
    costUsd: share(costUsd),
    tokens: share(tokens),
    durationMs: share(durationMs),
  };
  return reachedLimit(state, { ...limits, ...most }, now);
}
