import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combine, sumUp, type Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { verdict } from '../../../support/core/samples.ts';

const named = (gate: string, outcome: Verdict['outcome'], more: Partial<Verdict> = {}) =>
  verdict(outcome, { gate, summary: `${gate} ${outcome}`, ...more });
const outcomes = (how: 'all' | 'any', ...given: Verdict['outcome'][]) =>
  combine(
    how,
    'both',
    given.map((outcome, i) => named(`g${i}`, outcome)),
  ).outcome;

describe('all', () => {
  test.each<[Verdict['outcome'], Verdict['outcome'][]]>([
    ['pass', ['pass', 'pass']],
    ['fail', ['pass', 'fail']],
    ['fail', ['unproven', 'fail']],
    ['unproven', ['pass', 'unproven']],
    ['pass', ['pass', 'skip']],
    ['fail', ['skip', 'fail']],
    ['skip', ['skip', 'skip']],
    ['skip', []],
  ])('is %s for %j', (expected, given) => expect(outcomes('all', ...given)).toBe(expected));
});

describe('any', () => {
  test.each<[Verdict['outcome'], Verdict['outcome'][]]>([
    ['pass', ['fail', 'pass']],
    ['pass', ['unproven', 'pass']],
    ['unproven', ['fail', 'unproven']],
    ['fail', ['fail', 'fail']],
    ['fail', ['skip', 'fail']],
    ['skip', ['skip', 'skip']],
    ['skip', []],
  ])('is %s for %j', (expected, given) => expect(outcomes('any', ...given)).toBe(expected));
});

describe('what they rest on', () => {
  const claimed = (outcome: Verdict['outcome']) => named('claimed', outcome, { class: 'claimed' });
  const judged = (outcome: Verdict['outcome']) => named('judged', outcome, { class: 'judged' });
  const measured = (outcome: Verdict['outcome']) => named('measured', outcome);
  test('any is only as strong as the child that passed', () => {
    expect(combine('any', 'x', [measured('fail'), claimed('pass')]).class).toBe('claimed');
    expect(combine('any', 'x', [measured('fail'), judged('pass'), claimed('pass')]).class).toBe('judged');
    expect(combine('any', 'x', [measured('pass'), claimed('pass')]).class).toBe('measured');
  });
  test('a claim does not become proof by standing beside a failing or skipped measurement', () => {
    expect(sumUp([combine('any', 'x', [measured('fail'), claimed('pass')])]).result).toBe('claimed');
    expect(sumUp([combine('all', 'x', [measured('skip'), claimed('pass')])]).result).toBe('claimed');
  });
  test('all is measured when something in it was', () => {
    expect(combine('all', 'x', [measured('pass'), claimed('pass')]).class).toBe('measured');
    expect(combine('all', 'x', [judged('pass'), claimed('pass')]).class).toBe('judged');
  });
});

describe('what they say', () => {
  const children = [
    named('tests', 'fail', { evidence: ['a.test.ts:3'], fingerprint: 'f1', next: 'fix a' }),
    named('lint', 'pass'),
    named('ci', 'unproven', { next: 'wait' }),
    named('old', 'skip'),
  ];
  test('every child keeps its own verdict', () => {
    expect(combine('all', 'ready', children).children).toEqual(children);
  });
  test('the open ones are named with their evidence, and the first next step is kept', () => {
    expect(combine('all', 'ready', children)).toMatchObject({
      gate: 'ready',
      kind: 'all',
      summary: 'open: tests, ci',
      evidence: ['tests: tests fail', 'a.test.ts:3', 'ci: ci unproven'],
      next: 'fix a',
    });
  });
  test('what made it pass is named', () => {
    expect(combine('any', 'ready', children).summary).toBe('passed by lint');
  });
  test('where nothing applied, that is said', () => {
    expect(combine('any', 'ready', [named('old', 'skip')]).summary).toBe('open: nothing applied');
  });
  test('the same failures have the same fingerprint, other failures another', () => {
    const print = (f: string) =>
      combine('all', 'x', [named('a', 'fail', { fingerprint: f, summary: `took ${f}` })]).fingerprint;
    expect(print('f1')).toBe(print('f1'));
    expect(print('f1')).not.toBe(print('f2'));
  });
});

const anyOutcome = fc.constantFrom<Verdict['outcome']>('pass', 'fail', 'unproven', 'skip');

test('one more failing child never makes it pass', () => {
  fc.assert(
    fc.property(fc.constantFrom('all', 'any'), fc.array(anyOutcome), (how, given) => {
      const before = outcomes(how as 'all', ...given);
      const after = outcomes(how as 'all', ...given, 'fail');
      if (before !== 'pass') expect(after).not.toBe('pass');
      if (how === 'all') expect(after).toBe('fail');
    }),
  );
});

test('the order of the children does not matter for the outcome', () => {
  fc.assert(
    fc.property(fc.constantFrom('all', 'any'), fc.array(anyOutcome), (how, given) => {
      expect(outcomes(how as 'all', ...given.toReversed())).toBe(outcomes(how as 'all', ...given));
    }),
  );
});

test('a part that asks to end the work asks for the whole, whatever the others say', () => {
  const asks = named('hook', 'pass', { letGo: 'the budget is spent' });
  for (const how of ['all', 'any'] as const) {
    expect(combine(how, 'both', [named('tests', 'fail'), asks]).letGo).toBe('the budget is spent');
    expect(combine(how, 'both', [named('tests', 'fail')]).letGo).toBeUndefined();
  }
});
