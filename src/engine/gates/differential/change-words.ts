/** What was seen without changed lines, in words. */
import { linesOf } from '../../core/proof/take-back.ts';

/** A changed place that was looked at. Its lines are counted from 1; `lines` leaves out comments, imports and the like. */
export interface ChangedPlace {
  path: string;
  from: number;
  to: number;
  lines: number;
}

export interface ChangeFinding {
  outcome: 'pass' | 'fail' | 'unproven';
  summary: string;
  /** The untested places first, then what limits the finding. */
  evidence: string[];
  next?: string;
  /** Tests fail without them. */
  tested: ChangedPlace[];
  /** Tests fail without a group that they belong to. There was no run left to split it. */
  testedInGroup: ChangedPlace[];
  /** Tests reach them, and pass with what stood there before: they do what was done before, as far as tests can tell. */
  same: ChangedPlace[];
  /** Nothing fails without them. */
  untested: ChangedPlace[];
  notMeasured: ChangedPlace[];
  /** Of the measured lines, those that are not untested; absent when none was measured. */
  share?: number;
  runsUsed: number;
  /** Why runs said nothing. */
  problems: string[];
}

interface Figures
  extends Pick<
    ChangeFinding,
    'tested' | 'testedInGroup' | 'same' | 'untested' | 'notMeasured' | 'share' | 'problems'
  > {
  min?: number;
  measured: number;
}

const SHOWN_PLACES = 20;

export function wordsFor(figures: Figures): Pick<ChangeFinding, 'outcome' | 'summary' | 'evidence' | 'next'> {
  const { untested, notMeasured, share, min, measured } = figures;
  const left = linesOf(notMeasured);
  const notes = notesFor(figures);
  if (measured + left === 0)
    return { outcome: 'pass', summary: 'no changed line that a test could notice', evidence: notes };
  if (share === undefined) {
    const summary = `${count(left, 'changed line')} ${left === 1 ? 'was' : 'were'} not undone to see whether a test fails`;
    if (min === undefined) return { outcome: 'pass', summary, evidence: notes };
    const next =
      'Give the check `change` more `time` or more `runs` in the contract, or make the tests quicker.';
    return { outcome: 'unproven', summary, evidence: notes, next };
  }
  const shown = untested.slice(0, SHOWN_PLACES).map(untestedWords);
  const more = untested.length - shown.length;
  const evidence = [...shown, ...(more > 0 ? [`and ${more} more`] : []), ...notes];
  const bare = linesOf(untested);
  if (bare === 0) return { outcome: 'pass', summary: testedWords(figures), evidence };
  const summary = `${bare} of ${count(measured, 'changed line')} ${bare === 1 ? 'is' : 'are'} untested`;
  if (min === undefined || share >= min) return { outcome: 'pass', summary, evidence };
  return {
    outcome: 'fail',
    summary: `${summary}, and the contract asks for tests of ${percent(min)}`,
    evidence,
    next: 'All tests pass without these lines, or never reach them. Test what they do, or take them out.',
  };
}

/** One untested place: `src/cart.js:13-15: all tests still pass without these lines`. */
export function untestedWords(place: ChangedPlace): string {
  return `${rangeOf(place)}: all tests still pass without ${place.from === place.to ? 'this line' : 'these lines'}`;
}

/** Nothing is untested. What is only known of several lines together is in the notes. */
function testedWords({ tested, testedInGroup, same, measured }: Figures): string {
  const alone = linesOf(tested);
  const fails = 'makes a test fail';
  if (testedInGroup.length + same.length > 0)
    return alone === 0
      ? `no changed line of ${measured} is untested`
      : `${alone} of ${count(measured, 'changed line')} ${alone === 1 ? `is tested: undoing it ${fails}` : `are tested: undoing them ${fails}`}`;
  if (alone === 1) return `the changed line is tested: undoing it ${fails}`;
  if (alone === 2) return `both changed lines are tested: undoing either ${fails}`;
  return `all ${alone} changed lines are tested: undoing any of them ${fails}`;
}

function notesFor({ testedInGroup, same, notMeasured, problems }: Figures): string[] {
  const notes: string[] = [];
  if (same.length > 0) {
    const lines = linesOf(same);
    notes.push(
      `${count(lines, 'line')} ${lines === 1 ? 'does' : 'do'} what was done before, as far as tests can tell: ${listed(same)}`,
    );
  }
  if (testedInGroup.length > 0)
    notes.push(
      `undoing ${count(linesOf(testedInGroup), 'line')} together makes a test fail; which of them is not known: ${listed(testedInGroup)}`,
    );
  if (notMeasured.length > 0) {
    const lines = linesOf(notMeasured);
    notes.push(
      `not looked at whether ${count(lines, 'changed line')} ${lines === 1 ? 'is' : 'are'} tested, to save runs of the tests (\`runs: 20\` in the contract looks further): ${listed(notMeasured)}`,
    );
  }
  return [...notes, ...problems];
}

const LISTED = 5;

function listed(places: readonly ChangedPlace[]): string {
  const more = places.length - LISTED;
  const names = places.slice(0, LISTED).map((place) => rangeOf(place));
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function rangeOf({ path, from, to }: ChangedPlace): string {
  return from === to ? `${path}:${from}` : `${path}:${from}-${to}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
