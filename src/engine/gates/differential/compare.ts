/** Measures what the checks of the gate ask for. */
import { DIFFERENTIAL_CHECKS, type DifferentialOptions } from '../../core/contract/gate-options.ts';
import {
  compareNew,
  compareOld,
  type NewTests,
  type OldTests,
  showNothing,
  silentFiles,
  tells,
} from '../../core/proof/differential.ts';
import { contradiction } from '../../core/proof/printed-summary.ts';
import { mergedTests, unitsToRepeat } from '../../core/proof/selection.ts';
import { fileOf, formOf, isSameForm } from '../../core/proof/test-forms.ts';
import { passes } from '../../core/proof/test-results.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import { refuseBent } from '../shared/canary-order.ts';
import { NOTHING_RUN, type Run } from '../shared/test-run.ts';
import type { ChangeFinding } from './change-words.ts';
import type { TestParts } from './parts.ts';
import type { Runs } from './runs.ts';
import type { Trees } from './trees.ts';

export interface Comparison {
  /** The tests as they are now, on the code as it is now. */
  present: Run;
  /** What runs by itself; absent: the tests only run together, or nothing was compared. */
  parts?: TestParts;
  old?: OldTests;
  fresh?: NewTests;
  /** New tests should show something, and do not. */
  showsNothing: boolean;
  /** Lost tests that pass with settings of now that serve code and tests alike. */
  onlyWithSettings: ReadonlySet<string>;
  /** What became of tests when changed code was taken back. */
  change?: ChangeFinding;
  /** The most useful lines of old tests on new code. */
  lines: string[];
  notes: string[];
}

const NO_OLD: OldTests = { kept: [], mended: [], lost: [], flaky: [], removed: [] };

export interface Measuring {
  trees: Trees;
  runs: Runs;
  /** What of the tests runs by itself; undefined: they only run together. */
  partsOf(seen: readonly Run[]): Promise<TestParts | undefined>;
}

export async function compare(
  options: DifferentialOptions,
  measuring: Measuring,
  task: string,
): Promise<Comparison> {
  const { trees, runs } = measuring;
  const checks = new Set(options.checks ?? DIFFERENTIAL_CHECKS);
  const present = await runs.of(trees.now, 'the tests of now');
  const found: Comparison = {
    present,
    showsNothing: false,
    onlyWithSettings: new Set(),
    lines: [],
    notes: [],
  };
  if (!present.green) return found;
  refuseBent(present, options.command);
  const then = await startRun(trees, runs);
  if (tells(then) && !trees.hadTests)
    throw new Unmeasurable(
      'no file of the start is known as a test, so none can be laid back: name the places of the tests with `tests: [globs]`',
    );
  if (tells(then) && !tells(present))
    throw new Unmeasurable(
      `\`${options.command}\` reported ${then.tests.size} tests at the start and reports none now, although it ends with exit code 0`,
    );
  if (present.asked && !tells(then) && !then.green && trees.hadTests && !tells(present))
    throw new Unmeasurable(
      `\`${options.command}\` was asked for a report of its tests and wrote none, although it ends with exit code 0`,
    );
  await refuseSilence(present, trees);
  refuseContradiction(then, present, options, trees.changed.tests.length === 0);
  if (tells(present)) found.parts = await measuring.partsOf([then, present]);
  if (checks.has('old_tests')) await compareOldTests(found, then, trees, runs, options);
  if (checks.has('new_tests')) await compareNewTests(found, then, trees, runs, options, task);
  return found;
}

/**
 * Files that the runner took for tests at the start although their names do not tell. A file that holds code, too, is none:
 * it would be laid back with its tests.
 */
