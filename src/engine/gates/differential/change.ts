/** Measures whether tests notice when changed lines are undone: takes them back and runs the tests that reach them. */
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
import {
  type Finding,
  linesOf,
  type Shown,
  type TestNames,
  type Trial,
  takeBack,
} from '../../core/proof/take-back.ts';
import type { FileChange, Workspace } from '../../ports/ports.ts';
import type { Rooms } from '../../ports/rooms.ts';
import { type ChangedPlace, type ChangeFinding, wordsFor } from './change-words.ts';

export interface ChangeQuestion {
  changes: readonly FileChange[];
  contentAt: Workspace['contentAt'];
  /** The start tree. */
  start: string;
  /** The tree that is judged. The tests pass on it. */
  now: string;
  isTest(path: string): boolean;
  compose: Rooms['compose'];
  /** The tests that reach a file of code. */
  testsOf(path: string): TestNames;
  /** Runs these tests on a tree, and says which fail. */
  run(tree: string, tests: TestNames, signal: AbortSignal): Promise<Shown>;
  /** How long running these tests will take. */
  expectedMs(tests: TestNames): number;
  /** The most runs. */
  runs: number;
  timeMs: number;
  /** The share of the measured lines that have to be tested; absent: it is only told. */
  min?: number;
  /** Milliseconds. */
  clock(): number;
}

export async function judgeChange(question: ChangeQuestion, signal: AbortSignal): Promise<ChangeFinding> {
  const { texts, removed, problems } = await readTexts(question);
  const hunks = hunksOf(texts, removed).filter(({ lines }) => lines > 0);
  const trees = treesFor(texts, hunks, question);
  const testsOf = ({ path }: Hunk) => question.testsOf(path);
  const began = question.clock();
  const shownBy = async (trial: Trial<Hunk>): Promise<Shown | 'unproven' | 'refused'> => {
    const tests = testsOfAll([...trial.back, ...trial.spoil].map(testsOf));
    const isTime = question.clock() - began + question.expectedMs(tests) <= question.timeMs;
    if (signal.aborted || !isTime) return 'refused';
    try {
      return await question.run(await trees(trial, signal), tests, signal);
    } catch (error) {
      problems.push((error as Error).message);
      return 'unproven';
    }
  };
  const trials = takeBack(hunks, { runs: question.runs, testsOf });
  let step = trials.next();
  while (!step.done) step = trials.next(await shownBy(step.value));
  return findingOf(hunks, step.value.findings, { min: question.min, runsUsed: step.value.runs, problems });
}

function testsOfAll(all: readonly TestNames[]): TestNames {
  const joined = new Set<string>();
  for (const tests of all) {
    if (tests === 'all') return 'all';
    for (const test of tests) joined.add(test);
  }
  return joined;
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

function findingOf(
  hunks: readonly Hunk[],
  findings: ReadonlyMap<Hunk, Finding>,
  { min, runsUsed, problems }: { min?: number; runsUsed: number; problems: readonly string[] },
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
