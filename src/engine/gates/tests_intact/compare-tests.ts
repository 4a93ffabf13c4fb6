/** Finds what became weaker in test files since the start. */
import { type Explanation, Explanations, type SourceChange } from './explain.ts';
import { type FilePair, type MatchedFile, matchTests, placeOf, type TestPair } from './match-tests.ts';
import type { Finding, Mark, TestCase } from './model.ts';
import { coverage, tokensOf } from './tokens.ts';

export interface Compared {
  findings: Finding[];
  /** Tests that are gone for a reason: what it is, in words, and their names. */
  explained: ReadonlyMap<string, readonly string[]>;
}

export function compareTests(pairs: readonly FilePair[], sources: readonly SourceChange[]): Compared {
  const files = matchTests(pairs);
  const explanations = new Explanations(files, sources);
  const explained = new Map<string, string[]>();
  const isOpen = (test: TestCase) => {
    const why: Explanation | undefined = explanations.of(test);
    if (why === undefined) return true;
    if (why.why === 'elsewhere') return false;
    const words = why.why === 'subject' ? `went together with ${why.name}` : PART_OF_OTHERS;
    explained.set(words, [...(explained.get(words) ?? []), test.name]);
    return false;
  };
  const oldMarks = pairs.flatMap((pair) => pair.before?.facts.marks ?? []);
  const findings = files.flatMap((file) => {
    const removed = file.removed.filter((test) => isOpen(test));
    return [
      ...goneFile(file, removed, isOpen),
      ...removedTests(file, removed),
      ...addedMarks(file, files, oldMarks),
      ...file.matched
        .filter((pair) => !removed.some(({ suites }) => suites.includes(pair.before.name)) || isEmptied(pair))
        .flatMap((pair) => weakerTest(pair, explanations)),
      ...weakerOutside(file),
    ];
  });
  return {
    findings: findings.filter(({ id }, index) => findings.findIndex((one) => one.id === id) === index),
    explained,
  };
}

const PART_OF_OTHERS = 'seem to be part of other tests now';

/** A test file that was deleted, or renamed so that no runner finds it. A file whose tests are all elsewhere was moved. */
function goneFile(
  { pair }: MatchedFile,
  removed: readonly TestCase[],
  isOpen: (test: TestCase) => boolean,
): Finding[] {
  const { before, after } = pair;
  if (!before || after) return [];
  const { code, tests, helpers, shared } = before.facts;
  // Helpers are only of use to tests, and those are looked at themselves.
  if (tests.length === 0 && helpers.length > 0 && shared === 0) return [];
  if (tests.length > 0 && removed.length === 0) return [];
  const script: TestCase = {
    name: '',
    suites: [],
    line: 1,
    text: code,
    lines: [],
    asserts: shared,
    calls: [],
  };
  if (tests.length === 0 && !isOpen(script)) return [];
  const total = removed.length;
  const what =
    total === 0
      ? ''
      : ` with ${total === 1 ? 'the test' : `${total} tests, among them`} ${nameList(removed)}`;
  return [
    {
      id: `deleted:${before.path}`,
      path: before.path,
      text: `is no longer there as a test file${what}`,
      weight: 'loss',
    },
  ];
}

function nameList(tests: readonly TestCase[], most = 3): string {
  const shown = tests.slice(0, most).map(({ name }) => `"${name}"`);
  return tests.length > most ? `${shown.join(', ')} and ${tests.length - most} more` : shown.join(', ');
}

function removedTests({ pair, matched }: MatchedFile, removed: readonly TestCase[]): Finding[] {
  const { before, after } = pair;
  if (!before || !after) return [];
  // With a test go those that are in it.
  const around = new Set(
    [...removed, ...matched.filter(isEmptied).map((pair) => pair.before)].map(({ name }) => name),
  );
  const whole = removed.filter(({ suites }) => !suites.some((name) => around.has(name)));
  return whole.map((test) => ({
    id: `removed:${before.path}:${test.name}`,
    path: after.path,
    text: `removed the test "${test.name}"`,
    weight: 'loss',
    forms: formsOf(test, undefined),
  }));
}

