/** What a gate says about one aspect of the work, and what many of them say together. */
import type { Combination } from '../contract/gate-options.ts';

export type Outcome = 'pass' | 'fail' | 'unproven' | 'skip';

/** measured: we ran it. judged: a model said so. claimed: the agent wrote it. */
export type EvidenceClass = 'measured' | 'judged' | 'claimed';

export interface Verdict {
  /** The gate's name in the contract. */
  gate: string;
  kind: string;
  class: EvidenceClass;
  outcome: Outcome;
  /** One line: what was found. */
  summary: string;
  /** The shortest useful lines: `file:line`, failing test names, the end of the output. */
  evidence?: string[];
  /** What to do next, when the gate knows it (the next feature and its steps). */
  next?: string;
  /** Names this failure without its volatile parts; the same failure has the same fingerprint. */
  fingerprint?: string;
  /** What the contract says about `unproven`; default block. */
  onUnproven?: 'block' | 'allow';
  /** What a measured verdict rests on. */
  proof?: Proof;
  /** Only a person can let this pass: what they are asked. */
  asks?: string;
  /** The work is to end at once, whatever else fails: why. */
  letGo?: string;
  /** This verdict was found at an earlier Stop and nothing it depends on has changed since. */
  reused?: true;
  /** Verdicts that `all` and `any` were made of. */
  children?: Verdict[];
}

export interface Proof {
  command?: string;
  exitCode?: number;
  durationMs?: number;
  outputSha256?: string;
  /** Where the whole output lies. */
  outputFile?: string;
  costUsd?: number;
}

export type Summary =
  | { result: 'failing'; blocking: Verdict[] }
  | { result: 'verified' | 'claimed' | 'unproven' | 'nothing_judged'; blocking: [] };

/** Whether this verdict alone keeps the work from being done. */
export function blocks(verdict: Verdict): boolean {
  if (verdict.outcome === 'fail') return true;
  return verdict.outcome === 'unproven' && verdict.onUnproven !== 'allow';
}

export function sumUp(verdicts: readonly Verdict[]): Summary {
  const blocking = verdicts.filter(blocks);
  if (blocking.length > 0) return { result: 'failing', blocking };
  const passed = verdicts.filter((v) => v.outcome === 'pass');
  if (verdicts.some((v) => v.outcome === 'unproven')) return { result: 'unproven', blocking: [] };
  if (passed.length === 0) return { result: 'nothing_judged', blocking: [] };
  return { result: passed.some((v) => v.class === 'measured') ? 'verified' : 'claimed', blocking: [] };
}

/** `any` passes with one of its children, `all` with every one; a skipped child counts for neither. */
export function combine(how: Combination, name: string, children: readonly Verdict[]): Verdict {
  const counted = children.filter((v) => v.outcome !== 'skip');
  const outcome = combinedOutcome(how, counted);
  const open = counted.filter((v) => v.outcome !== 'pass');
  const names = (list: readonly Verdict[]) => list.map((v) => v.gate).join(', ');
  const next = open.find((v) => v.next)?.next;
  const letGo = children.find((v) => v.letGo)?.letGo;
  // Only where there is nothing that the agent could do about it.
  const asks = outcome !== 'pass' && open.every((v) => v.asks !== undefined) ? open[0]?.asks : undefined;
  return {
    gate: name,
    kind: how,
    class: combinedClass(how, counted),
    outcome,
    summary:
      outcome === 'pass'
        ? `passed by ${names(counted.filter((v) => v.outcome === 'pass'))}`
        : `open: ${names(open) || 'nothing applied'}`,
    evidence: open.flatMap((v) => [`${v.gate}: ${v.summary}`, ...(v.evidence ?? [])]),
    ...(next ? { next } : {}),
    ...(asks ? { asks } : {}),
    ...(letGo ? { letGo } : {}),
    fingerprint: open.map((v) => `${v.gate} ${v.outcome} ${v.fingerprint ?? v.summary}`).join('\n'),
    children: [...children],
  };
}

function combinedOutcome(how: Combination, counted: readonly Verdict[]): Outcome {
  const has = (outcome: Outcome) => counted.some((v) => v.outcome === outcome);
  if (counted.length === 0) return 'skip';
  if (how === 'any') return has('pass') ? 'pass' : has('unproven') ? 'unproven' : 'fail';
  return has('fail') ? 'fail' : has('unproven') ? 'unproven' : 'pass';
}

/** As strong as what it rests on: `all` when anything in it was measured, `any` only by a child that passed. */
function combinedClass(how: Combination, counted: readonly Verdict[]): EvidenceClass {
  const carrying =
    how === 'any' && counted.some((v) => v.outcome === 'pass')
      ? counted.filter((v) => v.outcome === 'pass')
      : counted;
  return strongestClass(carrying);
}

export function strongestClass(verdicts: readonly Verdict[]): EvidenceClass {
  if (verdicts.some((v) => v.class === 'measured')) return 'measured';
  return verdicts.some((v) => v.class === 'judged') ? 'judged' : 'claimed';
}
