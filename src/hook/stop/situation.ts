import { type Contract, promiseOf } from '../../core/contract/contract.ts';
import type { Answer } from '../../core/loop/answer.ts';
import { askedNames, phaseOf, phaseSituation } from '../../core/loop/phases.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { endingMessage } from '../../core/words/endings.ts';
import type { Situation } from '../../core/words/reason.ts';
import type { LoopRef, Ports } from '../../ports/ports.ts';

/** Where a loop stands, for the sentences that are said about it. */
export function situationOf(ref: LoopRef, state: LoopState, ports: Ports): Situation {
  return {
    ...askedNow(ports.store.contract(ref).contract, state),
    iteration: state.iteration,
    maxIterations: state.maxIterations,
    task: ports.store.task(ref),
    taskFile: ports.store.taskFile(ref),
  };
}

/** The phase that a loop is in, for the sentences that are said about it. */
export function phaseIn(contract: Contract, state: LoopState): Pick<Situation, 'phase'> {
  const phase = phaseOf(contract, state);
  return phase ? { phase: phaseSituation(contract, phase) } : {};
}

/** The phase that a loop is in, and the promise that it asks for now: one that is for later is not told before. */
export function askedNow(contract: Contract, state: LoopState): Pick<Situation, 'phase' | 'promise'> {
  const promise = promiseOf({ ...contract, done: askedNames(contract, state) });
  return { ...phaseIn(contract, state), ...(promise === undefined ? {} : { promise }) };
}

/** Tells the person how a loop ended and lets the session's hooks sleep again. */
export function tellEnding(state: LoopState, ports: Ports): Answer {
  ports.store.mark(state.session, false);
  return { kind: 'tell', message: endingMessage(state) };
}
