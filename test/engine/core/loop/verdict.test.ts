import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blocks, sumUp } from '../../../../src/engine/core/loop/verdict.ts';
import { claim, verdict } from '../../../support/core/samples.ts';

describe('one verdict', () => {
  test('a fail is in the way, and so is what could not be judged unless the contract lets it', () => {
    expect(blocks(verdict('fail'))).toBe(true);
    expect(blocks(verdict('unproven'))).toBe(true);
    expect(blocks(verdict('unproven', { onUnproven: 'block' }))).toBe(true);
    expect(blocks(verdict('unproven', { onUnproven: 'allow' }))).toBe(false);
    expect(blocks(verdict('pass'))).toBe(false);
    expect(blocks(verdict('skip'))).toBe(false);
  });
  test('a fail holds the loop even where unproven gates are allowed', () => {
    expect(blocks(verdict('fail', { onUnproven: 'allow' }))).toBe(true);
  });
});

describe('all verdicts together', () => {
  test('one measured pass among claims is verified; claims and judgements alone are not', () => {
    expect(sumUp([claim('pass'), verdict('pass')]).result).toBe('verified');
    expect(sumUp([claim('pass')]).result).toBe('claimed');
    expect(sumUp([claim('pass'), verdict('pass', { class: 'judged' })]).result).toBe('claimed');
  });
  test('a measured gate that was skipped verifies nothing', () => {
    expect(sumUp([claim('pass'), verdict('skip')]).result).toBe('claimed');
    expect(sumUp([verdict('skip')]).result).toBe('nothing_judged');
    expect(sumUp([]).result).toBe('nothing_judged');
  });
  test('work with an unproven gate is never done, even where it is allowed', () => {
    expect(sumUp([verdict('pass'), verdict('unproven', { onUnproven: 'allow' })]).result).toBe('unproven');
  });
  test('name what is in the way, in the order of the contract', () => {
    const summary = sumUp([
      verdict('fail', { gate: 'b' }),
      verdict('pass'),
      verdict('unproven', { gate: 'a' }),
    ]);
    expect(summary).toMatchObject({ result: 'failing', blocking: [{ gate: 'b' }, { gate: 'a' }] });
  });
  test('fail exactly when one of them is in the way', () => {
    const any = fc
      .tuple(fc.constantFrom('pass', 'fail', 'unproven', 'skip'), fc.constantFrom('block', 'allow'))
      .map(([outcome, onUnproven]) => verdict(outcome as 'pass', { onUnproven: onUnproven as 'block' }));
    fc.assert(
      fc.property(fc.array(any), (verdicts) => {
        expect(sumUp(verdicts).result === 'failing').toBe(verdicts.some(blocks));
      }),
    );
  });
});
