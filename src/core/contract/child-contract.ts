/** The definition of done of one piece of a run: that of the run, narrowed. Nothing is in it that the run's has not. */

import type { Share } from '../loop/state.ts';
import type { Contract, Limit } from './contract.ts';
import type { TraitsOf } from './gate-traits.ts';

export interface PieceRules {
  /** The feature list that the piece is taken from, and which of its features; absent: a task of its own. */
  features?: { gate: string; only: string[] };
  /** The gates that pass where the child begins. */
  passing: readonly string[];
  share: Share;
  durationMs: Limit;
  /** Its branch is pushed, so that a service can check it. */
  pushed: boolean;
}

/**
 * A child of a feature list has to bring its features and to keep what passes. What fails where it begins fails for the
 * sake of other pieces, too: that is asked of the run, when all of them are in. A child with a task of its own is asked
 * for everything.
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
    // Notes about itself, of every child in the same place, would be one conflict after another.
    memory: memory ? { ...memory, update: false } : undefined,
    limits: { ...contract.limits, ...share, durationMs },
    // The person hears of the run.
    notify: [],
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

/** Parts of `all` are asked for one by one. */
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
export function featureGates(contract: Contract): { gate: string; file: string }[] {
  return leavesOf(contract.done, contract).flatMap((gate) => {
    const spec = contract.gates[gate];
    return spec?.kind === 'features' ? [{ gate, file: spec.options.file }] : [];
  });
}

/** The phase that has to be over before the work that is divided may begin: where a plan is approved first, nobody builds. */
export function phaseBefore(contract: Contract): string | undefined {
  const [first] = contract.phases ?? [];
  if (!first) return undefined;
  const asked = leavesOf(first.exit, contract);
  const isFirst = featureGates(contract).some(({ gate }) => asked.includes(gate));
  return isFirst && first.entry.length === 0 ? undefined : first.name;
}

/** The gates with which a person has to approve the whole. */
export function approvals(contract: Contract, traitsOf: TraitsOf): string[] {
  return leavesOf(contract.done, contract).filter((name) => {
    const spec = contract.gates[name];
    return spec !== undefined && traitsOf(spec.kind).asksPerson;
  });
}
