/** Matches the tests of the start with those of now: by name, else by what they do. */
import { groupBy } from '../../core/text/lists.ts';
import type { Check } from './reading/check.ts';
import type { TestCase, TestFacts } from './reading/model.ts';

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

const ALIKE = 0.6;

/** Tests that moved from one file to another are matched across them. */
export function matchTests(pairs: readonly FilePair[]): MatchedFile[] {
  const files = pairs.map((pair): MatchedFile => {
    const before = pair.before?.facts.tests ?? [];
    const after = pair.after?.facts.tests ?? [];
    return { pair, matched: [], removed: [...before], added: [...after] };
  });
  const name = (test: TestCase) => test.name;
  const place = (test: TestCase) => [...test.suites, test.name].join('\0');
  for (const file of files) matchByKey([file], [file], place);
  for (const file of files) matchByKey([file], [file], name);
  for (const file of files)
    matchByKey(
      [file],
      [file],
      ({ body }) => body,
      ({ body }) => body !== '',
    );
  matchByKey(files, files, (test) => `${test.name}\0${test.body}`);
  matchByKey(files, files, name, (before, after) => !before.empty && !after.empty);
  matchByKey(files, files, keysOf, ({ checks }) => checks.length > 0);
  for (const file of files) matchAlike(file);
  return files;
}

/** What a test checks, whatever it is called. */
function keysOf({ checks }: TestCase): string {
  return checks.map(({ key }) => key).join('\0');
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

/** A renamed test: the words of its body are mostly the same. The likest come first. */
function matchAlike(file: MatchedFile): void {
  if (file.removed.length * file.added.length > MOST_COMPARISONS) return;
  const words = new Map([...file.removed, ...file.added].map((test) => [test, wordsIn(test.body)]));
  const wordsFor = (test: TestCase) => words.get(test) ?? new Set<string>();
  const pairs = file.removed
    .flatMap((before) =>
      file.added.map((after) => ({ before, after, like: likeness(wordsFor(before), wordsFor(after)) })),
    )
    .filter(({ like }) => like >= ALIKE)
    .sort((a, b) => b.like - a.like);
  for (const { before, after } of pairs) {
    if (!file.removed.includes(before) || !file.added.includes(after)) continue;
    file.removed = file.removed.filter((test) => test !== before);
    file.added = file.added.filter((test) => test !== after);
    file.matched.push({ before, after, path: file.pair.after?.path ?? '' });
  }
}

/** Whether a check can fail when the test runs. */
export function isEffective({ rank, reach, swallowed, floating }: Check): boolean {
  return rank > 0 && reach !== 'never' && !swallowed && !floating;
}

/** The share of words that two texts have in common. */
export function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0;
  const common = [...left].filter((word) => right.has(word)).length;
  return common / Math.max(left.size, right.size);
}

export function wordsIn(text: string): Set<string> {
  return new Set(text.match(/\w+/g));
}
