/** Finds what became weaker in test files since the start. */
import type { Finding } from './finding.ts';
import type { Assertion, Marker, TestFacts } from './languages/language.ts';
import { bracketsOf, splitTopLevel } from './languages/text.ts';
import {
  changedToRows,
  type FilePair,
  type MatchedFile,
  madeCount,
  matchTests,
  sayingCount,
  type TestPair,
} from './match-tests.ts';

export function compareTests(pairs: readonly FilePair[]): Finding[] {
  const files = matchTests(pairs);
  const elsewhere = newAssertions(files);
  const oldMarkers = pairs.flatMap((pair) => pair.before?.facts.markers ?? []);
  return files.flatMap((file) => [
    ...goneFile(file),
    ...removedTests(file),
    ...addedMarkers(file.pair, oldMarkers),
    ...weakerTests(file, elsewhere),
    ...weakerHelpers(file),
  ]);
}

/** A test file that was deleted, or renamed so that no runner finds it. A file whose tests are all elsewhere was moved. */
function goneFile({ pair, removed }: MatchedFile): Finding[] {
  const { before, after } = pair;
  if (!before || after) return [];
  const total = before.facts.tests.length;
  if (total > 0 && removed.length === 0) return [];
  const lost = removed.map((test) => test.name);
  const what =
    total === 0 ? '' : ` with ${total === 1 ? 'the test' : `${total} tests, among them`} ${nameList(lost)}`;
  return [
    { id: `deleted:${before.path}`, path: before.path, text: `is no longer there as a test file${what}` },
  ];
}

function nameList(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).map((name) => `"${name}"`);
  return names.length > most ? `${shown.join(', ')} and ${names.length - most} more` : shown.join(', ');
}

function removedTests({ pair, removed }: MatchedFile): Finding[] {
  const { before, after } = pair;
  if (!before || !after) return [];
  return removed.map(({ name }) => ({
    id: `removed:${before.path}:${name}`,
    path: after.path,
    text: `removed the test "${name}"`,
  }));
}

const MARKER_IDS = { skip: 'skip', only: 'only', fails: 'xfail' } as const;

/** Markers that are new. One that moved with its test from another file is not. */
function addedMarkers({ before, after }: FilePair, oldMarkers: readonly Marker[]): Finding[] {
  if (!after) return [];
  const known = [...(before?.facts.markers ?? [])];
  return after.facts.markers.flatMap((marker) => {
    const index = known.findIndex((old) => old.kind === marker.kind && old.name === marker.name);
    if (index !== -1) {
      known.splice(index, 1);
      return [];
    }
    if (oldMarkers.some((old) => old.kind === marker.kind && old.name === marker.name && marker.name !== ''))
      return [];
    const whom = marker.name === '' ? 'the file' : `"${marker.name}"`;
    return [
      {
        id: `${MARKER_IDS[marker.kind]}:${after.path}:${marker.name || marker.word}`,
        path: after.path,
        line: marker.line,
        text: `added ${marker.word} to ${whom}`,
      },
    ];
  });
}

/** Assertions in new tests and in helpers. An assertion that is gone from its test may have moved there. */
function newAssertions(files: readonly MatchedFile[]): Set<string> {
  const inNewTests = files.flatMap(({ added }) => added.flatMap((test) => test.assertions));
  const inHelpers = files.flatMap(({ pair }) => pair.after?.facts.shared ?? []);
  return new Set([...inNewTests, ...inHelpers].map(({ text }) => text));
}

function weakerTests({ matched }: MatchedFile, elsewhere: ReadonlySet<string>): Finding[] {
  return matched.flatMap((test) => {
    const { path } = test;
    const { name, line } = test.after;
    const text = emptied(test) ?? fewerAssertions(test, elsewhere) ?? looser(test) ?? fewerRows(test);
    return text ? [{ id: `${text.id}:${path}:${name}`, path, line, text: `"${name}" ${text.words}` }] : [];
  });
}

