import { expect, test } from 'vitest';
import { tasksGate } from '../../../../src/engine/gates/tasks/index.ts';
import type { TaskList } from '../../../../src/engine/ports/ports.ts';
import { gateContext } from '../../../support/gates/context.ts';
import { noAbort } from '../../../support/gates/project.ts';

type Tasks = Awaited<ReturnType<TaskList['open']>>;

async function judge(open: Tasks) {
  const asked: string[] = [];
  const tasks: TaskList = {
    open: async (session) => {
      asked.push(session);
      return open;
    },
  };
  const judgement = await tasksGate.judge({}, gateContext({ session: 'abc', tasks }), noAbort);
  expect(asked).toEqual(['abc']);
  return judgement;
}

test('a session without a task list is skipped', async () => {
  expect(await judge(undefined)).toMatchObject({ outcome: 'skip' });
});

test('a list with nothing open passes', async () => {
  expect(await judge([])).toMatchObject({ outcome: 'pass', summary: 'no task is open' });
});

test('open tasks fail by name, the one in progress first', async () => {
  const judgement = await judge([
    { id: '2', subject: 'Write tests', status: 'pending' },
    { id: '3', subject: 'Fix the cart', status: 'in_progress' },
  ]);
  expect(judgement).toMatchObject({
    outcome: 'fail',
    summary: '2 tasks are open; next: Fix the cart',
    evidence: ['task 2 (pending): Write tests', 'task 3 (in progress): Fix the cart'],
  });
  expect(judgement.next).toContain('task 3: Fix the cart');
});

test('progress changes the fingerprint', async () => {
  const pending = await judge([{ id: '2', subject: 'Write tests', status: 'pending' }]);
  const begun = await judge([{ id: '2', subject: 'Write tests', status: 'in_progress' }]);
  expect(pending.fingerprint).not.toBe(begun.fingerprint);
});
