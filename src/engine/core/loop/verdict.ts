import type { Combination } from '../contract/gate-options.ts';

/** Verdicts of gates, and how several of them are combined. */

export type Outcome = 'pass' | 'fail' | 'unproven' | 'skip';

/** measured: untildone ran it. judged: a model or a person said so. claimed: the agent wrote it. */
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
  /** The question to a person, when only an answer can make this pass. */
  asks?: string;
  /** The question to a person, when the agent stops again with this very failure. */
  asksIfRepeated?: string;
  /** What a person allowed although the gate objects to it. */
  exceptions?: string[];
  /** The same tree and command had different outcomes. */
  flaky?: true;
  /** What the receipt has to name although it holds nobody. */
  notes?: string[];
  /** Why the loop has to end at once, whatever else fails. */
  letGo?: string;
  /** The verdict of an earlier Stop: nothing that it depends on has changed since. */
  reused?: true;
  /** The tree on which a reused verdict was found, where it is another: only files changed that the gate does not name. */
  reusedFrom?: string;
  /** Not judged yet: it is judged when other gates pass, and it is none of the failures. */
  waits?: true;
  /** Entries of a list that were measured otherwise than the list says, by their ids. */
  measured?: Measured;
  /** Verdicts that `all` and `any` were made of. */
  children?: Verdict[];
}

/** Entries of a list whose measured result is other than what the list says. */
export interface Measured {
  /** They pass, although the list does not say so. */
  passing: string[];
  /** They do not pass, although the list says so. */
  open: string[];
}

export interface Proof {
  command?: string;
  exitCode?: number;
  durationMs?: number;
  outputSha256?: string;
  /** The file with the whole output. */
  outputFile?: string;
  costUsd?: number;
  /** Where the command ran; absent: in the folder of the project. */
  room?: 'clean';
  /** The dependencies in the room are those that lay in the project at the start; absent: a setup made them. */
  dependencies?: 'as_found';
  /** The walls around the command; absent: there were none. */
  walls?: string;
  /** How many runs in a row passed; absent: one was asked for. */
  repeats?: number;
  /** How many tests ended how, where the runner says so. */
  tests?: { passed: number; failed: number; skipped: number };
  /** What old and new tests showed on old and new code. */
  differential?: DifferentialProof;
}

/** When the judging of a gate began, and how many milliseconds it took. */
export interface Took {
  at: number;
  ms: number;
}

export interface DifferentialProof {
  /** Tests of the start on the code of now, by what became of them; `flaky` ones count for nothing. */
  old?: { passed: number; failed: number; missing: number; flaky: number };
  /** Added and changed tests that fail on the code of the start, and those that do not. */
  biting?: number;
  vacuous?: number;
  /** Changed places without which all tests still pass. */
  untested?: string[];
  /** The share of the changed lines that are tested: a test fails when they are undone. */
  tested?: number;
  /** Only words were changed, pages and comments, so that nothing was compared. */
  nothingToMiss?: true;
  /** Exceptions: tests whose old form fails, and may. */
  allowed: string[];
  /** Those of them that a model allowed. */
  byModel?: string[];
}

/** The verdict of the gate that asks for a change, when nothing was changed yet. */
export function unchangedYet(gate: string): Verdict {
  const summary = 'nothing was changed since the start';
  return { gate, kind: 'changed', class: 'claimed', outcome: 'fail', summary };
}

type Summary =
  | { result: 'failing'; blocking: Verdict[] }
  | { result: 'verified' | 'claimed' | 'unproven' | 'nothing_judged'; blocking: [] };

/** Whether this verdict holds the loop. */
export function blocks(verdict: Verdict): boolean {
  if (verdict.outcome === 'fail') return true;
  return verdict.outcome === 'unproven' && verdict.onUnproven !== 'allow';
}

/** The verdicts that a combined one is made of, else itself. */
export function leavesOf(verdict: Verdict): Verdict[] {
  return verdict.children?.length ? verdict.children.flatMap(leavesOf) : [verdict];
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
  // A question counts only when there is nothing left that the agent could do.
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
    next: next || undefined,
    asks: asks || undefined,
    letGo: letGo || undefined,
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

/** `all` is as strong as its strongest child; `any` as the strongest child that passed. */
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

/** A short name for a text, to tell "the same again" from "something new". Not for security. */
export function fingerprint(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/** Escaped: the bundler leaves patterns as they are, and one character beyond ASCII doubles the size of the bundle. */
const VOLATILE: [RegExp, string][] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(\.\d+)?\b/g, '<time>'],
  [/\b0x[0-9a-f]+\b/gi, '<address>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d+([.,]\d+)? ?(ns|\u00b5s|us|ms|s|sec|secs|seconds|min|minutes)\b/g, '<duration>'],
  [/\b(127\.0\.0\.1|localhost):\d+\b/g, '<port>'],
  [/(\/private)?\/(tmp|var\/folders)\/[^\s:'")]+/g, '<temp>'],
  [/\bpid[ =:]+\d+/gi, '<pid>'],
];

/** Every pattern above needs one of these characters. */
const MAY_BE_VOLATILE = /[\d/-]/;

/** Removes what differs from one run to the next although the failure is the same. */
export function withoutVolatileParts(text: string): string {
  if (!MAY_BE_VOLATILE.test(text)) return text;
  return VOLATILE.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text);
}
