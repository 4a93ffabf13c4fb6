import { describe, expect, test } from 'vitest';
import type { TestResults } from '../../../../src/engine/core/proof/test-results.ts';
import type { GateContext, Judgement } from '../../../../src/engine/gates/gate.ts';
import { comparedWithStart } from '../../../../src/engine/gates/run/shown-tests.ts';
import type { Given } from '../../../support/gates/context.ts';
import { makeProject } from '../../../support/gates/project.ts';

const PASS: Judgement = { outcome: 'pass', summary: '`npm test` succeeds' };

function results(names: Record<string, 'passed' | 'failed' | 'skipped'>, whole = true): TestResults {
  const none = { passed: 0, failed: 0, skipped: 0 };
  return { tests: new Map(Object.entries(names).map(([name, how]) => [name, { ...none, [how]: 1 }])), whole };
}

function contextAt(tree: string, kept: Map<string, unknown>, more: Given = {}): GateContext {
  const project = makeProject();
  project.remove();
  const measured = {
    read: (name: string) => kept.get(name),
    write: (name: string, value: unknown) => kept.set(name, value),
  };
  return project.context({ name: 'tests', tree, baseTree: 'start', measured, ...more });
}

/** What the gate says of a run after the start showed another one. */
function judgedAfter(
  start: TestResults | undefined,
  now: TestResults | undefined,
  more: Given = {},
): Judgement {
  const kept = new Map<string, unknown>();
  comparedWithStart(PASS, { command: 'npm test', tests: start }, contextAt('start', kept));
  return comparedWithStart(PASS, { command: 'npm test', tests: now }, contextAt('now', kept, more));
}

const TWO = results({ adds: 'passed', subtracts: 'passed' });

describe('a run that passes', () => {
  test.each<[string, TestResults | undefined, TestResults | undefined]>([
    ['shows the same tests', TWO, TWO],
    ['shows more', TWO, results({ adds: 'passed', subtracts: 'passed', divides: 'passed' })],
    ['shows others, as many', TWO, results({ adds: 'passed', 'takes away': 'passed' })],
    ['showed nothing at the start', undefined, undefined],
    ['had only failing tests at the start', results({ adds: 'failed' }), results({})],
    ['mended a test that failed', results({ adds: 'passed', b: 'failed' }), TWO],
  ])('%s: it passes', (_, start, now) => {
    expect(judgedAfter(start, now)).toEqual(PASS);
  });

  test.each<[string, TestResults | undefined, string]>([
    ['lost a test', results({ adds: 'passed' }), 'only 1 test passes'],
    ['skips a test', results({ adds: 'passed', subtracts: 'skipped' }), 'only 1 test passes'],
    ['shows no test', results({}), 'only 0 tests pass'],
    ['shows nothing any more', undefined, 'shows no tests any more'],
    ['shows half a report', { ...TWO, whole: false }, 'report is cut off'],
  ])('%s: it is unproven', (_, now, words) => {
    const judgement = judgedAfter(TWO, now);
    expect(judgement.outcome).toBe('unproven');
    expect(judgement.summary).toContain(words);
    expect(judgement.summary).toContain('2 tests passed at the start');
  });

  test('names what is missing, and how you allow it', () => {
    const lost = results({ adds: 'passed' });
    expect(judgedAfter(TWO, lost).evidence).toEqual([
      'not shown any more: subtracts',
      expect.stringContaining('untildone allow "tests: fewer tests"'),
    ]);
    const allowed = judgedAfter(TWO, lost, { allowed: ['tests: fewer tests'] });
    expect(allowed).toMatchObject({ outcome: 'pass', exceptions: ['tests: fewer tests'] });
  });

  test('is not compared where a differential gate runs the tests of the start', () => {
    expect(judgedAfter(TWO, results({}), { hasDifferential: true })).toEqual(PASS);
  });
});

test('a run that fails stays a failure', () => {
  const kept = new Map<string, unknown>();
  comparedWithStart(PASS, { command: 'npm test', tests: TWO }, contextAt('start', kept));
  const fail: Judgement = { outcome: 'fail', summary: 'fails' };
  const run = { command: 'npm test', tests: undefined };
  expect(comparedWithStart(fail, run, contextAt('now', kept))).toEqual(fail);
});
