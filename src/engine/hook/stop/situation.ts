import { type Contract, DEFAULT_ASK, type Frozen, promiseOf } from '../../core/contract/contract.ts';
import type { StopSeen } from '../../core/loop/count-stop.ts';
import type { Answer } from '../../core/loop/event.ts';
import { askedNames, phaseOf, phaseSituation } from '../../core/loop/phases.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { askedSoFar, howToAsk } from '../../core/words/asking.ts';
import { endingMessage } from '../../core/words/endings.ts';
import type { Situation } from '../../core/words/reason.ts';
import type { Judges } from '../../gates/gate.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';

/** Where a loop stands, for the texts about it. */
export function situationOf(ref: LoopRef, state: LoopState, ports: Ports): Situation {
  const { contract } = ports.store.contract(ref);
  return {
    ...askedNow(contract, state),
    asked: askedSoFar(state),
    howToAsk: howToAsk((contract.ask ?? DEFAULT_ASK).policy),
    iteration: state.iteration,
    maxIterations: state.maxIterations,
    task: ports.store.task(ref),
    taskFile: ports.store.taskFile(ref),
  };
}

/** The phase of a loop, for the texts about it. */
export function phaseIn(contract: Contract, state: LoopState): Pick<Situation, 'phase'> {
  const phase = phaseOf(contract, state);
  return phase ? { phase: phaseSituation(contract, phase) } : {};
}

/** The phase of a loop, and the promise that this phase asks for. Promises of later phases are not told yet. */
export function askedNow(contract: Contract, state: LoopState): Pick<Situation, 'phase' | 'promise'> {
  const promise = promiseOf({ ...contract, done: askedNames(contract, state) });
  return { ...phaseIn(contract, state), promise };
}

/** Tells the user how a loop ended. The session's hooks are idle from then on. */
export function tellEnding(state: LoopState, ports: Ports): Answer {
  ports.store.mark(state.session, false);
  return { kind: 'tell', message: endingMessage(state) };
}

export type Tampering = Pick<StopSeen, 'foreignLines' | 'contractFileChanged' | 'contractReplaced'>;

/** Finds changes to what the agent must not touch: the journal, the frozen contract, untildone.yaml. */
export async function tamperingWith(
  ref: LoopRef,
  state: LoopState,
  frozen: Frozen,
  contractSha256: string,
  ports: Ports,
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

/** The digest of untildone.yaml now; undefined for something that cannot be read, such as a folder or a pipe. */
export function contractFileNow(project: string, judges: Judges): string | undefined {
  try {
    return judges.contractFile(project);
  } catch {
    return undefined;
  }
}
