import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_ASK, type GateSpec } from '../../../../src/engine/core/contract/contract.ts';
import type { AskPolicy } from '../../../../src/engine/core/run/option-values.ts';
import type { AskRule } from '../../../../src/engine/core/run/options.ts';
import { askPerson } from '../../../../src/engine/hook/guard/ask-person.ts';
import type { LoopRef } from '../../../../src/engine/ports/ports.ts';
import { type HookScene, hookScene, messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, PASS, run, type Says } from '../../../support/hook/judging.ts';

const HOUR = 3_600_000;
const JUDGE: GateSpec = { kind: 'judge', options: { question: 'Good?' } };

let scene: HookScene;
let ref: LoopRef;
let says: Record<string, Says>;
const sent: { event: string; text: string }[] = [];
beforeEach(() => {
  says = { tests: FAIL, opinion: PASS };
  sent.length = 0;
});

function begin(ask: AskPolicy | AskRule = 'wait', gates: Record<string, GateSpec> = { tests: run() }) {
  scene = hookScene(says);
  scene.judges.notifier = { send: async (_, message) => void sent.push(message) };
  const rule = typeof ask === 'string' ? { ...DEFAULT_ASK, policy: ask } : ask;
  const notify = [{ command: 'tell', on: ['needs_person'] }];
  ref = scene.begin(contractWith(gates, { done: Object.keys(gates), ask: rule, notify }));
}

const ask = (text: string, more: { options?: string[]; decided?: string } = {}) =>
  askPerson(ref, { text, options: [], ...more }, scene.ports);
const answer = (gate: string, note: string) =>
  scene.store.append(ref, () => ({ kind: 'answered', gate, said: 'answered', note }));
const bash = (command: string) => scene.hook({ name: 'PreToolUse', tool: 'Bash', input: { command } });
const prompt = (text: string) => scene.hook({ name: 'UserPromptSubmit', prompt: text });

describe('an agent that asks', () => {
  test('is let go uncounted, and you are told; your answer comes with the next prompt, once', async () => {
    begin();
    expect(ask('Which one?', { options: ['this', 'that'] })).toContain('end your turn');
    const message = messageOf(await scene.stop());
    expect(message).toContain('the agent asks you: question 1: Which one? (1: this, 2: that)');
    expect(message).toContain('untildone answer l1 "your words"');
    expect(scene.state()).toMatchObject({ iteration: 1, waiting: { why: 'approval' } });
    expect(sent).toMatchObject([{ event: 'needs_person', text: expect.stringContaining('Which one?') }]);
    answer('question 1', 'that one');
    const told = await prompt('go on');
    expect(told).toMatchObject({
      kind: 'inject',
      context: expect.stringContaining('A person answered: "that one"'),
    });
    expect(await prompt('and now')).toEqual({ kind: 'silence' });
    expect(reasonOf(await scene.stop())).toContain('Fails: tests');
    expect(scene.state().iteration).toBe(2);
  });
  test('is held with the answer, when that comes before it stops', async () => {
    begin();
    ask('Which one?');
    answer('question 1', 'the blue one');
    expect(reasonOf(await scene.stop())).toContain('A person answered: "the blue one"');
    expect(reasonOf(await scene.stop())).not.toContain('blue');
  });
  test('reads question and answer again after a compaction', async () => {
    begin();
    ask('Which one?');
    answer('question 1', 'blue');
    const again = await scene.hook({ name: 'SessionStart', source: 'compact' });
    expect(again).toMatchObject({
      context: expect.stringContaining('question 1: Which one? - a person answered: "blue"'),
    });
  });
  test('ends as done when the work is done', async () => {
    begin();
    ask('Which one?');
    says.tests = PASS;
    expect(messageOf(await scene.stop())).toContain('done, and verified');
    expect(scene.receipts[0]).toMatchObject({ questions: [{ text: 'Which one?', said: 'open' }] });
  });
  test('costs no model, and nothing is proven without it', async () => {
    begin('wait', { tests: run(), opinion: JUDGE });
    says.tests = PASS;
    ask('Which one?');
    await scene.stop();
    expect(scene.judges.judged).toEqual(['tests']);
    expect(scene.state()).toMatchObject({ status: 'active', waiting: { why: 'approval' } });
    answer('question 1', 'this');
    await prompt('go on');
    await scene.stop();
    expect(scene.judges.judged).toContain('opinion');
    expect(scene.state().status).toBe('verified_done');
  });
  test('a fourth question is refused, and the loop goes on holding', async () => {
    begin();
    for (const text of ['a', 'b', 'c']) ask(text);
    expect(() => ask('d')).toThrow('not asked: 3 questions');
    for (const n of [1, 2, 3]) answer(`question ${n}`, 'yes');
    expect(() => ask('d')).toThrow('not asked');
    expect((await scene.stop()).kind).toBe('refuse');
    expect(ask('A?')).toContain('A person answered: "yes"');
  });
  test.each([[''], [' \n\u001b[0m ']])('an empty question %j is refused', (text) => {
    begin();
    expect(() => ask(text)).toThrow('the question is empty');
  });
});

