/** Finds what became weaker in test files since the start. */
import { Cover } from './cover.ts';
import type { Finding } from './finding.ts';
import { type FilePair, isEffective, type MatchedFile, matchTests, type TestPair } from './match-tests.ts';
import type { Check } from './reading/check.ts';
import type { Marker, TestCase } from './reading/model.ts';
import { short, weakening } from './weaker-check.ts';

export function compareTests(pairs: readonly FilePair[]): Finding[] {
  const files = matchTests(pairs);
  const cover = new Cover(files);
  const oldMarkers = pairs.flatMap((pair) => pair.before?.facts.markers ?? []);
  // Checks that are the same go to their own tests first, whatever the order of the files.
  const lost = new Map(files.map((file) => [file, lostIn(file, cover)]));
  const findings = files.flatMap((file) => {
    const losses = lost.get(file);
    if (!losses) return [];
    const open = losses.removed.filter(({ test, checks }) => isGone(test, checks, cover, file));
    const removed = open.map(({ test }) => test);
    const helpers = weakerHelpers(file, cover);
    const weakHelpers = new Set(helpers.map(({ helper }) => helper));
    return [
      ...goneFile(file, removed),
      ...removedTests(file, removed),
      ...addedMarkers(file, oldMarkers),
      ...losses.matched.flatMap(({ test, checks }) => weakerTest(test, checks, cover, weakHelpers)),
      ...helpers.map(({ finding }) => finding),
      ...weakerShared(file, cover),
    ];
  });
  return findings.filter(({ id }, index) => findings.findIndex((one) => one.id === id) === index);
}

interface Losses {
  matched: { test: TestPair; checks: Check[] }[];
  removed: { test: TestCase; checks: Check[] }[];
}

/** The checks of each test that are nowhere any more in the same words. */
function lostIn(file: MatchedFile, cover: Cover): Losses {
  return {
    matched: file.matched.map((test) => ({
      test,
      checks: cover.notTaken(
        difference(test.before.checks.filter(isEffective), test.after.checks.filter(isEffective)),
      ),
    })),
    removed: file.removed.map((test) => ({ test, checks: cover.notTaken(test.checks.filter(isEffective)) })),
  };
}

