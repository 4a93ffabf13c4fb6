import { type Contract, type Frozen, promiseOf } from '../../core/contract/contract.ts';
import type { StopSeen } from '../../core/loop/count-stop.ts';
import type { Answer } from '../../core/loop/event.ts';
import { askedNames, phaseOf, phaseSituation } from '../../core/loop/phases.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { endingMessage } from '../../core/words/endings.ts';
import type { Situation } from '../../core/words/reason.ts';
import type { Judges, JudgingPorts } from '../../judging/ports.ts';
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
  return { ...phaseIn(contract, state), promise };
}

/** Tells the person how a loop ended and lets the session's hooks sleep again. */
export function tellEnding(state: LoopState, ports: Ports): Answer {
  ports.store.mark(state.session, false);
  return { kind: 'tell', message: endingMessage(state) };
}

export type Tampering = Pick<StopSeen, 'foreignLines' | 'contractFileChanged' | 'contractReplaced'>;

/** What was changed that is out of the agent's reach as far as software can see to it. */
export async function tamperingWith(
  ref: LoopRef,
  state: LoopState,
  frozen: Frozen,
  contractSha256: string,
  ports: JudgingPorts,
): Promise<Tampering> {
  if (contractSha256 !== state.contractSha256) return { contractReplaced: true };
  const { foreignLines, foreignTold } = ports.store.noticeForeignLines(ref);
  const untold = foreignLines - foreignTold;
  const { contract } = ports.store.contract(ref);
  const file = frozen.contractFile && contractFileNow(frozen.project, await ports.judges(contract));
  return {
    foreignLines: untold > 0 ? untold : undefined,
    contractFileChanged: frozen.contractFile !== undefined && file !== frozen.contractFile ? true : undefined,
  };
}

/** What lies there and cannot be read (a folder, a pipe) is not the file from the start either. */
export function contractFileNow(project: string, judges: Judges): string | undefined {
  try {
    return judges.contractFile(project);
  } catch {
    return undefined;
  }
}
