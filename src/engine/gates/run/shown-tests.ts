/** A test run that passes has to show what it ran: not less than at the start of the loop. */
import { countOf, passes, type TestResults } from '../../core/proof/test-results.ts';
import type { Kept } from '../../ports/ports.ts';
import type { GateContext, Judgement } from '../gate.ts';
import { hasDifferential, measuredIn } from '../shared/asks.ts';

/** How often each test passed at the start, by name. */
type Shown = [name: string, passed: number][];

const MOST_NAMED = 10;

/** The exception by which you allow that fewer tests run than at the start. */
export function fewerTestsName(gate: string): string {
  return `${gate}: fewer tests`;
}

/**
 * Compares a passing run with the one at the start. What the start showed is kept when the start is judged. A differential
 * gate runs the very tests of the start, so that with one nothing is left to compare here.
 */
export function comparedWithStart(
  judgement: Judgement,
  run: { command: string; tests: TestResults | undefined },
  context: GateContext,
): Judgement {
  const { tests } = run;
  const { request, judges, tree } = context;
  const baseTree = request.base.tree;
  const measured = measuredIn(context);
  if (tree === undefined || baseTree === undefined || !measured) return judgement;
  const at = { gate: context.name, command: run.command, tree: baseTree };
  if (tree === baseTree) {
    if (tests) rememberShown(at, tests, measured, judges.digest);
    return judgement;
  }
  if (hasDifferential(context) || judgement.outcome !== 'pass') return judgement;
  const before = measured.read(keyOf(at, judges.digest)) as Shown | undefined;
  return before ? withoutLoss(judgement, before, tests, context) : judgement;
}

/** A run of the command of a gate on the tree with which a loop begins. */
interface RunAtStart {
  gate: string;
  command: string;
  tree: string;
}

/** Keeps what a run showed, for judgings of later trees. */
export function rememberShown(
  run: RunAtStart,
  tests: TestResults,
  measured: Kept,
  digest: (text: string) => string,
): void {
  measured.write(keyOf(run, digest), shownIn(tests));
}

function keyOf({ gate, command, tree }: RunAtStart, digest: (text: string) => string): string {
  return `tests ${digest(JSON.stringify([gate, command, tree]))}`;
}

function shownIn({ tests }: TestResults): Shown {
  return [...tests].flatMap(([name, tally]) => (passes(tally) ? [[name, tally.passed]] : []));
}

function withoutLoss(
  judgement: Judgement,
  before: Shown,
  tests: TestResults | undefined,
  { name, request }: GateContext,
): Judgement {
  const then = before.reduce((sum, [, passed]) => sum + passed, 0);
  const now = tests ? countOf(tests, 'passed') : 0;
  if (then === 0 || (now >= then && tests?.whole)) return judgement;
  const exception = fewerTestsName(name);
  if (request.allowed.includes(exception)) return { ...judgement, exceptions: [exception] };
  const missing = before.filter(([test]) => !passes(tests?.tests.get(test))).map(([test]) => test);
  const rest = missing.length - MOST_NAMED;
  return {
    ...judgement,
    outcome: 'unproven',
    summary: summaryOf(then, now, tests),
    evidence: [
      ...missing.slice(0, MOST_NAMED).map((test) => `not shown any more: ${test}`),
      ...(rest > 0 ? [`and ${rest} more`] : []),
      `Put the tests back, and the settings by which they are found. A person may allow it: untildone allow "${exception}"`,
    ],
    fingerprint: `fewer tests ${missing.length}`,
  };
}

function summaryOf(then: number, now: number, tests: TestResults | undefined): string {
  const start = `${then} ${then === 1 ? 'test' : 'tests'} passed at the start`;
  if (!tests) return `it succeeds, but shows no tests any more; ${start}`;
  if (!tests.whole) return `it succeeds, but its report is cut off; ${start}`;
  return `it succeeds, but only ${now} ${now === 1 ? 'test passes' : 'tests pass'}; ${start}`;
}
