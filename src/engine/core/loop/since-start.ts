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
  // That files differ, or are committed, is no word about the work, and no proof of it.
  const changes = (verdict: Verdict) => verdict.kind === 'changed';
  const commits = (verdict: Verdict) => verdict.kind === 'git';
  const now = leaves(verdicts).filter((verdict) => !changes(verdict) && !commits(verdict));
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

/**
 * Whether everything that was measured passed at the start already, and the work is nothing that tests could miss: pages
 * and comments. Where no `differential` looked, or the start is not known, nobody can tell.
 */
export function nothingWasMeasured(
  base: readonly BaseGate[] | undefined,
  verdicts: readonly Verdict[],
): boolean {
  if (base === undefined) return false;
  const now = leaves(verdicts);
  const compared = now.filter(({ kind, outcome }) => kind === 'differential' && outcome === 'pass');
  if (compared.length === 0 || !compared.every(({ proof }) => proof?.differential?.nothingToMiss))
    return false;
  const before = new Map(base.map((gate) => [gate.name, gate.verdict]));
  const stoodAlready = (verdict: Outcome | undefined) => verdict === 'pass' || verdict === 'skip';
  const others = now.filter(
    (verdict) => verdict.outcome === 'pass' && verdict.class !== 'claimed' && !compared.includes(verdict),
  );
  const judged = new Set(now.map(({ gate }) => gate));
  const passedBefore = base.some(
    (gate) => gate.class !== 'claimed' && !stoodAlready(gate.verdict) && !judged.has(gate.name),
  );
  return !passedBefore && others.every(({ gate }) => stoodAlready(before.get(gate)));
}

function leaves(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.flatMap((verdict) =>
    verdict.children && verdict.children.length > 0 ? leaves(verdict.children) : [verdict],
  );
}
