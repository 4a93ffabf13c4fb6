import {
  CHANGE_BUDGET,
  DIFFERENTIAL_CHECKS,
  type DifferentialOptions,
} from '../../core/contract/gate-options.ts';
import type { DifferentialProof, Proof } from '../../core/loop/verdict.ts';
import { failingUnits } from '../../core/proof/selection.ts';
import type { TestNames } from '../../core/proof/take-back.ts';
import { countOf, lostTests } from '../../core/proof/test-results.ts';
import { Unmeasurable } from '../../core/text/errors.ts';
import type { Rooms } from '../../ports/rooms.ts';
import type { Gate, GateContext, Judgement } from '../gate.ts';
import { runGate } from '../run/index.ts';
import { NOTHING_TO_COMPARE, type Span, workSinceStart } from '../shared/contents.ts';
import type { Run } from '../shared/test-run.ts';
import { judgeChange } from './change.ts';
import type { ChangeFinding } from './change-words.ts';
import { type Comparison, compare, otherTests, startRun } from './compare.ts';
import { expectNothing } from './expectations.ts';
import { type Finding, findingsInChange, findingsOf, listed } from './findings.ts';
import { onlyWords } from './only-words.ts';
import { partsOf, type TestParts } from './parts.ts';
import { type Runs, runsOf } from './runs.ts';
import { printOf, type Settled, settle } from './settle.ts';
import { differentialTraits } from './traits.ts';
import { type Trees, treesFor } from './trees.ts';

/**
 * The tests as they were at the start pass on the code as it is now, and the tests as they are now fail on the code as it
 * was. Both are measured in clean rooms: tests that were bent, mocked, weakened or left out show as old tests that fail.
 */
export const differentialGate: Gate<'differential'> = {
  ...differentialTraits,
  commands: ({ command, cwd }) => runGate.commands?.({ command, cwd }, undefined) ?? [],
  async judge(options, context, signal) {
    const span = await workSinceStart(context);
    if (!span) return { outcome: 'unproven', summary: NOTHING_TO_COMPARE };
    if (span.from === span.to) return { outcome: 'skip', summary: 'nothing was changed since the start' };
    const { rooms } = context;
    if (!rooms) return { outcome: 'unproven', summary: NO_ROOMS };
    try {
      return await judgeWork(options, { ...context, rooms }, span, signal);
    } catch (error) {
      if (!(error instanceof Unmeasurable)) throw error;
      return { outcome: 'unproven', summary: error.message, evidence: [...error.evidence] };
    }
  },
};

const NO_ROOMS =
  'old and new tests are compared in clean rooms, and there are none here: the project has to be a git repository';

async function judgeWork(
  options: DifferentialOptions,
  context: GateContext & { rooms: Rooms },
  span: Span,
  signal: AbortSignal,
): Promise<Judgement> {
  const runs = runsOf(options, context, signal);
  const trees = await allTrees(options, span, context, runs, signal);
  const measuring = {
    trees,
    runs,
    partsOf: (seen: readonly Run[]) => partsOf(options.command, trees, seen, context.rooms, signal),
  };
  const comparison = await compare(options, measuring, context.request.task);
  const { present } = comparison;
  if (!present.green)
    return {
      outcome: 'fail',
      summary: `\`${options.command}\` fails in a clean room${exitWords(present.exitCode)}`,
      evidence: present.lines,
      next: 'Next: make it pass there, too. A clean room has the files of the project and what its setup installs, nothing else.',
      proof: proofOf(options, comparison),
    };
  const found = findingsOf(comparison, trees);
  let settled = await settle(found, options, context, signal);
  if (settled.open.length === 0) {
    found.push(...(await expectNothing(comparison, trees, runs, context.rooms, signal)));
    settled = await settle(found, options, context, signal);
  }
  if (settled.open.length === 0 && (options.checks ?? DIFFERENTIAL_CHECKS).includes('change')) {
    comparison.change = await takenBack(options, trees, runs, comparison, context, signal);
    if (comparison.change?.outcome === 'unproven') return unprovenChange(comparison.change);
    settled = await settle([...found, ...findingsInChange(comparison.change)], options, context, signal);
  }
  const mayChange = options.mayChange ? trees.changed.tests.filter(trees.mayChange) : [];
  const exceptions = [...settled.allowed, ...mayChange.map((path) => `may_change: ${path}`)];
  const isNothingToMiss = await onlyWords(trees.changes, span, context.workspace);
  const proof = proofOf(options, comparison, settled, exceptions, isNothingToMiss);
  if (settled.open.length > 0) return { ...failed(settled, comparison), exceptions, proof };
  const notes = notesOf(comparison);
  const summary = passed(comparison, exceptions, settled);
  return { outcome: 'pass', summary, evidence: notes, notes, exceptions, proof };
}

