/** A command that fails only where it failed before the work began holds nobody. */
import type { KnownFailure } from '../../core/contract/contract.ts';
import { idOf, knownNow, knownWords } from '../../core/contract/known-failures.ts';
import type { TestResults } from '../../core/proof/test-results.ts';
import type { Kept } from '../../ports/ports.ts';
import type { Judgement } from '../gate.ts';

const MENDED = 'known failures that passed';
const MOST_NAMED = 20;

/**
 * The judgement with what the contract knows to fail taken out of it. A known failure that passes is remembered, and counts
 * like every other failure from then on.
 */
export function withoutKnown(
  judgement: Judgement,
  tests: TestResults | undefined,
  known: readonly KnownFailure[],
  measured: Kept | undefined,
): Judgement {
  const { outcome } = judgement;
  if (known.length === 0 || (outcome !== 'pass' && outcome !== 'fail')) return judgement;
  const before = measured?.read(MENDED);
  const ended = new Set(Array.isArray(before) ? before.map(String) : []);
  const open = known.filter((each) => !ended.has(idOf(each)));
  const now = knownNow(open, outcome === 'pass', tests);
  if (now.mended.length > 0) measured?.write(MENDED, [...ended, ...now.mended.map(idOf)]);
  const notes = [...(judgement.notes ?? []), ...now.mended.map(mendedNote)];
  if (outcome === 'pass') return notes.length === 0 ? judgement : { ...judgement, notes };
  const again = knownNow(
    known.filter((each) => ended.has(idOf(each))),
    false,
    tests,
  ).failing;
  if (!now.isAll)
    return {
      ...judgement,
      evidence: [...again.slice(0, MOST_NAMED).map(againLine), ...(judgement.evidence ?? [])],
      notes,
    };
  return excused(judgement, now.failing, notes);
}

function excused(judgement: Judgement, failing: readonly KnownFailure[], notes: string[]): Judgement {
  const isWhole = failing.some(({ test }) => test === undefined);
  const exceptions = failing.slice(0, MOST_NAMED).map((each) => `known failure: ${knownWords(each)}`);
  const rest = failing.length - MOST_NAMED;
  const { summary, fingerprint: _, ...found } = judgement;
  return {
    ...found,
    // A command that fails as a whole shows nothing of the work.
    outcome: isWhole ? 'skip' : 'pass',
    summary: isWhole
      ? `${summary}, as it did before the work began`
      : `${summary}, but only in ${counted(failing.length)} from before the work began`,
    exceptions: [...exceptions, ...(rest > 0 ? [`${rest} more known failures`] : [])],
    notes,
  };
}

function counted(count: number): string {
  return count === 1 ? '1 test that is known to fail' : `${count} tests that are known to fail`;
}

function mendedNote(known: KnownFailure): string {
  return `passes now, and counts from here on: ${known.test ?? 'the whole command'}; take it out of known_failures in untildone.yaml`;
}

function againLine({ test }: KnownFailure): string {
  return `${test ?? 'The command'} is in known_failures, but has passed since then, so it counts.`;
}
