/** Which test of now is which test of then: by name, else by what it does. */
import type { TestCase, TestFacts } from './languages/language.ts';

/** A test file then and now; a file that is new, gone, or no longer a test has one side only. */
export interface FilePair {
  before?: { path: string; facts: TestFacts };
  after?: { path: string; facts: TestFacts };
}

export interface TestPair {
  before: TestCase;
  after: TestCase;
  /** The file that it is in now. */
  path: string;
}

export interface MatchedFile {
  pair: FilePair;
  matched: TestPair[];
  /** Tests of then that are nowhere now. */
  removed: TestCase[];
  /** Tests of now that were nowhere then. */
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
  for (const file of files) match(file, [file], (a, b) => a.name === b.name);
  for (const file of files) match(file, [file], (a, b) => a.body === b.body && a.body !== '');
  for (const file of files) match(file, files, (a, b) => a.name === b.name && a.body === b.body);
  for (const file of files) match(file, files, (a, b) => a.name === b.name && saysAsMuch(a, b));
  for (const file of files) match(file, [file], (a, b) => likeness(a.body, b.body) >= ALIKE);
  // Rewritten beyond recognition: a new test that says as much takes the place of an old one.
  for (const file of files) match(file, [file], saysAsMuch);
  return files;
}

/** Pairs the open tests of `file` with open tests of `places`, in order. */
function match(
  file: MatchedFile,
  places: readonly MatchedFile[],
  same: (before: TestCase, after: TestCase) => boolean,
): void {
  file.removed = file.removed.filter((before) => {
    for (const place of places) {
      const index = place.added.findIndex((after) => same(before, after));
      const after = place.added[index];
      if (!after) continue;
      place.added.splice(index, 1);
      file.matched.push({ before, after, path: place.pair.after?.path ?? '' });
      return false;
    }
    return true;
  });
}

export function sayingCount({ assertions }: TestCase): number {
  return assertions.filter(({ strength }) => strength !== 'nothing').length;
}

function saysAsMuch(before: TestCase, after: TestCase): boolean {
  return !after.empty && sayingCount(after) >= sayingCount(before) && after.rows >= before.rows;
}

/** The share of words that two bodies have in common. */
function likeness(a: string, b: string): number {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  if (left.size === 0 || right.size === 0) return 0;
  const common = [...left].filter((word) => right.has(word)).length;
  return common / Math.max(left.size, right.size);
}

function wordsOf(body: string): Set<string> {
  return new Set(body.match(/\w+/g));
}
