import type { Answer } from '../core/answer.ts';
import { promiseOf } from '../core/contract.ts';
import { endingMessage } from '../core/endings.ts';
import type { LoopState } from '../core/loop.ts';
import type { Situation } from '../core/reason.ts';
import type { LoopRef, Ports } from '../ports.ts';

/** Where a loop stands, for the sentences that are said about it. */
export function situationOf(ref: LoopRef, state: LoopState, ports: Ports): Situation {
  const promise = promiseOf(ports.store.contract(ref).contract);
  return {
    iteration: state.iteration,
    maxIterations: state.maxIterations,
    task: ports.store.task(ref),
    taskFile: ports.store.taskFile(ref),
    ...(promise === undefined ? {} : { promise }),
  };
}

/** Tells the person how a loop ended and lets the session's hooks sleep again. */
export function tellEnding(state: LoopState, ports: Ports): Answer {
  ports.store.mark(state.session, false);
  return { kind: 'tell', message: endingMessage(state) };
}
