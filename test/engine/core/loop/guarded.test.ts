import { describe, expect, test } from 'vitest';
import { guardedAfter } from '../../../../src/engine/core/loop/state.ts';
import { verdict } from '../../../support/core/samples.ts';

const FAILS = [verdict('fail')];
const PASSES = [verdict('pass')];

describe('how often something was held', () => {
  test('counts refusals, each for itself', () => {
    const once = guardedAfter({ 'task 2': 3 }, { subject: 'task 1', refused: true, verdicts: FAILS });
    expect(once).toEqual({ 'task 2': 3, 'task 1': 1 });
    expect(guardedAfter(once, { subject: 'task 1', refused: true, verdicts: FAILS })['task 1']).toBe(2);
  });
  test('begins anew with what passes, and not with what was only let go', () => {
    const before = { 'task 1': 8, prompt: 2 };
    expect(guardedAfter(before, { subject: 'task 1', refused: false, verdicts: FAILS })).toEqual(before);
    expect(guardedAfter(before, { subject: 'task 1', refused: false, verdicts: PASSES })).toEqual({
      prompt: 2,
    });
  });
  test('is remembered of the newest only', () => {
    let guarded: Record<string, number> = {};
    for (let i = 0; i < 200; i++)
      guarded = guardedAfter(guarded, { subject: `task ${i}`, refused: true, verdicts: FAILS });
    expect(Object.keys(guarded)).toHaveLength(50);
    expect(guarded['task 199']).toBe(1);
  });
  test('has nothing that every object has', () => {
    const refused = { subject: 'constructor', refused: true, verdicts: FAILS };
    expect(guardedAfter({}, refused)).toEqual({ constructor: 1 });
  });
});