export async function otherTests(then: Run, trees: Trees): Promise<string[]> {
  const named = new Set([...then.tests.keys()].map((name) => name.split(' > ')[0] ?? ''));
  const unknown = [...named].filter(
    (path) => trees.paths.has(path) && !trees.isOfTests(path) && !path.endsWith('.rs'),
  );
  const silent = new Set(silentFiles(then));
  const found = await Promise.all(
    unknown.map(async (path) => {
      const text = (await trees.read(path)) ?? '';
      return silent.has(path) || (CALLS_TESTS.test(text) && !text.includes('import.meta.vitest'))
        ? [path]
        : [];
    }),
  );
  return found.flat();
}

const CALLS_TESTS = /^[ \t]{0,40}(?:await )?(?:test|it|describe|suite)(?:\.\w{1,20})? ?\(/m;

/** Code under test that ends the program with success, ends the file of tests, too, before they begin. */
async function refuseSilence(run: Run, trees: Trees): Promise<void> {
  for (const path of silentFiles(run)) {
    const text = await trees.read(path);
    if (text !== undefined && CALLS_TESTS.test(text))
      throw new Unmeasurable(`${path} ends with success before any of its tests has run`);
  }
}

/** Where a runner reports nothing, its own last words have to fit its exit code, and those of the start. */
function refuseContradiction(
  then: Run,
  now: Run,
  { command }: DifferentialOptions,
  sameTests: boolean,
): void {
  if (tells(then) || tells(now)) return;
  const why = contradiction(then, now, sameTests);
  if (why !== undefined) throw new Unmeasurable(`\`${command}\` ${why}`, now.lines);
}

/** The tests of the start on its own code. Dependencies of the start that cannot be installed are those of now. */
export async function startRun(trees: Trees, runs: Runs): Promise<Run> {
  const what = 'the tests of the start';
  try {
    return await runs.of(trees.start, what);
  } catch (error) {
    if (!(error instanceof Unmeasurable)) throw error;
    if (!trees.hadTests) return NOTHING_RUN;
    const tree = await trees.startWithDependencies();
    if (tree === trees.start) throw error;
    return runs.of(tree, what).catch(() => Promise.reject(error));
  }
}

async function compareOldTests(
  found: Comparison,
  then: Run,
  trees: Trees,
  runs: Runs,
  options: DifferentialOptions,
): Promise<void> {
  const { command } = options;
  const whole = `\`${command}\``;
  if (!trees.hadTests) {
    found.old = NO_OLD;
    found.notes.push('there were no tests at the start');
    return;
  }
  const what = OLD_ON_NEW;
  const counts = (old: OldTests): OldTests => ({
    ...old,
    lost: old.lost.filter(({ name }) => !isInMayChange(name, trees)),
  });
  const repeated = await repeatedTests(found, then, trees, runs);
  const now = repeated ?? (await runs.of(trees.oldOnNew, what));
  if (tells(then) && !tells(now) && now.green)
    throw new Unmeasurable(
      `\`${command}\` reported ${then.tests.size} tests at the start, and reports none of them on the code of now, although it ends with exit code 0`,
    );
  await refuseSilence(now, trees);
  refuseBent(now, command);
  refuseContradiction(then, now, options, true);
  const { present } = found;
  const moved = (old: OldTests) =>
    withoutMovedPackages(withMoved(counts(old), now, trees), then, present, trees);
  const first = moved(compareOld({ start: [then], now: [now], present, whole }));
  found.old = first;
  if (first.lost.length === 0) return;
  // What fails once may fail by chance.
  const again = [await runs.of(trees.oldOnNew, what, repeated ? 1 : 2)];
  const before = await secondStartRun(then, trees, runs);
  found.old = moved(compareOld({ start: [then, ...before], now: [now, ...again], present, whole }));
  found.lines = now.lines;
  if (found.old.lost.length > 0) found.onlyWithSettings = await passingWithSettings(found.old, trees, runs);
}

/**
 * Runs those tests of the start that this change may concern. What the others did beside the new tests is what they do
 * without these. Undefined: all of them have to run.
 */
async function repeatedTests(
  { parts, present }: Comparison,
  then: Run,
  trees: Trees,
  runs: Runs,
): Promise<Run | undefined> {
  if (!parts || trees.oldOnNew === trees.now) return undefined;
  const { units, reach, changedCode } = parts;
  const repeated = unitsToRepeat(units, { tests: trees.changed.tests, code: changedCode }, reach);
  if (!repeated) return undefined;
  const isRepeated = (test: string) => repeated.has(units.ofTest(test) ?? '');
  const atStart = new Set([...then.tests.keys()].filter(isRepeated).map((test) => units.ofTest(test) ?? ''));
  const narrowed = parts.narrowed(atStart);
  if (atStart.size > 0 && !narrowed) return undefined;
  const part = narrowed && (await runs.of(await parts.tree(trees.oldOnNew, narrowed), OLD_ON_NEW));
  return {
    ...present,
    ...part,
    tests: mergedTests(present.tests, testsOf(part, atStart, units), isRepeated),
  };
}

/** What these units said. Files of others were left without a test in them. */
function testsOf(run: Run | undefined, wanted: ReadonlySet<string>, units: TestParts['units']) {
  return new Map([...(run?.tests ?? [])].filter(([test]) => wanted.has(units.ofTest(test) ?? '')));
}

const OLD_ON_NEW = 'the tests of the start on the code of now';

async function secondStartRun(then: Run, trees: Trees, runs: Runs): Promise<Run[]> {
  if (then === NOTHING_RUN) return [];
  try {
    return [await runs.of(trees.start, 'the tests of the start', 2)];
  } catch (error) {
    if (error instanceof Unmeasurable) return [];
    throw error;
  }
}

async function passingWithSettings(old: OldTests, trees: Trees, runs: Runs): Promise<Set<string>> {
  const tree = trees.oldOnNewWithSettings;
  if (tree === undefined) return new Set();
  const { tests, green } = await runs.of(tree, 'the tests of the start with the settings of now');
  return new Set(
    old.lost.map(({ name }) => name).filter((name) => (tests.size > 0 ? passes(tests.get(name)) : green)),
  );
}

function isInMayChange(name: string, trees: Trees): boolean {
  const path =
    fileOf(name, [...trees.textsThen.keys(), ...trees.textsNow.keys()]) ?? name.split(' > ')[0] ?? name;
  return trees.mayChange(path);
}

/**
 * Unit tests of Rust are named after the module that they are in, so a module that moved takes them along. Their text is
 * that of the start all the same.
 */
function withMoved(old: OldTests, now: Run, trees: Trees): OldTests {
  const moved = trees.changed.tests.some((path) => path.endsWith('.rs') && !trees.textsThen.has(path));
  if (!moved) return old;
  const titleOf = (name: string) => name.split('::').slice(-2).join('::');
  const known = new Set([...old.kept, ...old.lost.map(({ name }) => name)]);
  const passing = new Set(
    [...now.tests]
      .filter(([name, tally]) => passes(tally) && !known.has(name))
      .map(([name]) => titleOf(name)),
  );
  const isMoved = ({ name, is }: OldTests['lost'][number]) => is === 'missing' && passing.has(titleOf(name));
  return { ...old, lost: old.lost.filter((test) => !isMoved(test)) };
}

/** Leaves out tests that moved into another package together with the code that they test. Their text is that of the start. */
function withoutMovedPackages(old: OldTests, then: Run, present: Run, trees: Trees): OldTests {
  const fresh = [...present.tests].filter(([name, tally]) => passes(tally) && !then.tests.has(name));
  if (fresh.length === 0 || old.lost.length === 0) return old;
  const isMoved = ({ name, is, inNewForm }: OldTests['lost'][number]): boolean => {
    const from = fileOf(name, trees.textsThen.keys());
    if (is !== 'missing' || inNewForm !== 'is gone' || from === undefined) return false;
    return fresh.some(([candidate]) => {
      const to = fileOf(candidate, trees.textsNow.keys());
      if (to === undefined || titleOf(candidate) !== titleOf(name) || !movedTogether(from, to, trees))
        return false;
      const formIn = (test: string, path: string, texts: ReadonlyMap<string, string>) =>
        formOf(test, new Map([[path, texts.get(path) ?? '']]));
      return isSameForm(formIn(name, from, trees.textsThen), formIn(candidate, to, trees.textsNow));
    });
  };
  return { ...old, lost: old.lost.filter((test) => !isMoved(test)) };
}

const titleOf = (name: string) => name.split(' > ').at(-1) ?? name;
const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);

