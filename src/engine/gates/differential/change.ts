/** Measures whether tests miss the changed lines: takes them back, place by place, and runs the tests. */
import { programLanguage } from '../../core/proof/counted-code.ts';
import {
  byPath,
  type ChangedText,
  type Hunk,
  hunksOf,
  linesIn,
  withoutHunks,
} from '../../core/proof/hunks.ts';
import { failuresFor } from '../../core/proof/spoil.ts';
import { type Finding, linesOf, type Shown, type Trial, takeBack } from '../../core/proof/take-back.ts';
import type { FileChange, Workspace } from '../../ports/ports.ts';
import type { Rooms } from '../../ports/rooms.ts';

export interface ChangeQuestion {
  changes: readonly FileChange[];
  contentAt: Workspace['contentAt'];
  /** The start tree. */
  start: string;
  /** The tree that is judged. The tests pass on it. */
  now: string;
  isTest(path: string): boolean;
  compose: Rooms['compose'];
  /** Runs the tests on a tree. `red`: some fail, or could not be loaded. */
  run(tree: string, signal: AbortSignal): Promise<Shown>;
  /** The most runs. */
  runs: number;
  timeMs: number;
  /** The share of the measured lines that tests have to miss. */
  min: number;
  /** Milliseconds. */
  clock(): number;
}

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

export async function judgeChange(question: ChangeQuestion, signal: AbortSignal): Promise<ChangeFinding> {
  const { texts, removed, problems } = await readTexts(question);
  const hunks = hunksOf(texts, removed).filter(({ lines }) => lines > 0);
  const trees = treesFor(texts, hunks, question);
  const began = question.clock();
  let longest = 0;
  const shownBy = async (trial: Trial<Hunk>): Promise<Shown> => {
    const start = question.clock();
    try {
      return await question.run(await trees(trial, signal), signal);
    } catch (error) {
      problems.push((error as Error).message);
      return 'unproven';
    } finally {
      longest = Math.max(longest, question.clock() - start);
    }
  };
  const trials = takeBack(hunks, question.runs);
  let step = trials.next();
  while (!step.done) {
    const shown = signal.aborted ? 'unproven' : await shownBy(step.value);
    const isTime = question.clock() - began + longest <= question.timeMs;
    step = trials.next({ shown, goOn: isTime && !signal.aborted });
  }
  return findingOf(hunks, step.value.findings, { min: question.min, runsUsed: step.value.runs, problems });
}

/** Longer files are not read whole. */
const LONGEST = 2 * 1024 * 1024;
const AT_ONCE = 8;

interface Texts {
  texts: ChangedText[];
  /** The lines of files that are gone. */
  removed: string[];
  problems: string[];
}

async function readTexts({ changes, contentAt, start, now, isTest }: ChangeQuestion): Promise<Texts> {
  const found: Texts = { texts: [], removed: [], problems: [] };
  // A file that was a test is one: what left it is no code that moved.
  const work = changes.filter(({ path, from }) => !isTest(path) && !(from !== undefined && isTest(from)));
  const read = async ({ path, change, from }: FileChange): Promise<void> => {
    const before = change === 'added' ? undefined : await contentAt(start, from ?? path);
    if (change === 'deleted') {
      if (programLanguage(path, before ?? '')) found.removed.push(...linesIn(before ?? ''));
      return;
    }
    const text = await contentAt(now, path);
    // A file that only now says that it is generated is written by hand.
    const isCode = [text, before].some(
      (one) => one !== undefined && programLanguage(path, one) !== undefined,
    );
    if (text === undefined || !isCode) return;
    if (text.length > LONGEST || (before?.length ?? 0) > LONGEST)
      found.problems.push(`${path} is too long to be taken back`);
    else found.texts.push({ path, before, now: text });
  };
  for (let i = 0; i < work.length; i += AT_ONCE) await Promise.all(work.slice(i, i + AT_ONCE).map(read));
  // Reading ends in any order; the same change gives the same runs.
  found.texts.sort((a, b) => (a.path < b.path ? -1 : 1));
  return found;
}

/** Makes the tree of a trial. */
function treesFor(
  texts: readonly ChangedText[],
  hunks: readonly Hunk[],
  { compose, now, start }: ChangeQuestion,
): (trial: Trial<Hunk>, signal: AbortSignal) => Promise<string> {
  const byName = new Map(texts.map((text) => [text.path, text]));
  const all = byPath(hunks);
  return (trial, signal) => {
    const back = byPath(trial.back);
    const spoil = byPath(trial.spoil);
    const changed: Record<string, string> = {};
    const gone = new Set<string>();
    for (const path of new Set([...back.keys(), ...spoil.keys()])) {
      const text = byName.get(path);
      if (!text) continue;
      const taken = back.get(path) ?? [];
      if (text.before === undefined && taken.length === all.get(path)?.length) gone.add(path);
      else changed[path] = trialText(text, taken, spoil.get(path) ?? []);
    }
    return compose({ rest: now, from: start, takes: (path) => gone.has(path), texts: changed }, signal);
  };
}

