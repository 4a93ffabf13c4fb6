import { expect, test } from 'vitest';
import type { WakeUp } from '../../../../src/engine/core/loop/event.ts';
import { describeWait } from '../../../../src/engine/core/words/endings.ts';
import { hookScene, messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, run } from '../../../support/hook/judging.ts';

const GATES = { tests: run('npm test') };
const once = (schedule: string): { wakeUps: WakeUp[] } => ({
  wakeUps: [{ id: 'w1', schedule, recurring: false }],
});
const read = { transcript: '/t.jsonl' };
const soon = once('*/5 * * * *');

/** The local time that is so many hours after `now`, as a wake-up names it. */
function inHours(hours: number, now: number): { wakeUps: WakeUp[] } {
  const at = new Date(now + hours * 3_600_000);
  return once(`${at.getMinutes()} ${at.getHours()} * * *`);
}

test('wake-up after wake-up: the loop ends at the first Stop over its tokens, with the cause', async () => {
  const scene = hookScene({ tests: () => FAIL });
  const contract = contractWith(GATES);
  scene.begin({ ...contract, limits: { ...contract.limits, tokens: 1000, iterations: 3 } });
  const answers = [];
  for (let n = 1; n <= 6; n++) {
    scene.ports.transcripts.usage = () => ({ offset: n, tokens: 400, skippedBytes: 0 });
    answers.push(await scene.stop({ ...soon, ...read, promptId: `p${n}` }));
    if (scene.state().status !== 'active') break;
    await scene.hook({ name: 'UserPromptSubmit', prompt: 'wake up' });
  }
  expect(answers.map(({ kind }) => kind)).toEqual(['silence', 'silence', 'tell']);
  expect(messageOf(answers[2] ?? { kind: 'silence' })).toContain('1,200 of 1,000 tokens');
  expect(scene.lastEntry()).toMatchObject({
    kind: 'stop',
    decision: { kind: 'end', status: 'reached_limit', cause: 'tokens' },
  });
  expect(scene.state()).toMatchObject({ status: 'reached_limit', ending: { cause: 'tokens' }, iteration: 1 });
});

test('a wake-up that is far away, or long past, does not excuse; the journal has it', async () => {
  const scene = hookScene({ tests: () => FAIL });
  scene.begin(contractWith(GATES));
  for (const hours of [3, 20, -1]) {
    expect((await scene.stop({ ...inHours(hours, scene.now), lastMessage: `${hours}` })).kind).toBe('refuse');
    expect(scene.lastEntry()).toMatchObject({ seen: { wakeUps: { once: 0, recurring: 0, later: 1 } } });
    scene.judges.tree = `tree ${hours}`;
  }
  expect((await scene.stop(inHours(1, scene.now))).kind).toBe('silence');
  expect(describeWait(scene.state())).toBe('waiting for a wake-up (1 scheduled)');
});

test('background work that is always new is waited for eight times; then the agent is held and told why', async () => {
  const scene = hookScene({ tests: () => FAIL });
  scene.begin(contractWith(GATES));
  const backgroundTask = (n: number) => ({
    id: `b${n}`,
    type: 'shell',
    status: 'running',
    description: 'sleep',
  });
  const kinds = [];
  for (let n = 0; n < 8; n++) kinds.push((await scene.stop({ backgroundTasks: [backgroundTask(n)] })).kind);
  expect(new Set(kinds)).toEqual(new Set(['silence']));
  expect(scene.state().iteration).toBe(1);
  const held = await scene.stop({ backgroundTasks: [backgroundTask(8)] });
  expect(reasonOf(held)).toContain('You stopped 8 times to wait for background work or a wake-up');
  expect(scene.state().iteration).toBe(2);
  // Nothing is waited for any more, so that is not said.
  expect(reasonOf(await scene.stop({ lastMessage: 'hm' }))).not.toContain('You stopped 8 times');
});

test('what was spent while a loop was paused counts when it goes on', async () => {
  const scene = hookScene({ tests: () => FAIL });
  const contract = contractWith(GATES);
  const ref = scene.begin({ ...contract, limits: { ...contract.limits, tokens: 1000 } });
  scene.store.append(ref, () => ({ kind: 'command', command: 'pause' }));
  scene.ports.transcripts.usage = () => ({ offset: 9, tokens: 3_000_000, skippedBytes: 0 });
  expect((await scene.stop({ ...soon, ...read })).kind).toBe('silence');
  expect(scene.state()).toMatchObject({ status: 'paused', spent: { tokens: 0 } });
  scene.store.append(ref, () => ({ kind: 'command', command: 'resume' }));
  await scene.stop({ ...soon, ...read });
  expect(scene.state()).toMatchObject({ status: 'reached_limit', ending: { cause: 'tokens' } });
});