/** Whether a file of tests was renamed, and a file of code beside it from the same folder into the same one. */
function movedTogether(from: string, to: string, { changes, isOfTests }: Trees): boolean {
  const renamed = changes.filter(({ change }) => change === 'renamed');
  return (
    renamed.some((file) => file.from === from && file.path === to) &&
    renamed.some(
      (file) =>
        !isOfTests(file.path) &&
        folderOf(file.from ?? '') === folderOf(from) &&
        folderOf(file.path) === folderOf(to),
    )
  );
}

async function compareNewTests(
  found: Comparison,
  then: Run,
  trees: Trees,
  runs: Runs,
  { command }: DifferentialOptions,
  task: string,
): Promise<void> {
  const { present, old } = found;
  if (trees.changed.tests.length === 0) {
    found.notes.push('no test was added or changed');
    return;
  }
  if (!trees.codeChanged) {
    found.notes.push('only tests were changed, so that none of them can fail on the old code alone');
    return;
  }
  const changed = changedTests(then, present, trees);
  const whole = `\`${command}\``;
  const compared = (back: Run) => compareNew({ start: then, present, back, changed, whole });
  const isNothing = (fresh: NewTests) => tells(present) && showNothing(fresh, old ?? NO_OLD, task);
  const part = await freshTests(found, then, changed, trees, runs);
  const first = part && compared(part);
  // What only part of the tests said holds nobody.
  const fresh = first && !isNothing(first) ? first : compared(await runs.of(trees.newOnOld, NEW_ON_OLD));
  found.fresh = fresh;
  found.showsNothing = isNothing(fresh);
}

