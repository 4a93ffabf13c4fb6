import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  REASON_LIMIT,
  reasonFor,
  reminderFor,
  type Situation,
} from '../../../../src/engine/core/words/reason.ts';
import { claim, verdict } from '../../../support/core/samples.ts';

const SITUATION: Situation = {
  iteration: 3,
  maxIterations: 50,
  task: '\nBuild the todo API\n',
  taskFile: '/home/loops/l1/task.md',
  promise: 'ALL DONE',
};
const FAILING = verdict('fail', { summary: '2 tests fail', evidence: ['a.test.ts:3', 'b.test.ts:9'] });
const TAG = '<promise>ALL DONE</promise>';

describe('the reason of a block', () => {
  test('says where we are, what fails with its evidence, what passes, the task, what is next and how to finish', () => {
    expect(reasonFor(SITUATION, [FAILING, verdict('pass', { gate: 'lint' })], 'continue')).toBe(
      `untildone: iteration 3 of 50. The work is not done yet.

Fails: tests - 2 tests fail
a.test.ts:3
b.test.ts:9

Passes: lint

Task:
Build the todo API

Next: look at what is there, do what is missing, check it yourself, and go on until it is complete.

When it is completely true, and only then, end your final message with this line alone:
${TAG}`,
    );
  });
  test('says early which edits seem to weaken tests, where that is measured in the end', () => {
    const notes = Array.from({ length: 7 }, (_, i) => `a.test.ts:${i} added .skip [skip:a:${i}]`);
    const reason = reasonFor(
      SITUATION,
      [FAILING, verdict('pass', { gate: 'intact', kind: 'tests_intact', notes })],
      'continue',
    );
    expect(reason).toContain('These edits seem to weaken tests.');
    expect(reason).toContain('- a.test.ts:4 added .skip [skip:a:4]\n- and 2 more\n');
  });
  test('names what could not be judged as such, and leaves out what is allowed', () => {
    const verdicts = [
      verdict('unproven', { gate: 'slow', summary: 'no answer within 5 s' }),
      verdict('unproven', { gate: 'lax', onUnproven: 'allow' }),
      verdict('skip', { gate: 'skipped' }),
    ];
    const reason = reasonFor(SITUATION, verdicts, 'continue');
    expect(reason).toContain('Could not be judged: slow - no answer within 5 s');
    expect(reason).not.toMatch(/lax|skipped|Passes/);
  });
  test('gives the next step of the first failing gate that knows one', () => {
    const verdicts = [verdict('pass', { next: 'no' }), FAILING, verdict('fail', { next: 'Next: feature 4' })];
    const reason = reasonFor(SITUATION, verdicts, 'continue');
    expect(reason).toContain('Next: feature 4');
    expect(reason).not.toContain('Next: look at');
  });
  test('asks for a different approach when that is the instruction', () => {
    expect(reasonFor(SITUATION, [FAILING], 'different_approach')).toContain('Take a different approach');
    expect(reasonFor(SITUATION, [FAILING], 'continue')).not.toContain('different approach');
  });
  test('without a promise says that the checks are run again, and without a limit names none', () => {
    const { promise: _, ...rest } = SITUATION;
    const reason = reasonFor({ ...rest, maxIterations: 'unlimited' }, [FAILING], 'continue');
    expect(reason).toContain('The checks are run again when you stop.');
    expect(reason).toContain('untildone: iteration 3. The work');
    expect(reason).not.toContain('<promise>');
  });
  test('of a long task gives its beginning and the file with all of it', () => {
    const reason = reasonFor({ ...SITUATION, task: 'x'.repeat(1_000_000) }, [claim('fail')], 'continue');
    expect(reason).toContain('(The whole task is in /home/loops/l1/task.md: read it.)');
    expect(reason.length).toBeLessThan(3000);
  });
  test('never tells the agent how to loosen anything', () => {
    const reason = reasonFor(SITUATION, [FAILING, claim('fail')], 'different_approach');
    expect(reason).not.toMatch(/cancel|release|pause|--max|untildone \w+ |limit/);
  });
});

describe('whatever there is to say', () => {
  const long = fc.integer({ min: 0, max: 20_000 }).map((n) => 'y'.repeat(n));
  const anyFailing = fc
    .record({ summary: long, evidence: fc.array(long, { maxLength: 4 }), next: long })
    .map((v) => verdict('fail', v));
  const anyPassing = fc.integer({ min: 0, max: 3000 }).map((n) => verdict('pass', { gate: 'g'.repeat(n) }));
  const anySituation = fc
    .record({ task: long, iteration: fc.nat() })
    .map((s): Situation => ({ ...SITUATION, ...s }));

  test('it is never longer than the limit, and how to finish is always its end', () => {
    fc.assert(
      fc.property(
        anySituation,
        fc.array(fc.oneof(anyFailing, anyPassing), { maxLength: 12 }),
        fc.constantFrom('continue' as const, 'different_approach' as const),
        (situation, verdicts, instruction) => {
          for (const text of [
            reasonFor(situation, verdicts, instruction),
            reminderFor(situation, verdicts),
          ]) {
            expect(text.length).toBeLessThanOrEqual(REASON_LIMIT);
            expect(text.endsWith(TAG)).toBe(true);
            expect(text.startsWith('untildone: ')).toBe(true);
          }
        },
      ),
    );
  });
});

describe('the reminder', () => {
  test('tells a session that lost its memory where it stands', () => {
    expect(reminderFor(SITUATION, [FAILING])).toBe(
      `untildone: this session works in a loop (iteration 3 of 50); it goes on until the work is done.

Fails: tests - 2 tests fail
a.test.ts:3
b.test.ts:9

Task:
Build the todo API

Next: look at what is there, do what is missing, check it yourself, and go on until it is complete.

When it is completely true, and only then, end your final message with this line alone:
${TAG}`,
    );
  });
});

describe('a phase', () => {
  const PHASE = { name: 'plan', number: 1, of: 2, instruction: '\nWrite PLAN.md\n', next: 'build' };
  const words = reasonFor({ ...SITUATION, phase: PHASE }, [FAILING], 'continue');

  test('is where we are, what is to be done in it, and what comes after it', () => {
    expect(words).toContain('untildone: iteration 3 of 50, phase "plan" (1 of 2). The work is not done yet.');
    expect(words).toContain('The phase "plan": Write PLAN.md\nAfter it comes "build"; leave that for then.');
  });
  test('may be the last, and may say nothing', () => {
    const last = { name: 'close', number: 2, of: 2 };
    expect(reasonFor({ ...SITUATION, phase: last }, [FAILING], 'continue')).toContain(
      'The phase "close"\nIt is the last one.',
    );
  });
  test('is told again to a session that lost its memory', () => {
    expect(reminderFor({ ...SITUATION, phase: PHASE }, [FAILING])).toContain(
      'The phase "plan": Write PLAN.md',
    );
  });
  test('however long everything is, what to do and how to finish are said', () => {
    const long = { ...PHASE, instruction: 'i'.repeat(20_000) };
    const much = verdict('fail', {
      summary: 's'.repeat(300),
      evidence: ['e'.repeat(20_000)],
      next: 'n'.repeat(5000),
    });
    const text = reasonFor(
      { ...SITUATION, task: 't'.repeat(9000), phase: long },
      [much, much, much, much, much],
      'continue',
    );
    expect(text.length).toBeLessThanOrEqual(REASON_LIMIT);
    expect(text).toContain('After it comes "build"');
    expect(text).toContain(TAG);
  });
});