describe('a prompt of yours in the session', () => {
  test('is the answer, and the session is held again', async () => {
    begin();
    ask('Which one?');
    await scene.stop();
    const told = await prompt('take the second');
    expect(told).toMatchObject({
      kind: 'inject',
      context: expect.stringContaining('"Which one?" (question 1)'),
    });
    expect(JSON.stringify(scene.state())).not.toContain('take the second');
    expect(ask('Which one?')).toContain('sent a prompt in the session');
    expect((await scene.stop()).kind).toBe('refuse');
  });
  test.each(['<task-notification>\ndone', '/untildone:status'])('%j is none', async (text) => {
    begin();
    ask('Which one?');
    await scene.stop();
    await prompt(text);
    expect((await scene.stop()).kind).toBe('tell');
    expect(scene.state()).toMatchObject({ iteration: 1, waiting: { why: 'approval' } });
  });
});

describe('when nobody is there', () => {
  test('decide: the agent is told to, is held, and what it wrote down is an assumption', async () => {
    begin('decide');
    expect(ask('Which one?')).toContain('Decide it yourself');
    expect(reasonOf(await scene.stop())).toContain('--decided');
    expect(ask('', { decided: 'the first: it is simpler' })).toContain('Written down for question 1');
    expect(ask('How?', { decided: 'slowly' })).toContain('Written down for question 2');
    expect(reasonOf(await scene.stop())).not.toContain('--decided "your');
    says.tests = PASS;
    scene.judges.tree = 'another tree';
    await scene.stop();
    expect(scene.receipts[0]).toMatchObject({
      questions: [
        { said: 'decided', answer: 'the first: it is simpler' },
        { said: 'decided', answer: 'slowly' },
      ],
    });
    expect(scene.receipts[0]?.answers).toBeUndefined();
    expect(sent).toEqual([]);
  });
  test('wait: the agent cannot decide for you', () => {
    begin();
    expect(() => ask('Which one?', { decided: 'mine' })).toThrow('only a person answers');
    expect(scene.state().questions).toBeUndefined();
  });
  test('end: the loop ends at the Stop, and you are told that it needs you', async () => {
    begin('end');
    ask('Which one?');
    expect(messageOf(await scene.stop())).toContain('NOT done: it needs you');
    expect(scene.state()).toMatchObject({ status: 'released', ending: { cause: 'needs_person' } });
    expect(sent).toHaveLength(1);
  });
});

describe('a shell line that only asks', () => {
  test('is carried out by the hook, and prints what the agent is told', async () => {
    begin();
    const line = await bash(`untildone ask "Which 'one'?" --option A`);
    expect(line).toMatchObject({ kind: 'rewrite', permitted: true });
    expect(JSON.stringify(line)).toContain('Asked as question 1');
    expect(scene.state().questions).toMatchObject([{ text: "Which 'one'?", options: ['A'] }]);
  });
  test('says why it was refused', async () => {
    begin();
    for (const text of ['a', 'b', 'c']) ask(text);
    expect(JSON.stringify(await bash('untildone ask d'))).toMatch(/not asked: 3 questions.*exit 2/);
  });
  test('an answer is for you alone', async () => {
    begin();
    ask('Which one?');
    expect((await bash('untildone answer "mine"')).kind).toBe('refuse');
    expect((await bash('untildone ask "Other?" && untildone answer "mine"')).kind).toBe('refuse');
    expect(scene.state().questions).toHaveLength(1);
  });
});

test('the working time stands still', async () => {
  begin();
  ask('Which one?');
  await scene.stop();
  scene.now += 100 * HOUR;
  answer('question 1', 'this');
  expect((await scene.stop()).kind).toBe('refuse');
});