const NEW_ON_OLD = 'the tests of now on the code of the start';

/** Runs the new and changed tests on the code of the start. Undefined: all tests have to run. */
async function freshTests(
  { parts, present }: Comparison,
  then: Run,
  changed: ReadonlySet<string>,
  trees: Trees,
  runs: Runs,
): Promise<Run | undefined> {
  if (!parts) return undefined;
  const { units } = parts;
  const names = [...present.tests.keys()].filter((name) => changed.has(name) || !then.tests.has(name));
  const wanted = new Set(names.map((name) => units.ofTest(name) ?? ''));
  const narrowed = parts.narrowed(wanted);
  if (wanted.size > 0 && !narrowed) return undefined;
  const part = narrowed ? await runs.of(await parts.tree(trees.newOnOld, narrowed), NEW_ON_OLD) : NOTHING_RUN;
  return {
    ...part,
    tests: mergedTests(new Map(), part.tests, (test) => wanted.has(units.ofTest(test) ?? '')),
  };
}

/** The tests that were there at the start and have another text now. */
function changedTests(then: Run, present: Run, { textsThen: old, textsNow: fresh }: Trees): Set<string> {
  const names = [...present.tests.keys()].filter((name) => then.tests.has(name));
  return new Set(
    names.filter((name) => {
      const path = fileOf(name, fresh.keys());
      if (path === undefined || old.get(path) === fresh.get(path)) return false;
      const one = (files: ReadonlyMap<string, string>) =>
        formOf(name, new Map([[path, files.get(path) ?? '']]));
      const [was, is] = [one(old), one(fresh)];
      return was !== undefined && is !== undefined && !isSameForm(was, is);
    }),
  );
}
