import { expect, test } from 'vitest';
import type { HookEvent } from '../../../../src/engine/core/loop/event.ts';
import type { Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { guardReason } from '../../../../src/engine/core/words/guards.ts';

const FOUND: Verdict = {
  gate: 'tidy',
  kind: 'forbid',
  class: 'measured',
  outcome: 'fail',
  summary: '1 forbidden line was added since the start: 1 placeholder',
  evidence: ['src/a.ts:3 placeholder (not implemented): throw new Error("not implemented")'],
  next: 'remove these lines, or finish what they stand for',
};
const event = (fields: object) => ({ session: 's', ...fields }) as HookEvent;
const completed = (subject: string) => event({ name: 'TaskCompleted', taskId: '3', subject });

test('a task that is held back is told what it is about, where it is wrong, what to do, and when it is checked', () => {
  expect(guardReason(completed('Write the parser'), [FOUND])).toBe(
    [
      'untildone: task 3 "Write the parser" is not completed yet. Fix this first.',
      `Fails: tidy - ${FOUND.summary}\n${FOUND.evidence?.[0]}`,
      'Next: remove these lines, or finish what they stand for',
      'Then mark it as completed again: it is checked each time.',
    ].join('\n\n'),
  );
});

test('a teammate is called by name', () => {
  const reason = guardReason(event({ name: 'TeammateIdle', teammate: 'ada', team: 't' }), [FOUND]);
  expect(reason).toContain('untildone: ada, your work is not finished yet.');
  expect(reason).toContain('src/a.ts:3');
});

test('what a task says is not repeated where it is what is wrong, nor is a secret anywhere', () => {
  const text: Verdict = { ...FOUND, gate: 'no-secrets', kind: 'text', evidence: ['line 1: secrets'] };
  expect(guardReason(completed('use hunter2'), [text])).not.toContain('hunter2');
  expect(
    guardReason(event({ name: 'TaskCreated', taskId: '1', subject: 'use hunter2' }), [FOUND]),
  ).not.toContain('hunter2');
  expect(guardReason(completed('with password=hunter2horse'), [FOUND])).not.toContain('hunter2horse');
});

test('nothing from outside makes it long', () => {
  const long = { ...FOUND, evidence: ['x'.repeat(20_000)], next: 'y'.repeat(20_000) };
  expect(guardReason(completed('z'.repeat(20_000)), Array(20).fill(long)).length).toBeLessThanOrEqual(9000);
});
