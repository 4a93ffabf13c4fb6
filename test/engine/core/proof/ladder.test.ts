import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combine, type Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import {
  evidenceOf,
  ladderLines,
  ladderOf,
  RUNGS,
  restsOn,
} from '../../../../src/engine/core/proof/ladder.ts';
import { claim, verdict } from '../../../support/core/samples.ts';

const ran = (gate: string, more: Partial<Verdict> = {}, room?: 'clean') =>
  verdict('pass', { gate, proof: { command: gate, exitCode: 0, ...(room && { room }) }, ...more });
const review = verdict('pass', { gate: 'review', kind: 'judge', class: 'judged' });
const differential = ran('diff', { kind: 'differential' }, 'clean');
const holdout = ran('hidden', { kind: 'holdout' }, 'clean');
const laddered = (verdicts: Verdict[], beside = {}) => ladderOf(verdicts.map(evidenceOf), beside);
const weakIn = (verdicts: Verdict[], beside = {}) => laddered(verdicts, beside).weak.map(({ text }) => text);

describe('the highest rung', () => {
  test.each<[string, Verdict[], object, string | null]>([
    ['nothing passed', [verdict('fail')], {}, null],
    ['a promise', [claim('pass')], {}, 'claimed'],
    ['a model', [claim('pass'), review], {}, 'judged'],
    ['a command in the project', [ran('tests'), review], {}, 'measured_in_place'],
    ['a gate that only reads', [verdict('pass', { kind: 'forbid' })], {}, 'measured_in_place'],
    ['a clean room', [ran('tests', {}, 'clean'), ran('lint')], {}, 'clean_room'],
    ['differential', [ran('tests', {}, 'clean'), differential], {}, 'differential'],
    ['held out', [differential, holdout], {}, 'held_out'],
    ['countersigned', [ran('tests')], { countersignedBy: 'CI' }, 'countersigned'],
    ['inside another gate', [combine('all', 'ready', [ran('tests', {}, 'clean')])], {}, 'clean_room'],
    [
      'a child that is not needed',
      [combine('any', 'ready', [ran('tests'), verdict('fail')])],
      {},
      'measured_in_place',
    ],
    [
      'a differential that did not pass',
      [ran('tests'), verdict('skip', { kind: 'differential' })],
      {},
      'measured_in_place',
    ],
  ])('%s', (_, verdicts, beside, rung) => expect(laddered(verdicts, beside).rung).toBe(rung));
});

describe('the weakest link is named', () => {
  test.each<[string, Verdict[], string[]]>([
    ['nothing weak', [ran('tests', {}, 'clean')], []],
    ['a claim beside measured gates', [ran('tests'), claim('pass')], ['promise is only claimed']],
    ['a judgement', [ran('tests'), review], ['review is judged by a model or a person, not measured']],
    [
      'a command in place beside a clean room',
      [ran('tests', {}, 'clean'), ran('lint')],
      ['lint was measured in place, beside others in a clean room'],
    ],
    [
      'a gate that only reads is not weak',
      [ran('tests', {}, 'clean'), verdict('pass', { gate: 'tidy', kind: 'forbid' })],
      [],
    ],
    [
      'a change is no claim',
      [ran('tests'), verdict('pass', { gate: 'changed', kind: 'changed', class: 'claimed' })],
      [],
    ],
    [
      'an old verdict',
      [ran('tests', { reused: true })],
      ['tests is the verdict of an earlier Stop: nothing that it names has changed'],
    ],
    [
      'a flaky gate',
      [ran('tests', { flaky: true })],
      ['tests is flaky: the same tree and command had different outcomes'],
    ],
    ['a note', [ran('tests', { notes: ['n'] })], ['tests: n']],
    ['an exception', [ran('tests', { exceptions: ['e'] })], ['tests, allowed by a person: e']],
    [
      'a skipped gate',
      [ran('tests'), verdict('skip', { gate: 'ci', summary: 'no CI' })],
      ['ci was skipped: no CI'],
    ],
    [
      'inside another gate',
      [combine('all', 'ready', [ran('tests'), claim('pass')])],
      ['promise is only claimed'],
    ],
    ['not in a child that is not needed', [combine('any', 'ready', [ran('tests'), claim('fail')])], []],
  ])('%s', (_, verdicts, expected) => expect(weakIn(verdicts)).toEqual(expected));
  test('what was allowed by name', () => {
    expect(weakIn([ran('tests')], { allowed: ['deleted:a'] })).toEqual(['allowed by hand: deleted:a']);
  });
  test('what a differential leaves open, as numbers or as lists', () => {
    const found = {
      old: { passed: 3, failed: 0, missing: 0, flaky: 1 },
      vacuous: ['a', 'b'],
      untested: 2,
      allowed: ['x'],
      byModel: 1,
      biting: 4,
    };
    const proof = {
      command: 'npm test',
      exitCode: 0,
      room: 'clean',
      differential: found,
    } as unknown as Verdict['proof'];
    expect(weakIn([ran('diff', { kind: 'differential', proof })])).toEqual([
      'diff: 1 × tests whose old form fails, allowed by a person',
      'diff: 1 × tests whose old form fails, accepted by a model',
      'diff: 2 × new or changed tests that also pass on the old code',
      'diff: 2 × changed places without which all tests still pass',
      'diff: 1 × flaky tests',
    ]);
  });
});

