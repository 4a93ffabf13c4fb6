/** The contract of a child of a run: that of the run, narrowed to one piece. It never asks for anything else. */

import type { Share } from '../loop/state.ts';
import type { Limit } from '../run/option-values.ts';
import type { Contract } from './contract.ts';
import type { TraitsOf } from './gate-traits.ts';

export interface PieceRules {
  /** The feature list and the features of this piece; absent: the piece is a task of its own. */
  features?: { gate: string; only: string[] };
  /** The gates that pass when the child starts. */
  passing: readonly string[];
  share: Share;
  durationMs: Limit;
  /** The branch of the child is pushed, so that a service can check it. */
  pushed: boolean;
}

/**
 * A child with features of a list has to pass these, and must not break what passes. A gate that fails at its start may
 * need other pieces, too: the run is judged by it when all pieces are merged. A child with a task of its own has to pass
 * every gate.
 */
export function childContract(contract: Contract, rules: PieceRules, traitsOf: TraitsOf): Contract {
  const { features, share, durationMs } = rules;
  const { phases: _, memory, everyStop, ...rest } = contract;
  const isAsked = (name: string) => isAskedOf(name, contract, rules, traitsOf);
  const done = [
    ...(features ? [features.gate] : []),
    ...leavesOf(contract.done, contract).filter((name) => name !== features?.gate && isAsked(name)),
  ];
  const standing = everyStop?.gates.filter(isAsked) ?? [];
  return {
    ...rest,
    gates: features ? { ...contract.gates, ...narrowed(contract, features) } : contract.gates,
    done,
    everyStop: everyStop && standing.length > 0 ? { ...everyStop, gates: standing } : undefined,
    // All children would write their notes into the same place, and every merge would conflict.
    memory: memory ? { ...memory, update: false } : undefined,
    limits: { ...contract.limits, ...share, durationMs },
    // The run itself notifies you, but not of what the agent of a child asks.
    notify: contract.notify.flatMap((each) =>
      each.on.includes('needs_person') ? [{ ...each, on: ['needs_person'] }] : [],
    ),
  };
}

function isAskedOf(
  name: string,
  contract: Contract,
  { features, passing, pushed }: PieceRules,
  traitsOf: TraitsOf,
): boolean {
  const spec = contract.gates[name];
  if (!spec) return false;
  switch (traitsOf(spec.kind).ofPiece) {
    case 'always':
      return true;
    case 'when_pushed':
      return pushed;
    case 'never':
      return false;
    default:
      return features === undefined || passing.includes(name);
  }
}

/** The gates, with those inside `all` in its place. */
function leavesOf(names: readonly string[], contract: Contract, above: readonly string[] = []): string[] {
  const leaves = names.flatMap((name) => {
    const spec = contract.gates[name];
    if (spec?.kind !== 'all' || above.includes(name)) return [name];
    return leavesOf(spec.options.gates, contract, [...above, name]);
  });
  return [...new Set(leaves)];
}

function narrowed(contract: Contract, { gate, only }: { gate: string; only: string[] }): Contract['gates'] {
  const spec = contract.gates[gate];
  return spec?.kind === 'features' ? { [gate]: { ...spec, options: { ...spec.options, only } } } : {};
}

/** The feature lists that a run can be divided by. */
export function featureGates(contract: Contract): { gate: string; file: string; only?: string[] }[] {
  return leavesOf(contract.done, contract).flatMap((gate) => {
    const spec = contract.gates[gate];
    return spec?.kind === 'features' ? [{ gate, ...spec.options }] : [];
  });
}

/** The phase that has to end before the work can be divided, such as one in which you approve a plan. */
export function phaseBefore(contract: Contract): string | undefined {
  const [first] = contract.phases ?? [];
  if (!first) return undefined;
  const asked = leavesOf(first.exit, contract);
  const isFirst = featureGates(contract).some(({ gate }) => asked.includes(gate));
  return isFirst && first.entry.length === 0 ? undefined : first.name;
}

/** The gates of `done` that ask you. */
export function approvals(contract: Contract, traitsOf: TraitsOf): string[] {
  return leavesOf(contract.done, contract).filter((name) => {
    const spec = contract.gates[name];
    return spec !== undefined && traitsOf(spec.kind).asksPerson;
  });
}
