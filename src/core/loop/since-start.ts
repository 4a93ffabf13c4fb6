import type { EvidenceClass, Outcome, Verdict } from './verdict.ts';

/** What a gate said when the loop started. */
export interface BaseGate {
  name: string;
  class: EvidenceClass;
  verdict: Outcome;
}

/** The gates of a baseline, those inside `all`, `any` and chunks included. */
export function baseGates(verdicts: readonly Verdict[]): BaseGate[] {
  return leaves(verdicts).map(({ gate, class: given, outcome }) => ({
    name: gate,
    class: given,
    verdict: outcome,
  }));
}

/** Kinds that are no word about the work and no proof of it, either: they tell that files differ or are committed. */
const SAYS_NOTHING = new Set(['changed', 'git']);

/**
 * The claimed gates that pass now and did not at the start, where nothing else can have come to pass: what was measured
 * passed all along, so the work rests on them alone. Undefined where the work rests on more, or the start is not known.
 */
export function restsOnClaims(
  base: readonly BaseGate[] | undefined,
  verdicts: readonly Verdict[],
): string[] | undefined {
  if (base === undefined) return undefined;
  const before = new Map(base.map((gate) => [gate.name, gate]));
  const now = leaves(verdicts).filter(({ kind }) => !SAYS_NOTHING.has(kind));
  const passing = now.filter(({ outcome }) => outcome === 'pass');
  const isNew = ({ gate }: Verdict) => before.get(gate)?.verdict !== 'pass';
  if (passing.some((verdict) => verdict.class !== 'claimed' && isNew(verdict))) return undefined;
  // A gate of an earlier phase is not judged again: it has passed since.
  const judged = new Set(leaves(verdicts).map(({ gate }) => gate));
  const passedBefore = base.some(
    (gate) => gate.class !== 'claimed' && gate.verdict !== 'pass' && !judged.has(gate.name),
  );
  if (passedBefore) return undefined;
  // What was skipped at the start did not fail there.
  const claims = passing.filter(
    (verdict) =>
      verdict.class === 'claimed' && isNew(verdict) && before.get(verdict.gate)?.verdict !== 'skip',
  );
  return claims.length === 0 ? undefined : claims.map(({ gate }) => gate);
}

function leaves(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.flatMap((verdict) =>
    verdict.children && verdict.children.length > 0 ? leaves(verdict.children) : [verdict],
  );
}
