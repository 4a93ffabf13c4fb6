import type { Contract, Limits, Phase } from '../contract/contract.ts';
import type { PhaseState } from './state.ts';

/** The work goes on once more. */
export function countIteration<Counted extends { iteration: number; phase?: PhaseState }>(
  state: Counted,
): Counted {
  const { iteration, phase } = state;
  return {
    ...state,
    iteration: iteration + 1,
    ...(phase ? { phase: { ...phase, iteration: phase.iteration + 1 } } : {}),
  };
}

/** What is said about a phase. */
export interface PhaseSituation {
  name: string;
  number: number;
  of: number;
  instruction?: string;
  next?: string;
}

/** The phase that a loop is in; undefined for a contract without phases. */
export function phaseOf(
  contract: Pick<Contract, 'phases'>,
  state: { phase?: PhaseState },
): Phase | undefined {
  const { phases } = contract;
  return phases?.find(({ name }) => name === state.phase?.name) ?? phases?.[0];
}

export function nextPhase({ phases = [] }: Pick<Contract, 'phases'>, phase: Phase): Phase | undefined {
  return phases[phases.indexOf(phase) + 1];
}

/**
 * The gates that keep a loop in a phase: its own, and those that the next one asks for before it begins. In the last one
 * everything that the work has to pass is judged, on one and the same tree.
 */
export function gatesOfPhase(contract: Pick<Contract, 'phases' | 'done'>, phase: Phase): string[] {
  const isFirst = contract.phases?.[0] === phase;
  const next = nextPhase(contract, phase);
  return [
    ...new Set([...(isFirst ? phase.entry : []), ...phase.exit, ...(next ? next.entry : contract.done)]),
  ];
}

/** The gates that a Stop of the loop has to pass now. */
export function askedNames(
  contract: Pick<Contract, 'phases' | 'done'>,
  state: { phase?: PhaseState },
): string[] {
  const phase = phaseOf(contract, state);
  return phase ? gatesOfPhase(contract, phase) : contract.done;
}

/** Everything that the work has to pass on its way, each once. */
export function namesOnTheWay({ phases = [], done }: Pick<Contract, 'phases' | 'done'>): string[] {
  return [...new Set([...phases.flatMap(({ entry, exit }) => [...entry, ...exit]), ...done])];
}

export function phaseSituation(contract: Pick<Contract, 'phases'>, phase: Phase): PhaseSituation {
  const { phases = [] } = contract;
  const next = nextPhase(contract, phase);
  return {
    name: phase.name,
    number: phases.indexOf(phase) + 1,
    of: phases.length,
    ...(phase.instruction === undefined ? {} : { instruction: phase.instruction }),
    ...(next === undefined ? {} : { next: next.name }),
  };
}

/** The limits with those of the phase that the loop is in. */
export function limitsIn(limits: Limits, phase: Phase | undefined): Limits {
  return phase?.limits ? { ...limits, phase: { name: phase.name, ...phase.limits } } : limits;
}
