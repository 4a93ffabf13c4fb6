/** One turn: from the prompt of a person to the end of the work that it started. */
import type { CheckKind, Weakness } from '../../../engine/core/commands/check-names.ts';
import type { Check } from '../../../engine/core/commands/checks.ts';
import type { Hiding } from './line-calls.ts';

/** What stood behind the end of a turn. `narrow` becomes `masked` or `verified`, once it is known whether wider checks exist. */
export type TurnClass = 'verified' | 'stale' | 'failed' | 'never_ran' | 'masked';

/** Why a check told nothing. */
export type Masking = Hiding | Weakness | 'narrower' | 'no_result';

export type CheckResult = 'passed' | 'failed' | 'masked';

/** A shell line with checks in it, once its result is there. */
export interface CheckRun {
  kinds: CheckKind[];
  names: string[];
  result: CheckResult;
  /** A passed one that looked at a part only. */
  narrow: boolean;
  masking?: Masking;
  /** The program that masked it. */
  by?: string;
  command: string;
  at?: number;
  /** Where the call stands: the number of the file among those of the session, and the line. */
  file: number;
  line: number;
}

export interface Edit {
  path: string;
  tool: string;
  at?: number;
  file: number;
  line: number;
}

/** What a turn came to. */
export interface Judged {
  class: TurnClass;
  /** The run that decided; absent when none ran. */
  run?: CheckRun;
  masking?: Masking;
  /** It is masked by a narrower run: if there is nothing wider in the project, it is verified. */
  ifNothingWider?: boolean;
}

/** In the order in which they happened. */
export type TurnEvent = { edit: Edit } | { run: CheckRun };

export function judgeTurn(events: readonly TurnEvent[]): Judged {
  const lastEdit = events.findLastIndex((event) => 'edit' in event);
  const runs = (part: readonly TurnEvent[]) => part.flatMap((event) => ('run' in event ? [event.run] : []));
  const after = runs(events.slice(lastEdit + 1));
  return after.length > 0 ? judgeAfter(after) : judgeBefore(runs(events));
}

function judgeAfter(runs: readonly CheckRun[]): Judged {
  const failed = runs.findLast((run, i) => run.result === 'failed' && !isMended(run, runs.slice(i + 1)));
  if (failed) return { class: 'failed', run: failed };
  const passed = runs.filter(({ result }) => result === 'passed');
  const wide = passed.findLast(({ narrow }) => !narrow);
  if (wide) return { class: 'verified', run: wide };
  const narrow = passed.at(-1);
  if (narrow) return { class: 'masked', run: narrow, masking: 'narrower', ifNothingWider: true };
  const run = runs.at(-1);
  return { class: 'masked', run, masking: run?.masking };
}

/** A later run of the same kind passed. A narrower one does not undo the failure of a wider one. */
function isMended(failed: CheckRun, later: readonly CheckRun[]): boolean {
  return later.some(
    (run) =>
      run.result === 'passed' &&
      (!run.narrow || failed.narrow) &&
      run.kinds.some((kind) => kind === 'all' || failed.kinds.includes(kind)),
  );
}

/** Nothing ran after the last edit. */
function judgeBefore(runs: readonly CheckRun[]): Judged {
  const telling = runs.findLast(({ result }) => result !== 'masked');
  if (telling) return { class: telling.result === 'failed' ? 'failed' : 'stale', run: telling };
  const run = runs.at(-1);
  return run ? { class: 'masked', run, masking: run.masking } : { class: 'never_ran' };
}

/** The result of a check of a line whose call ended well (`true`) or badly; undefined when its end was not seen. */
export function resultOf(
  check: Check,
  fate: { hidden?: Hiding },
  endedWell: boolean | undefined,
): { result: CheckResult; masking?: Masking } {
  // A failure that comes through is a failure, however weak the check is.
  if (endedWell === false && !fate.hidden) return { result: 'failed' };
  if (check.weak) return { result: 'masked', masking: check.weak };
  if (fate.hidden) return { result: 'masked', masking: fate.hidden };
  return endedWell === undefined ? { result: 'masked', masking: 'no_result' } : { result: 'passed' };
}