/** Conditions that only say where a test can run. */
const PLATFORM =
  /platform|win32|[Ww]indows|darwin|linux|GOOS|GOARCH|\bos\.name|\bsys\.|[Vv]ersion|VERSION|[Pp]y[Pp]y|jruby|RUBY_|JRE|\bOS\.[A-Z]|find_spec|\b(?:not )?(?:HAS|HAVE|has|have|supports?)_?[A-Z]\w*|available|installed|target_|feature|unix|\bno_\w|^\(?not\((?!test)/;

/** The end of the process ends all other tests, too. */
const ENDS = /exit|abort|halt/i;

/** Marks that are new. One that moved with its test from another file is not. */
function addedMarks(file: MatchedFile, files: readonly MatchedFile[], oldMarks: readonly Mark[]): Finding[] {
  const { before, after } = file.pair;
  if (!after) return [];
  const known = before?.facts.marks ?? [];
  // Tests of the start that are here now, wherever they were.
  const here = files.flatMap(({ matched }) => matched).filter(({ path }) => path === after.path);
  const kept = new Set(here.flatMap(({ after: { name, suites } }) => [name, ...suites]));
  const fresh = new Set(
    file.added.flatMap(({ name, suites }) => [name, ...suites]).filter((name) => !kept.has(name)),
  );
  const olds = new Map(here.map((pair) => [pair.after.name, pair.before.name]));
  return after.facts.marks.flatMap((mark): Finding[] => {
    const isSame = (old: Mark) =>
      old.kind === mark.kind && (old.name === mark.name || old.name === olds.get(mark.name));
    if (known.some(isSame)) return [];
    if (oldMarks.some((one) => isSame(one) && mark.name !== '')) return [];
    // A new test that does not run everywhere, or not yet, took nothing away.
    const isNowhere = fresh.has(mark.name) || (before === undefined && !kept.has(mark.name));
    const isNew = mark.kind !== 'only' && !ENDS.test(mark.word) && isNowhere;
    if (isNew && (mark.condition !== undefined || mark.kind === 'xfail')) return [];
    const isElsewhere =
      mark.condition !== undefined && (mark.word === 'a condition' || PLATFORM.test(mark.condition));
    const whom = mark.name === '' ? 'the file' : `"${mark.name}"`;
    const on = mark.condition === undefined ? '' : ` on a condition (${mark.condition.slice(0, 80)})`;
    return [
      {
        id: `${mark.kind}:${after.path}:${mark.name || mark.word}`,
        path: after.path,
        line: mark.line,
        text: `added ${mark.word} to ${whom}${on}`,
        weight: isNew || isElsewhere ? 'suspicion' : 'loss',
      },
    ];
  });
}

function weakerTest(pair: TestPair, explanations?: Explanations): Finding[] {
  const { before, after, path } = pair;
  const found = weaknessOf(pair);
  if (!found || explanations?.of(before, after)) return [];
  const { id, words, weight } = found;
  return [
    {
      id: `${id}:${path}:${after.name}`,
      path,
      line: after.line,
      text: `"${after.name}" ${words}`,
      weight,
      forms: formsOf(before, after),
    },
  ];
}

const PRINTS =
  /^(?:console\.|print|puts$|p$|pp$|System\.out|fmt\.|log|\w+\.[Ll]og|e?println!|dbg!|String$|str$|repr$|len$)/;

const KEPT = 0.9;

function isEmptied({ before, after }: TestPair): boolean {
  return before.asserts + before.calls.length > 0 && after.asserts + after.calls.length === 0;
}

function weaknessOf(pair: TestPair): (Pick<Finding, 'weight'> & { id: string; words: string }) | undefined {
  const { before, after } = pair;
  if (isEmptied(pair)) return { id: 'emptied', words: after.idle ?? 'does nothing any more', weight: 'loss' };
  if (before.asserts === 0) return undefined;
  if (after.idle !== undefined && before.idle === undefined)
    return {
      id: after.idle.startsWith('catches') ? 'xfail' : 'assertions',
      words: after.idle,
      weight: after.asserts === 0 ? 'loss' : 'suspicion',
    };
  if (after.asserts >= before.asserts) return undefined;
  // A function of another file may assert in its place, and a callback fails with what it is given.
  const isElsewhere =
    /\bdone\b/.test(after.text) || after.calls.some((fn) => !before.calls.includes(fn) && !PRINTS.test(fn));
  if (after.asserts === 0)
    return {
      id: 'assertions',
      words: 'asserts nothing any more',
      weight: isElsewhere ? 'suspicion' : 'loss',
    };
  // One assertion about many values, or in a loop over them.
  if (coverage(tokensOf(before.text), tokensOf(after.text)) >= KEPT) return undefined;
  const count = `${after.asserts} assertion${after.asserts === 1 ? '' : 's'}`;
  return { id: 'assertions', words: `has ${count}, it had ${before.asserts}`, weight: 'suspicion' };
}

/** Assertions in scripts and hooks, and in functions that tests of other files may call. */
function weakerOutside({ pair }: MatchedFile): Finding[] {
  const { before, after } = pair;
  if (!before || !after) return [];
  const { shared, helpers } = before.facts;
  const now = after.facts.shared;
  const isScript = before.facts.tests.length === 0;
  const outside: Finding[] =
    now < shared && after.facts.tests.length <= before.facts.tests.length
      ? [
          {
            id: `assertions:${after.path}`,
            path: after.path,
            text: `outside of its tests, it has ${now} assertions, it had ${shared}`,
            weight: isScript && now === 0 ? 'loss' : 'suspicion',
          },
        ]
      : [];
  const weaker = helpers.flatMap((then) => {
    const isSame = ({ name, suites }: TestCase) => placeOf({ name, suites }) === placeOf(then);
    const [fresh, ...others] = after.facts.helpers.filter(isSame);
    const isCalled = before.facts.tests.some(({ calls }) => calls.some((fn) => fn.endsWith(then.name)));
    const isOne = others.length === 0 && (isCalled || isScript) && helpers.filter(isSame).length === 1;
    return then.asserts > 0 && fresh && isOne
      ? weakerTest({ before: then, after: fresh, path: after.path })
      : [];
  });
  return [...outside, ...weaker];
}

const MOST_LINES = 6;

/** The lines in which two forms of a test differ. */
export function formsOf(then: TestCase, now: TestCase | undefined): string[] {
  const [old, fresh] = [then.lines, now?.lines ?? []].map((lines) => lines.map((line) => line.trim()));
  return [...marked('-', old ?? [], fresh ?? []), ...marked('+', fresh ?? [], old ?? [])];
}

function marked(mark: string, lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  const only = lines.filter((line) => line !== '' && !known.has(line));
  const more = only.length > MOST_LINES ? [`${mark} ... and ${only.length - MOST_LINES} more lines`] : [];
  return [...only.slice(0, MOST_LINES).map((line) => `${mark} ${line.slice(0, 160)}`), ...more];
}
