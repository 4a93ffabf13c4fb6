/** What runs of old and new tests on old and new code say about the work. Pure. */
import { countOf, passes, type Tally, type TestResults } from './test-results.ts';

/** One run of the tests on one tree. */
export interface Measured {
  /** Test by test. Empty when the runner said nothing. */
  tests: ReadonlyMap<string, Tally>;
  /** Whether the command ended with exit code 0. */
  green: boolean;
  /** False: the command failed before its end, or before any test. Tests that it does not name did not pass. */
  whole: boolean;
}

/** What can be told of a run, or why nothing can. */
export function measured(
  { exitCode, endedBy }: { exitCode?: number; endedBy?: string },
  results: TestResults | undefined,
): Measured | { problem: string } {
  if (endedBy === 'timeout' || endedBy === 'abort') return { problem: 'did not end in time' };
  if (endedBy === 'not_started') return { problem: 'could not be started' };
  if (exitCode === 127) return { problem: 'could not be run: command not found' };
  if (exitCode === 126) return { problem: 'could not be run: not executable' };
  const green = exitCode === 0;
  const tests = results?.tests ?? new Map<string, Tally>();
  if (green && results && !results.whole)
    return { problem: 'ended with exit code 0, but its report of the tests is cut off' };
  const failed = results ? countOf(results, 'failed') : 0;
  if (green && failed > 0)
    return {
      problem: `ended with exit code 0, but its report names ${failed} failing ${failed === 1 ? 'test' : 'tests'}`,
    };
  return { tests, green, whole: green || (results?.whole === true && tests.size > 0) };
}

/** Whether the runner told what became of each test. */
export const tells = ({ tests }: Measured) => tests.size > 0;

/** A test that does not pass as it was at the start, on the code as it is now. */
export interface LostTest {
  name: string;
  /** At the start. */
  was: 'passed' | 'failed' | 'unknown';
  /** In its old form, on the code of now. */
  is: 'failed' | 'skipped' | 'missing';
  /** In its new form. */
  inNewForm: 'passes' | 'is skipped' | 'is gone' | 'fails';
}

export interface OldTests {
  /** Passed at the start, and pass in their old form now. */
  kept: string[];
  /** Did not pass at the start, and pass in their old form now. */
  mended: string[];
  lost: LostTest[];
  /** Passed or failed by chance: they count for nothing. */
  flaky: string[];
  /** Pass in their old form, but are no longer run. */
  removed: string[];
}

interface OldRuns {
  /** Old tests on old code; the second run only where something was lost in the first. */
  start: readonly [Measured, ...Measured[]];
  /** Old tests on new code. */
  now: readonly [Measured, ...Measured[]];
  /** New tests on new code. */
  present: Measured;
  /** The name of everything, for runners that do not tell test by test. */
  whole: string;
}

/** Compares what tests did at the start with what they do, as they were, on the code of now. */
export function compareOld(runs: OldRuns): OldTests {
  const { start, now, present } = runs;
  if (!start.some(tells) && !now.some(tells)) return byExitCode(runs);
  const found: OldTests = { kept: [], mended: [], lost: [], flaky: [], removed: [] };
  const names = new Set([...start, ...now].flatMap(({ tests }) => [...tests.keys()]));
  for (const name of names) {
    const fate = fateOf(name, runs);
    if (typeof fate === 'object') found.lost.push(fate);
    else if (fate !== 'nothing') found[fate].push(name);
    const passesNow = fate === 'kept' || fate === 'mended';
    if (passesNow && tells(present) && !present.tests.has(name)) found.removed.push(name);
  }
  return found;
}

type Fate = 'kept' | 'mended' | 'flaky' | 'removed' | 'nothing' | LostTest;

/** What became of one test of the start. */
function fateOf(name: string, { start, now, present }: OldRuns): Fate {
  const [before = 'missing', ...others] = start.map((run) => outcomeOf(run, name));
  const [after = 'missing', ...again] = now.map((run) => outcomeOf(run, name, start[0].tests.get(name)));
  if (others.some((one) => one !== before)) return 'flaky';
  if (again.some((one) => (one === 'passed') !== (after === 'passed'))) return 'flaky';
  if (after === 'passed') return before === 'passed' ? 'kept' : 'mended';
  const inNow = present.tests.get(name);
  if (DOC_TEST.test(name) && after === 'missing' && inNow === undefined) return 'removed';
  if (!isLost(before, after)) return 'nothing';
  if (
    before !== 'passed' &&
    isGroupIn(
      name,
      [...start, ...now].flatMap((run) => [...run.tests.keys()]),
    )
  )
    return 'nothing';
  return { name, was: wasOf(before), is: after, inNewForm: newForm(inNow) };
}

/** An example in the documentation of Rust is part of the code: it goes with what it explains. */
const DOC_TEST = / > \S+\.rs - /;

type Outcome = 'passed' | 'failed' | 'skipped' | 'missing';

