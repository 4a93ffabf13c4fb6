import type { Verdict } from '../loop/verdict.ts';
import { signsIn } from './signs.ts';

/** What the Stops of a loop said, in short: lessons are made of it when the loop has ended. */
export interface Tally {
  /** How many Stops were judged. */
  stops: number;
  /** The gates that failed, by name; the first ones. */
  gates: Record<string, GateTally>;
}

export interface GateTally {
  /** At how many Stops it failed. */
  held: number;
  /** The iterations at which it failed; the last ones. */
  at: number[];
  /** What its evidence named, and at how many Stops; the first ones. */
  rules: Record<string, number>;
  files: Record<string, number>;
}

/** Every line of the journal carries the tally, so it stays small. */
const MOST_GATES = 8;
const MOST_SIGNS = 6;
const MOST_ITERATIONS = 8;

/** Counts the verdicts of a Stop. Only what was measured counts: neither opinions of models nor words of the agent. */
export function tallied(
  before: Tally | undefined,
  verdicts: readonly Verdict[],
  iteration: number,
): Tally | undefined {
  if (verdicts.length === 0) return before;
  const gates = { ...before?.gates };
  for (const verdict of measuredFailures(verdicts)) {
    const { gate } = verdict;
    const known = Object.hasOwn(gates, gate) ? gates[gate] : undefined;
    if (!known && Object.keys(gates).length >= MOST_GATES) continue;
    Object.defineProperty(gates, gate, {
      value: counted(known, verdict, iteration),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return { stops: (before?.stops ?? 0) + 1, gates };
}

function measuredFailures(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.flatMap((verdict) => {
    if (verdict.children && verdict.children.length > 0) return measuredFailures(verdict.children);
    const isMeasured = verdict.outcome === 'fail' && verdict.class === 'measured';
    return isMeasured && !verdict.waits && verdict.asks === undefined ? [verdict] : [];
  });
}

function counted(known: GateTally | undefined, verdict: Verdict, iteration: number): GateTally {
  const { rules, files } = signsIn(verdict);
  return {
    held: (known?.held ?? 0) + 1,
    at: [...(known?.at ?? []), iteration].slice(-MOST_ITERATIONS),
    rules: countedNames(known?.rules, rules),
    files: countedNames(known?.files, files),
  };
}

function countedNames(known: Record<string, number> = {}, names: readonly string[]): Record<string, number> {
  const counts = new Map(Object.entries(known));
  for (const name of names) {
    if (!counts.has(name) && counts.size >= MOST_SIGNS) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
