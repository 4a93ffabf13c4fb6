import { describe, expect, test } from 'vitest';
import { compactionSummary } from '../../../../src/engine/core/words/compaction-summary.ts';
import type { Situation } from '../../../../src/engine/core/words/reason.ts';
import { verdict } from '../../../support/core/samples.ts';

const SITUATION: Situation = {
  iteration: 3,
  maxIterations: 50,
  task: 'Build the shop',
  taskFile: '/home/loops/l1/task.md',
  phase: { name: 'implement', number: 2, of: 3, instruction: 'Write the code.', next: 'verify' },
};

describe('what a summary has to keep', () => {
  test('is where the loop is, its task, its phase, what fails, what comes next and how it ends', () => {
    const text = compactionSummary({ ...SITUATION, promise: 'ALL DONE' }, [
      verdict('pass', { gate: 'lint' }),
      verdict('fail', { summary: '3 tests fail', next: 'mend the cart', evidence: ['long output'] }),
    ]);
    expect(text).toMatch(/^untildone: this session works in a loop/);
    expect(text).toContain('iteration 3 of 50, phase "implement" (2 of 3)');
    expect(text).toContain('Task:\nBuild the shop');
    expect(text).toContain('The phase "implement": Write the code.');
    expect(text).toContain('Fails: tests - 3 tests fail');
    expect(text).toContain('Next: mend the cart');
    expect(text).toContain('<promise>ALL DONE</promise>');
    expect(text).not.toContain('long output');
    expect(text).not.toContain('lint');
  });

  test('stays short, whatever the parts', () => {
    const many = Array.from({ length: 100 }, (_, i) =>
      verdict('fail', { gate: `g${i}`, summary: 's'.repeat(1000), next: 'n'.repeat(5000) }),
    );
    const phase = { name: 'implement', number: 2, of: 3, instruction: 'i'.repeat(5000), next: 'verify' };
    const text = compactionSummary(
      { ...SITUATION, task: 't'.repeat(100_000), phase, promise: 'p'.repeat(500) },
      many,
    );
    expect(text.length).toBeLessThanOrEqual(6000);
    expect(text).toContain('(The whole task is in /home/loops/l1/task.md.)');
    expect(text).toContain('</promise>');
  });
});