/** The checks of `from` that are not in `other`, each as often as it is missing. */
export function difference(from: readonly Check[], other: readonly Check[]): Check[] {
  const left = new Map<string, number>();
  for (const { key } of other) left.set(key, (left.get(key) ?? 0) + 1);
  return from.filter(({ key }) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

function isGone(test: TestCase, lost: readonly Check[], cover: Cover, file: MatchedFile): boolean {
  const effective = test.checks.filter(isEffective);
  if (cover.isTwin(test)) return false;
  if (effective.length === 0) return !cover.hasBody(test);
  const open = lost.filter((check) => !cover.covers(check, file));
  return open.length > 0;
}

/** A test file that was deleted, or renamed so that no runner finds it. A file whose tests are all elsewhere was moved. */
function goneFile({ pair }: MatchedFile, removed: readonly TestCase[]): Finding[] {
  const { before, after } = pair;
  if (!before || after) return [];
  const { tests, helpers, shared } = before.facts;
  const total = tests.length;
  // Helpers are only of use to tests, and those are looked at themselves.
  if (total === 0 && helpers.size > 0 && shared.length === 0) return [];
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

function removedTests({ pair }: MatchedFile, removed: readonly TestCase[]): Finding[] {
  const { before, after } = pair;
  if (!before || !after) return [];
  return removed.map(({ name }) => ({
    id: `removed:${before.path}:${name}`,
    path: after.path,
    text: `removed the test "${name}"`,
  }));
}

const MARKER_IDS = {
  skip: 'skip',
  only: 'only',
  fails: 'xfail',
  retry: 'retry',
  mock: 'mock',
  slow: 'timeout',
  runs: 'runs',
} as const;
/** A timeout this much longer, and this long, lets a hanging test pass. */
const MUCH_SLOWER = 10;
const VERY_SLOW_MS = 60_000;

/** Markers that are new. One that moved with its test from another file is not. */
function addedMarkers(file: MatchedFile, oldMarkers: readonly Marker[]): Finding[] {
  const { before, after } = file.pair;
  if (!after) return [];
  const known = [...(before?.facts.markers ?? [])];
  const fresh = new Set(file.added.flatMap(({ name, suites }) => [name, ...suites]));
  const tested = testedIn(before?.facts.tests ?? []);
  return after.facts.markers.flatMap((marker) => {
    const isSame = (old: Marker) => old.kind === marker.kind && old.name === marker.name;
    const index = known.findIndex(isSame);
    const [old] = index === -1 ? [] : known.splice(index, 1);
    if (old && !isRaised(marker, old)) return [];
    if (!old && oldMarkers.some((one) => isSame(one) && marker.name !== '')) return [];
    if (!old && !isTelling(marker, before !== undefined, fresh.has(marker.name))) return [];
    if (marker.kind === 'mock' && !tested(marker.target ?? '')) return [];
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

function isRaised({ kind, value = 0 }: Marker, old: Marker): boolean {
  if (kind === 'retry') return value > (old.value ?? 0);
  if (kind === 'runs') return value < (old.value ?? 0);
  return kind === 'slow' && value >= VERY_SLOW_MS && value >= MUCH_SLOWER * (old.value ?? 0);
}

const FEW_RUNS = 20;
const CONDITIONAL =
  /skip_?if|skipUnless|condition|cfg|Enabled|DisabledOn|DisabledIf|importorskip|assum|Skip|\bif:|\bunless:/;

/** Tells whether tests check what a function or type of this name does. */
function testedIn(tests: readonly TestCase[]): (name: string) => boolean {
  const subjects = tests.flatMap(({ checks }) => checks.map(({ subject }) => subject));
  const called = new Set(
    subjects.flatMap((subject) => subject.match(/(?<![\w$])[A-Za-z_$][\w$]*(?=\()/g) ?? []),
  );
  return (name) => called.has(name);
}

/** Whether a new marker weakens anything. What a new test says of itself was never otherwise. */
function isTelling({ kind, name, word, value = 0 }: Marker, isOldFile: boolean, isNewTest: boolean): boolean {
  if (kind === 'slow') return value >= VERY_SLOW_MS && !isNewTest;
  if (kind === 'runs') return value < FEW_RUNS && !isNewTest;
  // A new test that cannot run everywhere takes nothing away.
  if (kind === 'skip' && isNewTest && CONDITIONAL.test(word)) return false;
  if (kind === 'fails' || kind === 'retry' || kind === 'mock') return isOldFile && !isNewTest;
  // The settings of a new file hide no test that was there.
  return isOldFile || name !== '';
}

type Words = { id: string; words: string } | undefined;

function weakerTest(
  test: TestPair,
  lost: readonly Check[],
  cover: Cover,
  weakHelpers: ReadonlySet<string>,
): Finding[] {
  const { path, after } = test;
  const own = lost.filter(({ via }) => via === undefined || !weakHelpers.has(via));
  const found =
    emptied(test) ??
    bypassed(test) ??
    lowerPlan(test) ??
    fewerRows(test, own, cover) ??
    weakerChecks(test, own, cover);
  if (!found) return [];
  const { id, words } = found;
  return [{ id: `${id}:${path}:${after.name}`, path, line: after.line, text: `"${after.name}" ${words}` }];
}

/** The number of assertions that have to run, where some run in functions that may never be called. */
function lowerPlan({ before, after }: TestPair): Words {
  const [then, now] = [before, after].map(({ checks }) =>
    checks.find(({ matcher }) => matcher === 'assertions'),
  );
  if (!then || (now && now.rank > 0 && Number(now.expected) >= Number(then.expected))) return undefined;
  const isNeeded =
    now !== undefined || after.checks.some(({ called, reach }) => called || reach === 'sometimes');
  return isNeeded
    ? { id: 'assertions', words: `no longer says how many assertions have to run: ${short(then)}` }
    : undefined;
}

function emptied({ before, after }: TestPair): Words {
  return after.empty && !before.empty ? { id: 'emptied', words: 'does nothing any more' } : undefined;
}

/** Checks that are still written, and cannot fail any more. */
function bypassed({ before, after }: TestPair): Words {
  const [then, now] = [before.checks.filter(isEffective), after.checks];
  for (const check of then) {
    const same = now.filter(({ key }) => key === check.key);
    if (
      same.length === 0 ||
      same.some((one) => isEffective(one) && !(one.reach === 'sometimes' && check.reach === 'always'))
    )
      continue;
    const [first] = same;
    if (!first) continue;
    const said = short(first);
    if (first.swallowed) return { id: 'xfail', words: `catches what its assertions say: ${said}` };
    if (first.reach === 'never') return { id: 'skip', words: `does not reach ${said}` };
    if (first.floating) return { id: 'floating', words: `does not wait for ${said}` };
    if (first.reach === 'sometimes')
      return { id: 'conditional', words: `checks only on a condition: ${said}` };
  }
  const swallowed = now.find((check) => check.swallowed && !before.checks.some((one) => one.swallowed));
  return swallowed && then.length > now.filter(isEffective).length
    ? { id: 'xfail', words: `catches what its assertions say: ${short(swallowed)}` }
    : undefined;
}

function fewerRows({ before, after }: TestPair, lost: readonly Check[], cover: Cover): Words {
  if (after.rows >= before.rows || after.rows === 0 || after.openRows) return undefined;
  if (lost.length > 0 && lost.every((check) => cover.covers(check))) return undefined;
  const kept = after.checks.filter(isEffective);
  // A row that stood there twice; where rows do not show in the checks, their number counts.
  const areTold = new Set(before.checks.map(({ key }) => key)).size > 1;
  if (areTold && lost.every((check) => cover.isImplied(check, kept))) return undefined;
  if (lost.length === 0) return undefined;
  return { id: 'cases', words: `has ${after.rows} cases, it had ${before.rows}` };
}

function weakerChecks({ before, after }: TestPair, lost: readonly Check[], cover: Cover): Words {
  const kept = after.checks.filter(isEffective);
  const fresh = difference(kept, before.checks.filter(isEffective));
  const isOpened = after.openRows && !before.openRows;
  const open = lost.filter(
    (check) =>
      !cover.isImplied(check, kept) &&
      !cover.isInParts(check, fresh, isOpened) &&
      !cover.isThrown(check, fresh) &&
      !isSetup(check, after),
  );
  const { replaced, gone } = cover.replace(open, fresh);
  for (const { check, by } of replaced) {
    const found = weakening(check, by);
    if (found?.how === 'weaker') return { id: 'weaker', words: found.words };
  }
  const missing = gone.filter((check) => !cover.covers(check) && check.rank > 1);
  const [example] = missing;
  if (!example) return undefined;
  const [then, now] = [before, after].map(({ checks }) => checks.filter(isEffective).length);
  const count =
    now !== undefined && then !== undefined && now < then
      ? `has ${now} assertion${now === 1 ? '' : 's'}, it had ${then}; gone`
      : 'lost an assertion';
  return { id: 'assertions', words: `${count}: ${short(example)}` };
}

/** Whether a check of an error went away with what could fail: the set-up changed. */
function isSetup({ relation, negated, subject }: Check, { body }: TestCase): boolean {
  const isNone =
    (relation === 'null' && !negated) ||
    (relation === 'present' && negated) ||
    (relation === 'truthy' && negated);
  if (!isNone || !/\berr\w*\b|\[1\]$/i.test(subject)) return false;
  const [own] = /[A-Za-z_$][\w$.]*/.exec(subject) ?? [];
  // A bare name was set outside of the test.
  if (own === subject && !body.includes(' = ')) return false;
  return own !== undefined && !body.replaceAll(' ', '').includes(own);
}

/** Helpers that say less than before: tests in files that did not change rely on them. */
function weakerHelpers({ pair }: MatchedFile, cover: Cover): { helper: string; finding: Finding }[] {
  const { before, after } = pair;
  if (!before || !after) return [];
  return [...before.facts.helpers].flatMap(([helper, checks]) => {
    const now = after.facts.helpers.get(helper);
    if (!now) return [];
    const words = weakerList(checks, now, cover);
    if (!words) return [];
    const { path } = after;
    return [
      {
        helper,
        finding: {
          id: `${words.id}:${path}:${helper}`,
          path,
          line: now[0]?.line,
          text: `"${helper}" ${words.words}`,
        },
      },
    ];
  });
}

function weakerShared({ pair }: MatchedFile, cover: Cover): Finding[] {
  const { before, after } = pair;
  if (!before || !after || before.facts.shared.length === 0) return [];
  const words = weakerList(before.facts.shared, after.facts.shared, cover);
  return words
    ? [{ id: `${words.id}:${after.path}`, path: after.path, text: `outside of its tests, it ${words.words}` }]
    : [];
}

function weakerList(before: readonly Check[], after: readonly Check[], cover: Cover): Words {
  const as = (checks: readonly Check[]): TestCase => ({
    name: '',
    suites: [],
    line: 0,
    body: '',
    empty: false,
    checks: [...checks],
    rows: 0,
    openRows: false,
  });
  const pair = { before: as(before), after: as(after), path: '' };
  const lost = cover.notTaken(difference(before.filter(isEffective), after.filter(isEffective)));
  return bypassed(pair) ?? weakerChecks(pair, lost, cover);
}