type Words = { id: string; words: string } | undefined;

function emptied({ before, after }: TestPair): Words {
  return after.empty && !before.empty ? { id: 'emptied', words: 'does nothing any more' } : undefined;
}

function fewerAssertions({ before, after }: TestPair, elsewhere: ReadonlySet<string>): Words {
  const count = changedToRows(before, after) ? madeCount : sayingCount;
  const [then, now] = [count(before), count(after)];
  if (now >= then) return undefined;
  const gone = lostFrom(before.assertions, after.assertions);
  const moved = gone.filter(({ text }) => elsewhere.has(text)).length;
  if (then - now <= moved + joined(lostFrom(after.assertions, before.assertions))) return undefined;
  const example = gone.find(({ text }) => !elsewhere.has(text))?.text;
  const words = `has ${now} assertion${now === 1 ? '' : 's'}, it had ${then}`;
  return { id: 'assertions', words: example ? `${words}; gone: ${example.slice(0, 100)}` : words };
}

/** How many assertions the new ones may replace besides themselves: one about a list says something of each part. */
function joined(fresh: readonly Assertion[]): number {
  return fresh.reduce((sum, { text }) => sum + Math.max(0, largestLiteral(text) - 1), 0);
}

function largestLiteral(text: string): number {
  const brackets = bracketsOf(text);
  const lists = [...text.matchAll(/(?<=[(,=]\s*)[[{]/g)].map(
    ({ index }) => splitTopLevel(brackets, { start: index + 1, end: brackets.closing(index) }).length,
  );
  return Math.max(0, ...lists.slice(0, MOST_LITERALS));
}

const MOST_LITERALS = 20;

/** The assertions that are gone, each as often as it is missing. Those that say nothing do not count. */
function lostFrom(before: readonly Assertion[], after: readonly Assertion[]): Assertion[] {
  const left = after.map(({ text }) => text);
  return before.filter(({ text, strength }) => {
    const index = left.indexOf(text);
    if (index !== -1) left.splice(index, 1);
    return index === -1 && strength !== 'nothing';
  });
}

/** An assertion about the same subject that no longer checks its value. */
function looser({ before, after }: TestPair): Words {
  const valued = (list: readonly Assertion[], subject: string) =>
    list.some((one) => one.subject === subject && one.strength === 'value');
  for (const now of after.assertions) {
    const { subject, strength } = now;
    if (subject === undefined || strength === 'value' || valued(after.assertions, subject)) continue;
    const then = before.assertions.find((one) => one.subject === subject && one.strength === 'value');
    if (then)
      return {
        id: 'weaker',
        words: `asserts less: ${then.text.slice(0, 80)} became ${now.text.slice(0, 80)}`,
      };
  }
  return undefined;
}

function fewerRows({ before, after }: TestPair): Words {
  if (after.rows >= before.rows || changedToRows(before, after)) return undefined;
  return { id: 'cases', words: `has ${after.rows} cases, it had ${before.rows}` };
}

/** Fewer assertions in the helpers of a file, without more of them in its tests. */
function weakerHelpers({ pair }: MatchedFile): Finding[] {
  const { before, after } = pair;
  if (!before || !after || before.facts.shared.length === 0) return [];
  const [then, now] = [countAll(before.facts), countAll(after.facts)];
  const shared = saying(after.facts.shared);
  if (now >= then || shared >= saying(before.facts.shared)) return [];
  const words = `the assertions outside its tests are ${shared}, they were ${saying(before.facts.shared)}`;
  return [{ id: `assertions:${after.path}`, path: after.path, text: words }];
}

function saying(assertions: readonly Assertion[]): number {
  return assertions.filter(({ strength }) => strength !== 'nothing').length;
}

function countAll({ tests, shared }: TestFacts): number {
  return saying(shared) + tests.reduce((sum, test) => sum + sayingCount(test), 0);
}
