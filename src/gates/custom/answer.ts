import type { Outcome } from '../../core/loop/verdict.ts';
import type { Judgement } from '../gate.ts';

const OUTCOMES: readonly string[] = ['pass', 'fail', 'unproven', 'skip'] satisfies Outcome[];

/** Reads what a gate of the user's own printed; a text says what is wrong with it. */
export function readAnswer(stdout: string): Judgement | string {
  if (stdout.trim() === '') return 'it printed no answer on stdout';
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    return 'what it printed on stdout is not one JSON object';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'what it printed on stdout is not one JSON object';
  }
  const { outcome, summary, evidence, next, fingerprint } = value as Record<string, unknown>;
  if (typeof outcome !== 'string' || !OUTCOMES.includes(outcome)) {
    return `its "outcome" is none of ${OUTCOMES.join(', ')}`;
  }
  if (typeof summary !== 'string' || summary.trim() === '')
    return 'its "summary" is missing: one line, what was found';
  const lines = linesOf(evidence);
  if (lines === undefined) return 'its "evidence" is no list of lines';
  return {
    outcome: outcome as Outcome,
    summary,
    ...(lines.length > 0 ? { evidence: lines } : {}),
    ...(typeof next === 'string' && next.trim() !== '' ? { next } : {}),
    ...(typeof fingerprint === 'string' && fingerprint !== '' ? { fingerprint } : {}),
  };
}

function linesOf(evidence: unknown): string[] | undefined {
  if (evidence === undefined || evidence === null) return [];
  if (typeof evidence === 'string') return evidence.split('\n');
  return Array.isArray(evidence) && evidence.every((line) => typeof line === 'string') ? evidence : undefined;
}
