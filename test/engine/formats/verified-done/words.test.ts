import { describe, expect, test } from 'vitest';
import { DIFFERENT_APPROACH, REASON_LIMIT } from '../../../../src/engine/core/words/reason.ts';
import { verdict } from '../../../support/core/samples.ts';
import {
  FINISHED,
  firstLine,
  held,
  inGit,
  judged,
  LOOP,
  loop,
  ORCHESTRATOR,
  project,
  put,
  QUALITY,
  reason,
  useStateFolder,
} from '../../../support/formats/verified-done-state.ts';
import { write } from '../../../support/project/project-scene.ts';

useStateFolder();

describe('the instruction', () => {
  test("begins with the document's sentences in its order", async () => {
    inGit();
    write(project(), 'a.ts', 'changed');
    put('orchestrator.json', ORCHESTRATOR);
    put('tasks/1.json', { status: 'pending' });
    put('tasks/2.json', { status: 'in_progress' });
    put('quality-gate.json', QUALITY);
    expect(await firstLine()).toBe(
      "Orchestrator phase 'implementation' not complete. 2 pending/in-progress tasks. " +
        'Uncommitted changes detected. Quality gate failed. Fix issues before stopping.',
    );
    put('loop.json', LOOP);
    expect(await firstLine()).toContain('not complete. Loop iteration 5 of 25 not complete. 2 pending');
  });

  test('says where we are, what to do and how to finish', async () => {
    put('orchestrator.json', ORCHESTRATOR);
    const text = await reason();
    expect(text).toContain('untildone: iteration 4 of 25.');
    expect(text).toContain('Task:\nimplement auth');
    expect(text).toContain('Next: Finish the implementation, then set conditions.implementation_complete.');
    expect(text).toContain('untildone state set s1 orchestrator conditions.NAME=true');
    expect(text).toContain('untildone state complete s1');
    expect(text).not.toContain(DIFFERENT_APPROACH);
    expect(await reason({ instruction: 'different_approach' })).toContain(DIFFERENT_APPROACH);
    expect(await reason({ promise: 'ALL GREEN' })).toContain('<promise>ALL GREEN</promise>');
    expect(await reason({ notes: ['Something was changed.'] })).toContain('Something was changed.');
  });

  test('the person gets one line', async () => {
    put('orchestrator.json', ORCHESTRATOR);
    const { message } = loop().instruct(held(await judged()));
    expect(message).toBe(
      "untildone: VERIFIED_DONE not reached, iteration 4 of 25. Orchestrator phase 'implementation' not complete.",
    );
  });

  test('nor is one that a gate of the very same name disproves, as the preset has them', async () => {
    put('orchestrator.json', FINISHED);
    const text = await reason({}, [verdict('fail', { gate: 'plan_approved' })]);
    expect(text).toContain('conditions.plan_approved is set, but the gate `plan_approved` fails: it is not');
  });

  test('a flag that a gate of the contract disproves is not believed', async () => {
    put('orchestrator.json', FINISHED);
    put('quality-gate.json', { stages: { security: { status: 'passed' }, quality: { status: 'pending' } } });
    const others = [
      verdict('fail', { gate: 'correctness', summary: 'exit code 2', evidence: ['src/a.ts:1 error'] }),
      verdict('unproven', { gate: 'security', summary: 'no such tool' }),
      verdict('pass', { gate: 'quality' }),
      verdict('fail', { gate: 'tests', next: 'fix a.test.ts' }),
    ];
    const text = await reason({}, others);
    expect(text).toMatch(/^The work is not done yet\.\n/);
    expect(text).toContain(
      'conditions.correctness_passed is set, but the gate `correctness` fails: it is not believed.\n' +
        'stages.security is set, but the gate `security` could not be judged: it is not believed.\n\n',
    );
    expect(text).toContain('Fails: correctness - exit code 2\nsrc/a.ts:1 error');
    expect(text).toContain('Fails: tests - fail');
    expect(text).toContain('Next: fix a.test.ts');
    expect(text).not.toContain('quality_passed is set');
    expect(text).not.toContain('state complete');
    const { message } = loop().instruct(held([...(await judged()), ...others]));
    expect(message).toContain('Gates that do not pass: correctness, security, tests.');
  });

  test('is never too long, and its end is never cut off', async () => {
    const long = 'long words '.repeat(5000);
    put('orchestrator.json', {
      ...ORCHESTRATOR,
      task: long,
      phase: long,
      conditions: { ...ORCHESTRATOR.conditions, [long]: false },
    });
    put('loop.json', { ...LOOP, task: 'other', last_error: `${long}\n`.repeat(50) });
    const stages = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`s${i}`, { status: 'failed', details: long }]),
    );
    put('quality-gate.json', { last_result: 'failed', stages });
    for (let i = 0; i < 30; i++) put(`tasks/${i}.json`, { status: 'pending', subject: long });
    const others = [verdict('fail', { summary: 'no', evidence: [long], next: long })];
    const text = await reason({ instruction: 'different_approach', promise: 'P' }, others);
    expect(text.length).toBeLessThanOrEqual(REASON_LIMIT);
    expect(text.endsWith('<promise>P</promise>')).toBe(true);
    expect(text).toContain('(The whole task is in /tasks/task.md: read it.)');
  });
});