/** The trees to compare. Which files are tests is told by their names, and by the runner where it names others. */
async function allTrees(
  options: DifferentialOptions,
  span: Span,
  context: GateContext & { rooms: Rooms },
  runs: Runs,
  signal: AbortSignal,
): Promise<Trees> {
  const trees = await treesFor(options, span, context, signal);
  if (options.tests) return trees;
  const also = await otherTests(await startRun(trees, runs), trees);
  return also.length === 0 ? trees : treesFor({ ...options, also }, span, context, signal);
}

/** Takes changed code back and runs the tests of now that reach it. Undefined when no code was changed. */
async function takenBack(
  options: DifferentialOptions,
  trees: Trees,
  runs: Runs,
  { present, parts }: Comparison,
  { workspace, rooms }: GateContext & { rooms: Rooms },
  signal: AbortSignal,
): Promise<ChangeFinding | undefined> {
  if (!trees.codeChanged) return undefined;
  const { start, now, changes } = trees;
  const { min } = options;
  return judgeChange(
    {
      changes,
      start,
      now,
      contentAt: (tree, path) => workspace.contentAt(tree, path),
      isTest: trees.isOfTests,
      compose: (composition, until) => rooms.compose(composition, until),
      testsOf: testsReaching(parts),
      expectedMs: (tests) => present.durationMs * shareOf(tests, parts),
      run: (tree, tests) => failingOn(tree, tests, present, parts, runs),
      ...changeBudget(options, present),
      min,
      clock: () => performance.now(),
    },
    signal,
  );
}

/** A run of few tests has to begin, too. */
const LEAST_SHARE = 0.1;

function shareOf(tests: TestNames, parts: TestParts | undefined): number {
  return tests === 'all' || !parts ? 1 : Math.max(LEAST_SHARE, parts.units.shareOf(tests));
}

/** Looking at the change costs about half a run of the tests, unless the contract asks for more. */
function changeBudget({ runs, timeMs, min }: DifferentialOptions, { durationMs }: Run) {
  const most = { runs: runs ?? CHANGE_BUDGET.runs, timeMs: timeMs ?? CHANGE_BUDGET.timeMs };
  if (runs !== undefined || timeMs !== undefined || min !== undefined) return most;
  return { ...most, timeMs: Math.max(durationMs / 2, CHANGE_BUDGET.freeMs) };
}

function testsReaching(parts: TestParts | undefined): (path: string) => TestNames {
  return (path) => {
    if (!parts) return 'all';
    const { units, reach } = parts;
    const paths = new Set([path]);
    const reaching = units.all.filter(({ files }) => files.some((file) => reach.reaches(file, paths)));
    // A file that no test seems to load is reached in a way that no import tells, or not at all.
    return reaching.length === 0 ? 'all' : new Set(reaching.map(({ name }) => name));
  };
}

/** Runs these tests on a tree without a part of the change. */
async function failingOn(
  tree: string,
  tests: TestNames,
  present: Run,
  parts: TestParts | undefined,
  runs: Runs,
): Promise<{ failing: TestNames }> {
  const what = 'the tests without a part of the change';
  const narrowed = tests === 'all' ? undefined : parts?.narrowed(tests);
  const run = await runs.of(parts && narrowed ? await parts.tree(tree, narrowed) : tree, what);
  if (run.tests.size === 0) return { failing: run.green && present.tests.size === 0 ? new Set() : 'all' };
  const lost = lostTests({ tests: present.tests, whole: true }, { tests: run.tests, whole: true });
  const failing = parts ? failingUnits(present.tests, run.tests, parts.units) : new Set<string>();
  if (narrowed) return { failing: new Set([...failing].filter((unit) => narrowed.units.has(unit))) };
  const isGreen = run.green && lost.length === 0;
  return { failing: isGreen ? new Set() : failing.size === 0 ? 'all' : failing };
}

function unprovenChange({ summary, evidence, next }: ChangeFinding): Judgement {
  return { outcome: 'unproven', summary: `change: ${summary}`, evidence, next: next && `Next: ${next}` };
}

function exitWords(exitCode: number | undefined): string {
  return exitCode === undefined ? '' : ` (exit code ${exitCode})`;
}

