import { DEFAULT_LIMITS, type Limit } from '../../core/contract/contract.ts';
import { gateFails } from './conditions.ts';
import type { RalphState } from './read-state.ts';

export type LoopPhase = 'absent' | 'verified' | 'running' | 'spent';

/** Where a loop.json stands by itself: it holds while it is neither verified nor out of iterations. */
export function loopPhase({ loop }: RalphState): LoopPhase {
  if (!loop) return 'absent';
  if (loop.verified) return 'verified';
  return (loop.iteration ?? 0) < loop.maxIterations ? 'running' : 'spent';
}

export function orchestratorHolds({ orchestrator }: RalphState): boolean {
  if (!orchestrator) return false;
  return !orchestrator.verified || orchestrator.conditions.known.some(({ outcome }) => outcome === 'fail');
}

/** Whether something holds that counts no iterations of its own. */
function uncountedHolds({ qualityGate, tasks }: RalphState): boolean {
  return (qualityGate !== undefined && gateFails(qualityGate)) || (tasks?.open.length ?? 0) > 0;
}

/** Whether the files hold the session; uncommitted changes are not looked at for this. */
export function holds(state: RalphState): boolean {
  return orchestratorHolds(state) || loopPhase(state) === 'running' || uncountedHolds(state);
}

/** A loop.json that is out of iterations holds nothing, but where nothing else holds either, that is how it ended. */
export function endsSpent(state: RalphState): boolean {
  return loopPhase(state) === 'spent' && !holds(state);
}

export interface Counting {
  iteration?: number;
  maxIterations: Limit;
}

/**
 * The file that holds counts. An orchestrator has no maximum, so ours applies; the maximum of a loop.json ends the whole
 * only when nothing beside it holds, because in the document it only ends its own part.
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
