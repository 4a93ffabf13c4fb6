import type { Limits } from '../contract/contract.ts';
import type { Limit } from '../run/option-values.ts';
import type { Unit } from '../text/figures.ts';
import type { LoopState } from './state.ts';

export interface ReachedLimit {
  cause: 'iterations' | 'duration' | 'cost' | 'tokens' | 'phase_iterations' | 'phase_duration';
  used: number;
  limit: number;
  /** Of tokens: the part that subagents of sessions spent. */
  bySubagents?: number;
}

export const UNIT_OF: Record<ReachedLimit['cause'], Unit> = {
  iterations: 'count',
  duration: 'ms',
  cost: 'usd',
  tokens: 'tokens',
  phase_iterations: 'count',
  phase_duration: 'ms',
};

/** Working time of a loop: time paused, waiting or without a session does not count. */
export function elapsedMs(state: LoopState, now: number): number {
  const openWait = state.waiting ? Math.max(0, now - state.waiting.since) : 0;
  return Math.max(0, now - state.startedAt - state.waitedMs - openWait);
}

export function withoutIterations({ phase, ...limits }: Limits): Limits {
  return {
    ...limits,
    iterations: 'unlimited',
    ...(phase ? { phase: { name: phase.name, durationMs: phase.durationMs } } : {}),
  };
}

/** The first limit that a loop has reached, if any. Success is checked before: it wins over limits. */
export function reachedLimit(state: LoopState, limits: Limits, now: number): ReachedLimit | undefined {
  const checks: [ReachedLimit['cause'], number, Limit][] = [
    ['iterations', state.iteration, limits.iterations],
    ['duration', elapsedMs(state, now), limits.durationMs],
    ['cost', state.spent.costUsd, limits.costUsd],
    ['tokens', state.spent.tokens, limits.tokens],
    ['phase_iterations', state.phase?.iteration ?? 0, limits.phase?.iterations ?? 'unlimited'],
    [
      'phase_duration',
      elapsedMs(state, now) - (state.phase?.since ?? 0),
      limits.phase?.durationMs ?? 'unlimited',
    ],
  ];
  for (const [cause, used, limit] of checks) {
    if (limit === 'unlimited' || used < limit) continue;
    const bySubagents = cause === 'tokens' ? state.spentBySubagents : undefined;
    return { cause, used, limit, ...(bySubagents ? { bySubagents } : {}) };
  }
  return undefined;
}
