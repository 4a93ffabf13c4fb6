/** What people read about the classes of an audit. */
import type { CountedTurn } from './summary.ts';
import type { Masking, TurnClass } from './turn.ts';

export const CLASS_NAMES: Record<TurnClass, string> = {
  verified: 'verified',
  stale: 'stale',
  failed: 'failed',
  masked: 'masked',
  never_ran: 'never ran',
};

export const CLASS_MEANS: Record<TurnClass, string> = {
  verified: 'a check passed after the last edit',
  stale: 'a check passed, then came more edits',
  failed: 'the last check failed',
  masked: 'a check ran, but a failure could not be seen',
  never_ran: 'no check ran at all',
};

/** The same for one line of a terminal. */
export const CLASS_SHORT: Record<TurnClass, string> = {
  verified: 'passed after the last edit',
  stale: 'passed, then more edits',
  failed: 'the last check failed',
  masked: 'a failure was not visible',
  never_ran: 'no check ran',
};

export const MASKING_MEANS: Record<Masking, string> = {
  pipe: 'its exit code ended in a pipe: | tail, | grep, | tee',
  or: 'its failure was taken for success: || true, || echo',
  later_command: 'a later command gave the exit code: ; echo',
  exit_zero: 'the line ended with exit 0',
  if: 'it was only the condition of an if',
  loop: 'it ran in a loop, of which only the last round counts',
  negated: 'its result was turned round: !',
  background: 'it was left running in the background',
  substitution: 'it ran inside of $(...)',
  trap: 'a trap made every ending a good one',
  may_not_run: 'it would run only when something else had failed',
  dry_run: 'it was a dry run, or only listed the tests',
  no_tests_is_fine: 'it passes when there are no tests',
  errors_are_fine: 'it was told to pass in spite of errors',
  tests_skipped: 'it was told to skip the tests',
  hooks_skipped: 'the hooks of git were left out: --no-verify',
  narrower: 'only some files or tests were checked, though there is a check of all',
  no_result: 'its end is not in the transcript',
};

/** Why a turn has its class, in one sentence. */
export function whyClass(turn: CountedTurn): string {
  return turn.class === 'masked' && turn.masking ? MASKING_MEANS[turn.masking] : CLASS_MEANS[turn.class];
}

/** `3 of 10 (30 %)`; an honest percentage is never rounded to all or to nothing. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '0 %';
  const percent = (100 * part) / whole;
  if (part > 0 && percent < 1) return 'under 1 %';
  if (part < whole && percent > 99) return '99 %';
  return `${Math.round(percent)} %`;
}

/** What one command would have changed. */
export function wouldHaveHeld(open: number, wouldHold: number): string {
  const which =
    open === wouldHold
      ? open === 1
        ? 'The other one'
        : `The other ${open}`
      : `${wouldHold} of the other ${open}`;
  return `${which} would not have ended before a check of the project had passed, with one command:`;
}
