import type { Limits } from '../contract/contract.ts';
import type { LoopState } from './state.ts';
import type { Verdict } from './verdict.ts';

export type Stall =
  | { stage: 'moving' }
  /** The last block before the end: it asks for a different approach. */
  | { stage: 'last_call'; times: number }
  | { stage: 'stalled'; cause: 'same_failure' | 'same_failure_changing' | 'same_message'; times: number };

/**
 * Whether the loop goes round in circles. The failing picture decides where something was measured, or the tree is known;
 * where there is only the agent's word, the same final message again and again does.
 */
export function stallOf(state: LoopState, verdicts: readonly Verdict[], limits: Limits): Stall {
  const measured = verdicts.some((v) => v.class === 'measured' && v.outcome !== 'skip');
  if (!measured && state.picture?.tree === undefined)
    return stage(state.lastMessage?.times ?? 0, limits.stallMessages, 'same_message');
  const picture = state.picture;
  if (!picture) return { stage: 'moving' };
  const still = stage(picture.timesSameTree, limits.stall, 'same_failure');
  const changing = stage(picture.times, limits.stallChanging, 'same_failure_changing');
  return rank(changing) > rank(still) ? changing : still;
}

function stage(
  times: number,
  allowed: number,
  cause: 'same_failure' | 'same_failure_changing' | 'same_message',
): Stall {
  if (times > allowed) return { stage: 'stalled', cause, times };
  if (times === allowed) return { stage: 'last_call', times };
  return { stage: 'moving' };
}

function rank(stall: Stall): number {
  return ['moving', 'last_call', 'stalled'].indexOf(stall.stage);
}
