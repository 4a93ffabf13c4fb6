import type { FrozenContract } from '../../core/contract/contract.ts';
import { hasEnded } from '../../core/loop/state.ts';
import { changedLimits, changesInWords, type LimitChanges } from '../../core/run/raised-limits.ts';
import { limitInTheWay } from '../../core/run/reopen.ts';
import { UsageError } from '../../core/text/errors.ts';
import { describeEnding } from '../../core/words/endings.ts';
import { writeFrozenContract } from '../../home/frozen-contract.ts';
import type { ProjectPorts } from '../../hook/wiring/project-ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { reopenRun } from '../begin/reopen-run.ts';
import { howItGoesOn } from './how-it-goes-on.ts';

/** Gives a loop other limits. They count from its next Stop, or the next step of its run. Returns what you are told. */
export function changeLimits(ref: LoopRef, changes: LimitChanges, world: ProjectPorts): string[] {
  const { store } = world;
  const before = store.read(ref);
  const { contract } = store.contract(ref);
  const limits = changedLimits(contract.limits, changes);
  const words = changesInWords(contract.limits, limits);
  if (words === '') throw new UsageError('these are the limits that the loop has already');
  if (before.run) reopenRun(ref, changes, world);
  else changeOwn(ref, limits, world);
  const after = store.read(ref);
  return [`Loop ${ref.loop}: ${words}.`, ...(after.run ? [howItGoesOn(ref, after, store)] : [])];
}

/** Of a loop in a session: its contract is frozen anew, with nothing changed but the limits. */
function changeOwn(ref: LoopRef, limits: FrozenContract['contract']['limits'], world: ProjectPorts): void {
  const { store, clock } = world;
  const state = store.read(ref);
  if (hasEnded(state)) throw new UsageError(`loop ${ref.loop} has ended already: ${describeEnding(state)}`);
  if (state.dialect !== 'native')
    throw new UsageError(`the limits of loop ${ref.loop} are in its state file (${state.dialect})`);
  const still = limitInTheWay(state, limits, clock.now());
  if (still)
    throw new UsageError(
      `loop ${ref.loop} has used up more than that of its limit of ${still.cause}: name a higher one`,
    );
  const { contract, frozen } = store.contract(ref);
  writeFrozenContract(ref, { contract: { ...contract, limits }, frozen }, (contractSha256) =>
    store.append(ref, () => ({ kind: 'contract', contractSha256, maxIterations: limits.iterations })),
  );
}