describe('in words', () => {
  test('one line says the rung, its gates and the weakest link', () => {
    expect(restsOn(laddered([ran('tests')]))).toBe('measured in place (tests)');
    const many = [ran('tests', { flaky: true }, 'clean'), ran('lint'), claim('pass')];
    expect(restsOn(laddered(many))).toBe(
      'in a clean room (tests); weakest link: promise is only claimed and 2 more',
    );
    expect(restsOn(laddered([]))).toBe('nothing');
  });
  test('every rung has a line, reached or not', () => {
    const lines = ladderLines(laddered([ran('tests'), claim('pass')]));
    expect(lines.filter((line) => line.startsWith('['))).toHaveLength(RUNGS.length);
    expect(lines).toContain('[x] claimed            promise');
    expect(lines).toContain('[ ] countersigned');
    expect(lines).toContain('weak: promise is only claimed');
  });
});

describe('properties', () => {
  const anyLeaf = fc.record({
    gate: fc.constantFrom('a', 'b', 'c', 'd'),
    kind: fc.constantFrom('run', 'promise', 'judge', 'differential', 'holdout', 'forbid'),
    class: fc.constantFrom('measured' as const, 'judged' as const, 'claimed' as const),
    outcome: fc.constantFrom('pass' as const, 'fail' as const, 'skip' as const),
    summary: fc.constant('s'),
    proof: fc.option(
      fc.record({ command: fc.constant('c'), room: fc.constantFrom('clean' as const, undefined) }),
      { nil: undefined },
    ),
  });
  test('the rung does not depend on the order of the gates', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyLeaf, { selector: ({ gate }) => gate }), (verdicts) => {
        expect(laddered(verdicts.toReversed()).rung).toBe(laddered(verdicts).rung);
      }),
    );
  });
  test('a further gate never takes a rung away, and never hides a weak link', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyLeaf, { selector: ({ gate }) => gate }), anyLeaf, (verdicts, more) => {
        fc.pre(verdicts.every(({ gate }) => gate !== more.gate));
        const [before, after] = [laddered(verdicts), laddered([...verdicts, more])];
        for (const [i, { reached }] of before.rungs.entries())
          if (reached) expect(after.rungs[i]?.reached).toBe(true);
        for (const { text } of before.weak) expect(after.weak.map((link) => link.text)).toContain(text);
      }),
    );
  });
  test('every passing claim and judgement is named', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyLeaf, { selector: ({ gate }) => gate }), (verdicts) => {
        const weak = new Set(laddered(verdicts).weak.map(({ gate }) => gate));
        for (const { gate, class: given, outcome } of verdicts)
          if (outcome === 'pass' && given !== 'measured') expect(weak).toContain(gate);
      }),
    );
  });
});