function passed(
  { old, fresh, change, notes }: Comparison,
  exceptions: readonly string[],
  { byModel }: Settled,
): string {
  const parts: string[] = [];
  if (old && old.kept.length + old.mended.length > 0) {
    const both = old.kept.length + old.mended.length;
    parts.push(`${counted(both, 'test')} of the start ${both === 1 ? 'passes' : 'pass'} on the new code`);
    if (old.mended.length > 0) parts.push(`${old.mended.length} of them failed at the start`);
  }
  if (fresh && fresh.biting.length + fresh.vacuous.length > 0)
    parts.push(
      `of ${counted(fresh.biting.length + fresh.vacuous.length, 'new or changed test')} ${fresh.biting.length} ${fresh.biting.length === 1 ? 'fails' : 'fail'} on the old code`,
    );
  if (change) parts.push(change.summary);
  if (exceptions.length > 0) parts.push(`${counted(exceptions.length, 'exception')} allowed`);
  if (byModel.length > 0) parts.push(`${byModel.length} of them by a model`);
  return [...parts, ...notes].join('; ') || 'the tests pass, old and new';
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** What is worth knowing, and holds nobody. */
function notesOf({ old, fresh, change }: Comparison): string[] {
  return [
    ...(old && old.removed.length > 0 ? [`removed; their old form passes: ${listed(old.removed)}`] : []),
    ...(old && old.flaky.length > 0 ? [`flaky, not counted: ${listed(old.flaky)}`] : []),
    ...(fresh && fresh.vacuous.length > 0 ? [`pass on the old code, too: ${listed(fresh.vacuous)}`] : []),
    ...(fresh && fresh.unloaded.length > 0
      ? [`could not be loaded on the old code, which counts as failing: ${listed(fresh.unloaded)}`]
      : []),
    ...(change?.evidence ?? []),
  ];
}

const MOST_FINDINGS = 8;
const OUTPUT_LINES = 8;

function failed({ open, refused, asksIfRepeated }: Settled, comparison: Comparison): Judgement {
  const rest = open.length - MOST_FINDINGS;
  const lost = open.filter(({ id }) => id.startsWith('old_tests: ')).length;
  return {
    outcome: 'fail',
    summary: [summaryOf(open, lost), ...(refused === undefined ? [] : [refused])].join('; '),
    evidence: [
      ...open.slice(0, MOST_FINDINGS).flatMap(({ lines }) => lines),
      ...(rest > 0 ? [`and ${rest} more`] : []),
      ...(lost > 0 ? comparison.lines.slice(0, OUTPUT_LINES) : []),
    ],
    next: adviceFor(open, lost, refused),
    fingerprint: printOf(open),
    asksIfRepeated,
  };
}

function summaryOf(open: readonly Finding[], lost: number): string {
  if (lost === 1) return 'a test of the start does not pass on the new code';
  if (lost > 1) return `${lost} tests of the start do not pass on the new code`;
  if (open.some(({ id }) => id === 'new_tests')) return 'no new test fails on the old code';
  const named = open.find(({ summary }) => summary !== undefined);
  return named ? (named.summary ?? '') : 'a dependency comes from elsewhere than at the start';
}

function adviceFor(open: readonly Finding[], lost: number, refused: string | undefined): string {
  if (refused !== undefined)
    return `Next: ${refused}. Make the code pass the tests as they were at the start, and put them back.`;
  const isAskable = open.every(({ askable }) => askable);
  const person = isAskable
    ? ' If the task itself demands the change, say so in your final message and stop again: a person is then shown both forms and asked.'
    : '';
  if (lost > 0)
    return `Next: make the code pass these tests as they were at the start, with the settings of then, and put back what you changed in them.${person}`;
  if (open.some(({ id }) => id === 'new_tests'))
    return `Next: write a test that fails without your change and passes with it.${person}`;
  if (open.some(({ id }) => id.startsWith('expects_nothing: ')))
    return `Next: make these tests fail where the code does something else: await what they check, and compare with plain values.${person}`;
  if (open.some(({ id }) => id === 'change'))
    return `Next: test what these lines do, or take them out: all tests pass without them, or never reach them.${person}`;
  return `Next: put the dependency back.${person}`;
}

function proofOf(
  { command }: DifferentialOptions,
  { present, old, fresh, change }: Comparison,
  settled?: Settled,
  allowed: string[] = [],
  nothingToMiss = false,
): Proof {
  const differential: DifferentialProof = {
    old: old && {
      passed: old.kept.length + old.mended.length,
      failed: old.lost.filter(({ is }) => is === 'failed').length,
      missing: old.lost.filter(({ is }) => is !== 'failed').length,
      flaky: old.flaky.length,
    },
    biting: fresh?.biting.length,
    vacuous: fresh?.vacuous.length,
    ...(nothingToMiss ? { nothingToMiss: true } : {}),
    tested: change?.share,
    untested: change?.untested.map(({ path, from, to }) => `${path}:${from}-${to}`),
    allowed,
    byModel: settled && settled.byModel.length > 0 ? settled.byModel : undefined,
  };
  const results = { tests: present.tests, whole: present.whole };
  const count = (outcome: 'passed' | 'failed' | 'skipped') => countOf(results, outcome);
  return {
    command,
    exitCode: present.exitCode,
    durationMs: present.durationMs,
    outputSha256: present.outputSha256,
    room: 'clean',
    walls: present.walls,
    costUsd: settled?.costUsd,
    tests:
      present.tests.size > 0
        ? { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
        : undefined,
    differential,
  };
}
