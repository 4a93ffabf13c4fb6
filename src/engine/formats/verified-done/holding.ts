import { DEFAULT_LIMITS } from '../../core/contract/contract.ts';
import type { Limit } from '../../core/run/option-values.ts';
import { gateFails } from './conditions.ts';
import type { RalphState } from './read-state.ts';

export type LoopPhase = 'absent' | 'verified' | 'running' | 'spent';

/** The phase of a loop.json. It holds the session while it is neither verified nor out of iterations. */
export function loopPhase({ loop }: RalphState): LoopPhase {
  if (!loop) return 'absent';
  if (loop.verified) return 'verified';
  return (loop.iteration ?? 0) < loop.maxIterations ? 'running' : 'spent';
}

export function orchestratorHolds({ orchestrator }: RalphState): boolean {
  if (!orchestrator) return false;
  return !orchestrator.verified || orchestrator.conditions.known.some(({ outcome }) => outcome === 'fail');
}

/** Whether the quality gate or an open task holds the session. Neither counts iterations. */
function uncountedHolds({ qualityGate, tasks }: RalphState): boolean {
  return (
    (qualityGate !== undefined && gateFails(qualityGate)) ||
    (tasks?.open.length ?? 0) > 0 ||
    tasks?.more === true
  );
}

/** Whether the files hold the session. Uncommitted changes are not looked at here. */
export function holds(state: RalphState): boolean {
  return orchestratorHolds(state) || loopPhase(state) === 'running' || uncountedHolds(state);
}

/** Whether the loop ends because its loop.json is out of iterations and nothing else holds the session. */
export function endsSpent(state: RalphState): boolean {
  return loopPhase(state) === 'spent' && !holds(state);
}

export interface Counting {
  iteration?: number;
  maxIterations: Limit;
}

/**
 * The count of the file that holds the session. An orchestrator has no maximum, so the default limit applies. The maximum
 * of a loop.json ends the whole loop only when nothing else holds: in the format it ends its own part alone.
 */
export function counting(state: RalphState): Counting {
  const { orchestrator, loop } = state;
  const phase = loopPhase(state);
  if (loop && !orchestratorHolds(state) && (phase === 'running' || endsSpent(state))) {
    return {
      maxIterations: loop.maxIterations,
      iteration: loop.iteration,
    };
  }
  return {
    maxIterations: DEFAULT_LIMITS.iterations,
    iteration: orchestrator?.iterations,
  };
}
