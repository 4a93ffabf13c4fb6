import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, type Phase } from '../../../../src/engine/core/contract/contract.ts';
import {
  askedNames,
  countIteration,
  gatesOfPhase,
  limitsIn,
  namesOnTheWay,
  nextPhase,
  phaseOf,
  phaseSituation,
} from '../../../../src/engine/core/loop/phases.ts';

const phase = (name: string, more: Partial<Phase> = {}): Phase => ({ name, entry: [], exit: [], ...more });

const PLAN = phase('plan', { entry: ['ticket'], exit: ['plan_md'], instruction: 'Write PLAN.md' });
const BUILD = phase('build', { entry: ['agreed'], exit: ['tests'], limits: { iterations: 4 } });
const CLOSE = phase('close', { exit: ['notes', 'tests'] });
const contract = { phases: [PLAN, BUILD, CLOSE], done: ['tests', 'lint'] };
const at = (name: string) => ({ phase: { name, iteration: 1, since: 0 } });

describe('the phase of a loop', () => {
  test('is the first until one was seen', () => {
    expect(phaseOf(contract, {})).toBe(PLAN);
    expect(phaseOf(contract, at('close'))).toBe(CLOSE);
  });
  test('that a new contract no longer has is the first of the new one: the work is judged from the beginning', () => {
    expect(phaseOf({ phases: [BUILD, CLOSE] }, at('plan'))).toBe(BUILD);
  });
  test('is none without phases', () => {
    expect(phaseOf({}, at('plan'))).toBeUndefined();
    expect(phaseOf({ phases: [] }, {})).toBeUndefined();
  });
  test('is followed by the next one, the last by none', () => {
    expect([PLAN, BUILD, CLOSE].map((each) => nextPhase(contract, each)?.name)).toEqual([
      'build',
      'close',
      undefined,
    ]);
  });
});

describe('what keeps a loop in a phase', () => {
  test('its own gates, and what the next one asks for; at the beginning its own entry, at the end all of done', () => {
    expect(gatesOfPhase(contract, PLAN)).toEqual(['ticket', 'plan_md', 'agreed']);
    expect(gatesOfPhase(contract, BUILD)).toEqual(['tests']);
    expect(gatesOfPhase(contract, CLOSE)).toEqual(['notes', 'tests', 'lint']);
  });
  test('the only phase is the first and the last at once', () => {
    const only = phase('all', { entry: ['a'], exit: ['b'] });
    expect(gatesOfPhase({ phases: [only], done: ['b', 'c'] }, only)).toEqual(['a', 'b', 'c']);
  });
  test('without phases it is done', () => {
    expect(askedNames({ done: ['tests'] }, at('plan'))).toEqual(['tests']);
    expect(askedNames(contract, at('build'))).toEqual(['tests']);
  });
  test('on the whole way each gate stands once', () => {
    expect(namesOnTheWay(contract)).toEqual(['ticket', 'plan_md', 'agreed', 'tests', 'notes', 'lint']);
    expect(namesOnTheWay({ done: ['a', 'a'] })).toEqual(['a']);
  });
});

test('what is said about a phase: its number, what is to be done, what comes next', () => {
  expect(phaseSituation(contract, PLAN)).toEqual({
    name: 'plan',
    number: 1,
    of: 3,
    instruction: 'Write PLAN.md',
    next: 'build',
  });
  expect(phaseSituation(contract, CLOSE)).toEqual({ name: 'close', number: 3, of: 3 });
});

test('the limits are those of the loop with those of the phase beside them', () => {
  expect(limitsIn(DEFAULT_LIMITS, BUILD)).toEqual({
    ...DEFAULT_LIMITS,
    phase: { name: 'build', iterations: 4 },
  });
  expect(limitsIn(DEFAULT_LIMITS, PLAN)).toBe(DEFAULT_LIMITS);
  expect(limitsIn(DEFAULT_LIMITS, undefined)).toBe(DEFAULT_LIMITS);
});

test('an iteration of the loop is one of its phase', () => {
  expect(countIteration({ iteration: 3 })).toEqual({ iteration: 4 });
  expect(countIteration({ iteration: 3, phase: { name: 'p', iteration: 0, since: 7 } })).toEqual({
    iteration: 4,
    phase: { name: 'p', iteration: 1, since: 7 },
  });
});
