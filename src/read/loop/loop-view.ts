/** The facts of now of one loop. Whatever shows a loop, as words, JSON or a row, renders this. Pure. */
import type { Contract } from '../../engine/core/contract/contract.ts';
import { elapsedMs } from '../../engine/core/loop/limits.ts';
import { limitsIn, type PhaseSituation, phaseOf, phaseSituation } from '../../engine/core/loop/phases.ts';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import type { Budget } from './shape.ts';
import { budgetsOf, type SeenOfLoop, type Situation, situationOf } from './situation.ts';

/** What is known of a loop when its view is made. */
export interface LoopFacts extends SeenOfLoop {
  id: string;
  /** The beginning of its task, on one line. */
  task: string;
  state: LoopState;
  /** Absent when it cannot be read, or is not looked at. */
  contract?: Contract;
  /** The folder that it works in, as its contract says. */
  folder?: string;
  /** The walls that its commands get on this machine; absent when its contract asks for none. */
  walls?: string;
}

export interface LoopView extends LoopFacts {
  /** What it does, and how that looks. */
  situation: Situation;
  /** Working time, waits left out. */
  elapsedMs: number;
  /** Of a contract with phases. */
  phase?: PhaseSituation;
  /** The limits of a loop that has not ended, the one that is nearest to being used up first. */
  budgets: Budget[];
}

export function loopView(facts: LoopFacts, now: number): LoopView {
  const { state, contract } = facts;
  const phase = contract && phaseOf(contract, state);
  return {
    ...facts,
    situation: situationOf(state, facts),
    elapsedMs: elapsedMs(state, state.ending?.at ?? now),
    phase: contract && phase && phaseSituation(contract, phase),
    budgets: !contract || hasEnded(state) ? [] : budgetsOf(state, limitsIn(contract.limits, phase), now),
  };
}
