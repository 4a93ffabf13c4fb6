/** Matches the tests of the start with those of now: by name, else by what they do. */
import { groupBy } from '../../core/text/lists.ts';
import type { TestCase, TestFacts } from './languages/language.ts';

/** A test file at the start and now. One that is new, gone, or no longer a test has one side only. */
export interface FilePair {
  before?: { path: string; facts: TestFacts };
  after?: { path: string; facts: TestFacts };
}

export interface TestPair {
  before: TestCase;
  after: TestCase;
  /** The current file of the test. */
  path: string;
}

export interface MatchedFile {
  pair: FilePair;
  matched: TestPair[];
  /** Tests of the start that are nowhere now. */
  removed: TestCase[];
  /** Tests of now that were nowhere at the start. */
  added: TestCase[];
}

const ALIKE = 0.5;

/** Tests that moved from one file to another are matched across them. */
export function matchTests(pairs: readonly FilePair[]): MatchedFile[] {
  const files = pairs.map((pair): MatchedFile => {
    const before = pair.before?.facts.tests ?? [];
    const after = pair.after?.facts.tests ?? [];
    return { pair, matched: [], removed: [...before], added: [...after] };
  });
  const name = (test: TestCase) => test.name;
  const body = (test: TestCase) => test.body;
  for (const file of files) matchByKey([file], [file], name);
  for (const file of files) matchByKey([file], [file], body, ({ body: text }) => text !== '');
  matchByKey(files, files, (test) => `${test.name}\0${test.body}`);
  matchByKey(files, files, name, saysAsMuch);
  for (const file of files) matchAlike(file);
  // A new test that asserts as much replaces an old one that was rewritten completely.
  for (const file of files) matchByKey([file], [file], () => '', saysAsMuch);
  return files;
}

/** Pairs the open tests of `from` with open tests of `to` that have the same key, in order. */
function matchByKey(
  from: readonly MatchedFile[],
  to: readonly MatchedFile[],
  keyOf: (test: TestCase) => string,
  fits: (before: TestCase, after: TestCase) => boolean = () => true,
): void {
  const offers = groupBy(
    to.flatMap((place) => place.added.map((after) => ({ place, after }))),
    ({ after }) => keyOf(after),
  );
  const taken = new Set<TestCase>();
  for (const file of from) {
    file.removed = file.removed.filter((before) => {
      const offered = offers.get(keyOf(before)) ?? [];
      const index = offered.findIndex(({ after }) => fits(before, after));
      const [offer] = index === -1 ? [] : offered.splice(index, 1);
      if (!offer) return true;
      taken.add(offer.after);
      file.matched.push({ before, after: offer.after, path: offer.place.pair.after?.path ?? '' });
      return false;
    });
  }
  for (const place of to) place.added = place.added.filter((test) => !taken.has(test));
}

/** More comparisons would take too long. */
const MOST_COMPARISONS = 10_000;

function matchAlike(file: MatchedFile): void {
  if (file.removed.length * file.added.length > MOST_COMPARISONS) return;
  const words = new Map(file.added.map((test) => [test, wordsOf(test.body)]));
  file.removed = file.removed.filter((before) => {
    const own = wordsOf(before.body);
    const after = file.added.find((test) => likeness(own, words.get(test) ?? new Set()) >= ALIKE);
    if (!after) return true;
    file.added = file.added.filter((test) => test !== after);
    file.matched.push({ before, after, path: file.pair.after?.path ?? '' });
    return false;
  });
}

export function sayingCount({ assertions }: TestCase): number {
  return assertions.filter(({ strength }) => strength !== 'nothing').length;
}

/** Whether a test became a table of cases, or the other way round. Each row makes all assertions of its test. */
export function changedToRows(before: TestCase, after: TestCase): boolean {
  return (before.rows === 0) !== (after.rows === 0);
}

/** How many assertions a test makes in all its rows. */
export function madeCount(test: TestCase): number {
  return sayingCount(test) * Math.max(1, test.rows);
}

function saysAsMuch(before: TestCase, after: TestCase): boolean {
  if (after.empty) return false;
  if (changedToRows(before, after)) return madeCount(after) >= madeCount(before);
  return sayingCount(after) >= sayingCount(before) && after.rows >= before.rows;
}

/** The share of words that two bodies have in common. */
function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0;
  const common = [...left].filter((word) => right.has(word)).length;
  return common / Math.max(left.size, right.size);
}

function wordsOf(body: string): Set<string> {
  return new Set(body.match(/\w+/g));
}
