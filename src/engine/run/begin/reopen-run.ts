import type { FrozenContract } from '../../core/contract/contract.ts';
import { type ReachedLimit, UNIT_OF } from '../../core/loop/limits.ts';
import { hasEnded, type LoopState } from '../../core/loop/state.ts';
import {
  changedLimits,
  changesInWords,
  howToRaise,
  type LimitChanges,
} from '../../core/run/raised-limits.ts';
import { canReopen, limitInTheWay } from '../../core/run/reopen.ts';
import { UsageError } from '../../core/text/errors.ts';
import { sayUsed } from '../../core/text/figures.ts';
import { describeEnding } from '../../core/words/endings.ts';
import { writeFrozenContract } from '../../home/frozen-contract.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import type { LoopRef } from '../../ports/ports.ts';

/** Whether going on needs you: new limits, or a run that had come to its end. */
export function reopens(state: LoopState, changes: LimitChanges): boolean {
  return Object.keys(changes).length > 0 || (canReopen(state) && state.status !== 'reached_limit');
}

/** Gives a run its new limits, and lets it go on when it has ended. One entry of the journal says both. */
export function reopenRun(ref: LoopRef, changes: LimitChanges, { store, clock }: ProjectPorts): void {
  const state = store.read(ref);
  if (hasEnded(state) && !canReopen(state))
    throw new UsageError(
      `run ${ref.loop} is done (${describeEnding(state)}): there is nothing to go on with; begin a new run`,
    );
  const { contract, frozen } = store.contract(ref);
  const limits = changedLimits(contract.limits, changes);
  const still = limitInTheWay(state, limits, clock.now());
  if (still) throw new UsageError(`run ${ref.loop} ${usedUp(still)}: ${howToRaise(ref.loop, still.cause)}`);
  const next: FrozenContract = { contract: { ...contract, limits }, frozen };
  writeFrozenContract(ref, next, (contractSha256) =>
    store.append(ref, () => ({
      kind: 'reopened',
      contractSha256,
      maxIterations: limits.iterations,
      limits: changesInWords(contract.limits, limits) || undefined,
    })),
  );
}

function usedUp({ cause, used, limit }: ReachedLimit): string {
  return `has used up its limit of ${cause} (${sayUsed(used, limit, UNIT_OF[cause])})`;
}
