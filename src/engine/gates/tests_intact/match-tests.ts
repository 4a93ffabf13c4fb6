/** Matches the tests of the start with those of now: by name, else by what they do. */
import { groupBy } from '../../core/text/lists.ts';
import type { TestCase, TestFacts } from './model.ts';
import { likeness, tokensOf } from './tokens.ts';

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

/** So much of its words a renamed test has kept; a test that was written anew and asserts as much, less. */
const ALIKE = 0.6;
const REWRITTEN = 0.3;

/** The name of a test with those of the groups around it. */
export function placeOf({ name, suites }: Pick<TestCase, 'name' | 'suites'>): string {
  return [...suites, name].join('\0');
}

/** Tests that moved from one file to another are matched across them. */
export function matchTests(pairs: readonly FilePair[]): MatchedFile[] {
  const files = pairs.map((pair): MatchedFile => {
    const before = pair.before?.facts.tests ?? [];
    const after = pair.after?.facts.tests ?? [];
    return { pair, matched: [], removed: [...before], added: [...after] };
  });
  const name = (test: TestCase) => test.name;
  const text = (test: TestCase) => test.text;
  for (const key of [(test: TestCase) => `${placeOf(test)}\0${test.text}`, placeOf, name, text])
    for (const file of files) matchByKey([file], [file], key);
  matchByKey(files, files, (test) => `${test.name}\0${test.text}`);
  matchByKey(files, files, name);
  matchByKey(files, files, text);
  for (const file of files) matchAlike([file], [file]);
  matchAlike(files, files);
  return files;
}

/** Pairs the open tests of `from` with open tests of `to` that have the same key, in order. */
function matchByKey(
  from: readonly MatchedFile[],
  to: readonly MatchedFile[],
  keyOf: (test: TestCase) => string,
): void {
  const offers = groupBy(
    to.flatMap((file) => file.added.map((after) => ({ file, after }))),
    ({ after }) => keyOf(after),
  );
  const taken = new Set<TestCase>();
  for (const file of from) {
    file.removed = file.removed.filter((before) => {
      const offer = offers.get(keyOf(before))?.shift();
      if (!offer) return true;
      taken.add(offer.after);
      file.matched.push({ before, after: offer.after, path: offer.file.pair.after?.path ?? '' });
      return false;
    });
  }
  for (const file of to) file.added = file.added.filter((test) => !taken.has(test));
}

/** More comparisons would take too long. */
const MOST_COMPARISONS = 10_000;

/** A renamed test: the words of its body are mostly the same. The likest come first. */
function matchAlike(from: readonly MatchedFile[], to: readonly MatchedFile[]): void {
  const removed = from.flatMap((file) =>
    file.removed.map((before) => ({ file, before, ...wordsOf(before) })),
  );
  const added = to.flatMap((file) => file.added.map((after) => ({ file, after, ...wordsOf(after) })));
  if (removed.length * added.length > MOST_COMPARISONS) return;
  const pairs = removed
    .flatMap((old) => added.map((fresh) => ({ old, fresh, like: alike(old, fresh) })))
    .filter(({ old, fresh, like }) => like >= (fresh.after.asserts >= old.before.asserts ? REWRITTEN : ALIKE))
    .sort((a, b) => b.like - a.like);
  for (const { old, fresh } of pairs) {
    if (!old.file.removed.includes(old.before) || !fresh.file.added.includes(fresh.after)) continue;
    old.file.removed = old.file.removed.filter((test) => test !== old.before);
    fresh.file.added = fresh.file.added.filter((test) => test !== fresh.after);
    old.file.matched.push({
      before: old.before,
      after: fresh.after,
      path: fresh.file.pair.after?.path ?? '',
    });
  }
}

interface Words {
  words: ReadonlySet<string>;
  title: ReadonlySet<string>;
}

function wordsOf({ text, name }: TestCase): Words {
  return { words: tokensOf(text), title: new Set(name.toLowerCase().split(/[^a-z0-9]+|_/)) };
}

/** By their words, or by their titles where their words have something in common, too. */
function alike(left: Words, right: Words): number {
  const body = likeness(left.words, right.words);
  return body < REWRITTEN / 2 ? body : Math.max(body, likeness(left.title, right.title));
}