function outcomeOf({ tests }: Measured, name: string, atLeast?: Tally): Outcome {
  const tally = tests.get(name);
  if (tally === undefined) return 'missing';
  if (passes(tally)) return tally.passed >= (atLeast?.passed ?? 0) ? 'passed' : 'missing';
  return tally.failed > 0 ? 'failed' : 'skipped';
}

/** What was skipped at the start, or was not there and is not there, is no loss. */
function isLost(before: Outcome, after: Outcome): boolean {
  if (before === 'passed') return true;
  return after === 'failed' || (before === 'failed' && after !== 'passed');
}

function wasOf(outcome: Outcome): LostTest['was'] {
  return outcome === 'passed' || outcome === 'failed' ? outcome : 'unknown';
}

function newForm(tally: Tally | undefined): LostTest['inNewForm'] {
  if (tally === undefined) return 'is gone';
  if (tally.failed > 0) return 'fails';
  return tally.passed > 0 ? 'passes' : 'is skipped';
}

/**
 * A file that cannot be loaded is named like a test (`a.test.js > a.test.js`, `pytest > tests.test_a`). Where its tests are
 * named, it says nothing of its own.
 */
function isGroupIn(name: string, tests: Iterable<string>): boolean {
  const last = name.split(' > ').at(-1) ?? name;
  for (const other of tests) {
    if (other === name) continue;
    const [first = ''] = other.split(' > ');
    if (other.startsWith(`${name} > `) || first === last || first.startsWith(`${last}.`)) return true;
  }
  return false;
}

/** Files that end well although the runner names no test of them: tests that never began, or none at all. */
export function silentFiles({ tests }: Measured): string[] {
  return [...tests].flatMap(([name, tally]) => {
    const [first, second, ...more] = name.split(' > ');
    return first !== undefined && first === second && more.length === 0 && passes(tally) ? [first] : [];
  });
}

function byExitCode({ start, now, present, whole }: OldRuns): OldTests {
  const none: OldTests = { kept: [], mended: [], lost: [], flaky: [], removed: [] };
  const [was, is] = [start.map(({ green }) => green), now.map(({ green }) => green)];
  if (was.includes(true) && was.includes(false)) return { ...none, flaky: [whole] };
  if (is.includes(true) && is.includes(false)) return { ...none, flaky: [whole] };
  if (is[0]) return was[0] ? { ...none, kept: [whole] } : { ...none, mended: [whole] };
  const inNewForm = present.green ? 'passes' : 'fails';
  return { ...none, lost: [{ name: whole, was: was[0] ? 'passed' : 'failed', is: 'failed', inNewForm }] };
}

export interface NewTests {
  /** Added or changed tests that fail on the code of the start. */
  biting: string[];
  /** Those that pass there, too: they do not show that anything was done. */
  vacuous: string[];
  /** Biting tests that could not even be loaded or built there. */
  unloaded: string[];
  /** Those of all these that are new. */
  added: string[];
}

interface NewRuns {
  /** Old tests on old code. */
  start: Measured;
  /** New tests on new code. */
  present: Measured;
  /** New tests on old code. */
  back: Measured;
  /** Names of tests whose text changed. */
  changed: ReadonlySet<string>;
  whole: string;
}

/** Tells which of the added and changed tests fail on the code of the start. */
export function compareNew({ start, present, back, changed, whole }: NewRuns): NewTests {
  const found: NewTests = { biting: [], vacuous: [], unloaded: [], added: [] };
  if (!tells(present)) {
    found.added.push(whole);
    (back.green ? found.vacuous : found.biting).push(whole);
    return found;
  }
  for (const [name, tally] of present.tests) {
    const isNew = !start.tests.has(name);
    if (!passes(tally) || (!isNew && !changed.has(name))) continue;
    if (isNew) found.added.push(name);
    if (passes(back.tests.get(name))) found.vacuous.push(name);
    else {
      found.biting.push(name);
      if (!back.tests.has(name)) found.unloaded.push(name);
    }
  }
  return found;
}

/** Words by which a task says that what the code does stays the same, or that it is about tests. */
const KEEPS_BEHAVIOUR =
  /\b(?:refactor|restructur|reorgani[sz]|clean(?:ing)?[ -]?up|tidy|renam|extract|split|dedup|simplif|moder?ni[sz]|migrat|upgrad|bump|format|lint|typing|annotat|comment|document|speed|perf|optimi[sz]|faster|characteri[sz]|coverage|flak|(?:add|write|more|improve|missing|stabl)\w* (?:\w+ ){0,3}(?:tests?|specs?))/i;

/**
 * Whether the new tests show nothing although they should: tests were added for changed code, and none of them fails
 * without it. Tests that replace others, and tasks that keep what the code does, need none that fails.
 */
export function showNothing(
  { biting, added }: NewTests,
  { mended, removed }: Pick<OldTests, 'mended' | 'removed'>,
  task: string,
): boolean {
  if (biting.length > 0 || added.length === 0 || mended.length > 0 || removed.length > 0) return false;
  return !KEEPS_BEHAVIOUR.test(task);
}
