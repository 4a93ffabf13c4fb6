import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allTold,
  answer,
  approvedText,
  askedIfRepeated,
  newAnswers,
  newApprovals,
} from '../../../../src/engine/core/loop/questions.ts';
import type { Answered } from '../../../../src/engine/core/loop/state.ts';
import { sayMoment } from '../../../../src/engine/core/text/duration.ts';
import { T0, verdict } from '../../../support/core/samples.ts';
import { workMs } from '../../../support/work-time.ts';

const said = (what: Answered['said'], more: Partial<Answered> = {}): Answered => ({
  said: what,
  at: T0,
  ...more,
});

describe('what a person approves of a text', () => {
  const PLAN = '# Plan\n\n- [ ] one\n  * [ ] deeper\n1. [ ] numbered\n2) [ ] numbered, too\n';
  test.each([
    ['ticks', PLAN.replace(/\[ \]/g, '[x]')],
    ['large ticks', PLAN.replace(/\[ \]/g, '[X]')],
    ['spaces at line ends', PLAN.replace(/\n/g, '  \t\n')],
    ['the line ends of another system', PLAN.replace(/\n/g, '\r\n')],
    ['empty lines around it', `\n\n${PLAN}\n\n`],
    ['what a loop keeps in it', `${PLAN}\n<!-- untildone:begin -->\n- Passes: one\n<!-- untildone:end -->\n`],
  ])('%s change nothing', (_, changed) => {
    expect(approvedText(changed)).toBe(approvedText(PLAN));
  });
  test.each([
    ['another word', PLAN.replace('one', 'two')],
    ['an item more', `${PLAN}- [ ] and delete the tests\n`],
    ['an item less', PLAN.replace('- [ ] one\n', '')],
    ['the order', PLAN.replace('one', 'x').replace('deeper', 'one').replace('x', 'deeper')],
    ['an item that is none any more', PLAN.replace('- [ ] one', '- one')],
    ['a box in the middle of a line', PLAN.replace('one', 'one [x]')],
    ['the indentation', PLAN.replace('  * ', '* ')],
    ['what is hidden in a comment', PLAN.replace('# Plan', '# Plan\n<!-- skip the tests -->')],
  ])('%s is a change', (_, changed) => {
    expect(approvedText(changed)).not.toBe(approvedText(PLAN));
  });
  test('whatever the text, what is left of it stays as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('-', ' ', '[', 'x', ']', '\n', '1', '.', '\t', '\r') }),
        (text) => {
          const once = approvedText(text);
          expect(approvedText(once)).toBe(once);
        },
      ),
    );
  });
  test('a long line of spaces costs no time', () => {
    const began = workMs();
    approvedText(`${' '.repeat(50_000)}x\n${'\n'.repeat(50_000)}-`);
    expect(workMs() - began).toBeLessThan(2000);
  });
});

describe('answers', () => {
  test('the newest to a question takes the place of the one before, and stands last', () => {
    const once = answer(answer({}, 'a', said('rejected')), 'b', said('approved'));
    expect(Object.entries(answer(once, 'a', said('approved')))).toEqual([
      ['b', said('approved')],
      ['a', said('approved')],
    ]);
  });
  test('only so many are remembered, the newest', () => {
    let answers: Record<string, Answered> = {};
    for (let i = 0; i < 200; i++) answers = answer(answers, `q${i}`, said('approved'));
    expect(Object.keys(answers)).toHaveLength(50);
    expect(Object.keys(answers).at(-1)).toBe('q199');
  });
  test('names that every object has are names like others', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const answers = answer({}, name, said('approved'));
      expect(Object.keys(answers)).toEqual([name]);
      expect(Object.keys(allTold(answers))).toEqual([name]);
      expect(newAnswers(answers)).toContain(`approved ${name}`);
    }
  });
});

describe('what the agent is told', () => {
  const answers = {
    plan: said('approved', { note: 'but in blue' }),
    design: said('rejected', { note: 'too large' }),
    cost: said('approved'),
  };
  test('each answer with its words, once', () => {
    expect(newAnswers(answers)).toBe(
      [
        'untildone: a person approved plan: "but in blue". Go on with what comes next.',
        'untildone: a person rejected design: "too large". Change the work accordingly; they are asked again.',
        'untildone: a person approved cost. Go on with what comes next.',
      ].join('\n'),
    );
    expect(newAnswers(allTold(answers))).toBeUndefined();
    expect(newAnswers({})).toBeUndefined();
  });
  test('where the gate itself says what was rejected, only what was approved', () => {
    expect(newApprovals(answers)).not.toContain('design');
    expect(newApprovals(answers)).toContain('but in blue');
    expect(newApprovals({ design: answers.design })).toBeUndefined();
  });
});

test('when it was said, for people', () => {
  expect(sayMoment(said('approved').at)).toBe('2026-01-01 00:00 UTC');
});

describe('a question that is asked when the agent insists', () => {
  const found = verdict('fail', { gate: 'honest', fingerprint: 'f', asksIfRepeated: 'may it stay?' });
  const line = (fingerprint: string, outcome: 'fail' | 'pass' = 'fail') => ({
    gates: [
      { name: 'honest', class: 'measured' as const, verdict: outcome, summary: '', fingerprint, since: 1 },
    ],
  });
  test('is not asked at the first Stop, nor about something new', () => {
    for (const state of [{ gates: [] }, line('g'), line('f', 'pass')])
      expect(askedIfRepeated(found, state).asks).toBeUndefined();
  });
  test('is asked when the same comes again', () => {
    expect(askedIfRepeated(found, line('f'))).toMatchObject({ outcome: 'fail', asks: 'may it stay?' });
  });
  test('other verdicts stay as they are', () => {
    const other = verdict('fail', { gate: 'honest', fingerprint: 'f' });
    expect(askedIfRepeated(other, line('f'))).toBe(other);
  });
});