function trialText({ path, now }: ChangedText, back: readonly Hunk[], spoil: readonly Hunk[]): string {
  const language = programLanguage(path, now);
  return withoutHunks(now, back, language === undefined ? [] : failuresFor(now, language, spoil));
}

function placeOf({ path, from, now, lines }: Hunk): ChangedPlace {
  const isFilled = (line: string) => line.trim() !== '';
  return { path, from: from + now.findIndex(isFilled), to: from + now.findLastIndex(isFilled), lines };
}

const SHOWN_PLACES = 20;

function findingOf(
  hunks: readonly Hunk[],
  findings: ReadonlyMap<Hunk, Finding>,
  { min, runsUsed, problems }: { min: number; runsUsed: number; problems: readonly string[] },
): ChangeFinding {
  const places = (finding: Finding) =>
    hunks
      .filter((hunk) => (findings.get(hunk) ?? 'not_measured') === finding)
      .sort((a, b) => b.lines - a.lines)
      .map(placeOf);
  const [tested, testedInGroup, same] = [places('tested'), places('in_group'), places('same')];
  const [untested, notMeasured] = [places('untested'), places('not_measured')];
  const met = linesOf([...tested, ...testedInGroup, ...same]);
  const measured = met + linesOf(untested);
  const share = measured === 0 ? undefined : met / measured;
  const found = { tested, testedInGroup, same, untested, notMeasured, runsUsed };
  const words = wordsFor({ ...found, share, min, measured, problems: [...new Set(problems)] });
  return { ...words, ...found, ...(share === undefined ? {} : { share }), problems: [...new Set(problems)] };
}

interface Figures
  extends Pick<
    ChangeFinding,
    'testedInGroup' | 'same' | 'untested' | 'notMeasured' | 'share' | 'problems' | 'runsUsed'
  > {
  min: number;
  measured: number;
}

function wordsFor(figures: Figures): Pick<ChangeFinding, 'outcome' | 'summary' | 'evidence' | 'next'> {
  const { untested, notMeasured, share, min, measured } = figures;
  const left = linesOf(notMeasured);
  const notes = notesFor(figures);
  if (measured + left === 0)
    return { outcome: 'pass', summary: 'no changed line that tests could miss', evidence: notes };
  if (share === undefined)
    return {
      outcome: 'unproven',
      summary: `none of ${count(left, 'changed line')} could be taken back`,
      evidence: notes,
      next: 'Give the check `change` more `time` or more `runs` in the contract, or make the tests quicker.',
    };
  const shown = untested.slice(0, SHOWN_PLACES).map((place) => `${nameOf(place)}: no test misses it`);
  const more = untested.length - shown.length;
  const evidence = [...shown, ...(more > 0 ? [`and ${more} more`] : []), ...notes];
  const bare = linesOf(untested);
  const isEnough = share >= min;
  const summary =
    bare === 0
      ? `tests miss all ${count(measured, 'changed line')} that were taken back`
      : `${bare} of ${count(measured, 'changed line')} are untested${isEnough ? '' : `: tests have to miss ${percent(min)}`}`;
  if (isEnough) return { outcome: 'pass', summary, evidence };
  return {
    outcome: 'fail',
    summary,
    evidence,
    next: 'All tests pass without these lines, or never reach them. Test what they do, or take them out.',
  };
}

function notesFor({ testedInGroup, same, notMeasured, problems, runsUsed }: Figures): string[] {
  const notes: string[] = [];
  if (same.length > 0)
    notes.push(
      `${count(linesOf(same), 'line')} do what was done before, as far as tests tell: ${listed(same)}`,
    );
  if (testedInGroup.length > 0)
    notes.push(
      `${count(linesOf(testedInGroup), 'line')} are missed in a group only: ${listed(testedInGroup)}`,
    );
  if (notMeasured.length > 0)
    notes.push(
      `${count(linesOf(notMeasured), 'line')} were not measured within ${count(runsUsed, 'run')}: ${listed(notMeasured)}`,
    );
  return [...notes, ...problems];
}

const LISTED = 5;

function listed(places: readonly ChangedPlace[]): string {
  const more = places.length - LISTED;
  const names = places.slice(0, LISTED).map((place) => rangeOf(place));
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function nameOf(place: ChangedPlace): string {
  return `${rangeOf(place)} (${count(place.lines, 'line')})`;
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
