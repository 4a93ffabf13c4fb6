import { beforeEach, describe, expect, test } from 'vitest';
import type { Contract, GateSpec } from '../../../../src/engine/core/contract/contract.ts';
import { messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { all, any, contractWith, FAIL, PASS, run, type Says } from '../../../support/hook/judging.ts';
import { approve, GATES, type PhaseScene, phase, phaseScene } from '../../../support/hook/phase-scene.ts';

const MINUTE = 60_000;

let scene: PhaseScene;
/** What the gates say, by name; they pass unless told otherwise. */
let says: Record<string, Says>;
beforeEach(() => {
  says = {};
});

function begin(contract: Contract, files: Record<string, string> = {}): void {
  scene = phaseScene(contract, says, files);
}

describe('a checkpoint', () => {
  const NOTIFY = [{ command: './tell', on: ['needs_person'] }];
  const gates = { ...GATES, ok: approve() };
  const checked = (more: Partial<Contract> = {}) =>
    contractWith(gates, {
      done: ['tests'],
      phases: [phase('think', ['plan', 'ok']), phase('make', ['tests'])],
      notify: NOTIFY,
      ...more,
    });

  test('is asked when nothing else fails in its phase', async () => {
    says.plan = FAIL;
    begin(checked());
    expect(reasonOf(await scene.stop())).toContain('Fails: plan');
    expect(scene.sent).toEqual([]);
    says.plan = PASS;
    scene.judges.tree = 'tree 2';
    const message = messageOf(await scene.stop());
    expect(message).toContain('a question for you: ok: Is it good?');
    expect(scene.state()).toMatchObject({ status: 'active', iteration: 2, waiting: { why: 'approval' } });
    expect(scene.judges.judged).not.toContain('tests');
  });
  test('whom the contract names is told once, however often the session stops meanwhile', async () => {
    begin(checked());
    await scene.stop();
    await scene.stop();
    await scene.stop({ lastMessage: 'still waiting' });
    expect(scene.sent.map(({ event, title }) => [event, title])).toEqual([
      ['needs_person', 'untildone: needs you: a task'],
    ]);
    expect(scene.sent[0]?.text).toContain('untildone approve');
    expect(scene.state().iteration).toBe(1);
  });
  test('a yes leads into the next phase, and its words reach the agent', async () => {
    begin(checked());
    says.tests = FAIL;
    await scene.stop();
    scene.answer('approved', { note: 'in blue' });
    const reason = reasonOf(await scene.stop());
    expect(reason).toContain('The phase "think" is complete.');
    expect(reason).toContain('in blue');
    expect(scene.place()).toBe('make');
  });
  test('or with the next prompt, and then not a second time', async () => {
    begin(checked());
    says.tests = FAIL;
    await scene.stop();
    scene.answer('approved', { note: 'in blue' });
    const prompt = () => scene.hook({ name: 'UserPromptSubmit', prompt: 'go on' });
    expect(await prompt()).toMatchObject({ kind: 'inject', context: expect.stringContaining('in blue') });
    expect((await prompt()).kind).toBe('silence');
    expect(reasonOf(await scene.stop())).not.toContain('in blue');
  });
  test('a paused loop says nothing with a prompt, and nothing is lost', async () => {
    begin(checked());
    await scene.stop();
    scene.store.append(scene.ref, () => ({ kind: 'command', command: 'pause' }));
    scene.answer('approved', { note: 'in blue' });
    const prompt = () => scene.hook({ name: 'UserPromptSubmit', prompt: 'something else' });
    expect((await prompt()).kind).toBe('silence');
    scene.store.append(scene.ref, () => ({ kind: 'command', command: 'resume' }));
    expect((await prompt()).kind).toBe('inject');
  });
  test('a no holds the agent once, then the person is asked again', async () => {
    begin(checked());
    await scene.stop();
    scene.answer('rejected', { note: 'too slow' });
    expect(reasonOf(await scene.stop())).toContain('"too slow"');
    expect(messageOf(await scene.stop())).toContain('(after your last answer: too slow)');
    expect(scene.sent).toHaveLength(2);
    expect(scene.state()).toMatchObject({ iteration: 2, phase: { name: 'think' } });
  });
  test('a no that nobody follows ends as a stall, not as a question again and again', async () => {
    begin(checked({ gates: { ...GATES, ok: approve('Good?', 'PLAN.md') } }), { 'PLAN.md': '- [ ] a' });
    await scene.stop();
    scene.answer('rejected', { digest: scene.judges.digest('- [ ] a') });
    const answers: string[] = [];
    for (let i = 0; i < 6 && scene.state().status === 'active'; i++) answers.push((await scene.stop()).kind);
    expect(scene.state().status).toBe('stalled');
    expect(answers.slice(0, -1)).toEqual(answers.slice(0, -1).map(() => 'refuse'));
  });
  test('the time of waiting is not the time of working', async () => {
    says.tests = FAIL;
    begin(checked({ limits: { ...contractWith({}).limits, durationMs: 60 * MINUTE } }));
    await scene.stop();
    scene.now += 24 * 60 * MINUTE;
    scene.answer('approved');
    expect((await scene.stop()).kind).toBe('refuse');
    expect(scene.state().waitedMs).toBe(24 * 60 * MINUTE);
  });
  test.each(['cancel', 'release'] as const)(
    '%s while waiting ends it, and nobody is asked again',
    async (command) => {
      begin(checked());
      await scene.stop();
      scene.store.append(scene.ref, () => ({ kind: 'command', command }));
      expect(scene.state().waiting).toBeUndefined();
      expect((await scene.stop()).kind).toBe('silence');
      expect(scene.sent).toHaveLength(1);
    },
  );
  test('a pause while waiting asks nobody; going on asks again', async () => {
    begin(checked());
    await scene.stop();
    scene.store.append(scene.ref, () => ({ kind: 'command', command: 'pause' }));
    expect((await scene.stop()).kind).toBe('silence');
    scene.store.append(scene.ref, () => ({ kind: 'command', command: 'resume' }));
    expect(messageOf(await scene.stop())).toContain('a question for you');
  });
  test('a notification that cannot be delivered changes nothing, and is written down', async () => {
    begin(checked());
    scene.judges.notifier = { send: () => Promise.reject(new Error('no network')) };
    expect(messageOf(await scene.stop())).toContain('a question for you');
    expect(scene.lastEntry()).toMatchObject({
      kind: 'error',
      message: expect.stringContaining('no network'),
    });
    expect(scene.state().waiting?.why).toBe('approval');
  });
  test('of a phase that only asks is asked after the agent was told what is to be done in it', async () => {
    begin(checked({ phases: [phase('think', ['plan']), phase('look', ['ok'])], done: ['tests'] }));
    const reason = reasonOf(await scene.stop());
    expect(reason).toContain('The phase "think" is complete.');
    expect(reason).toContain('Do look.');
    expect(messageOf(await scene.stop())).toContain('a question for you');
  });
  test('nor is it asked before that when the phase began while background work was running', async () => {
    begin(checked({ phases: [phase('think', ['plan']), phase('look', ['ok'])], done: ['tests'] }));
    const backgroundTasks = [{ id: 'b1', type: 'shell', status: 'running', description: '' }];
    expect((await scene.stop({ backgroundTasks })).kind).toBe('silence');
    expect(scene.place()).toBe('look');
    expect(reasonOf(await scene.stop())).toContain('Do look.');
    expect(messageOf(await scene.stop())).toContain('a question for you');
  });
  test('of a phase that says nothing is asked at once', async () => {
    const { instruction: _, ...silent } = phase('look', ['ok']);
    begin(checked({ phases: [phase('think', ['plan']), silent] }));
    expect(messageOf(await scene.stop())).toContain('a question for you');
  });
  test('a yes before it was asked counts when its time comes', async () => {
    says.plan = FAIL;
    says.tests = FAIL;
    begin(checked());
    await scene.stop();
    scene.answer('approved');
    says.plan = PASS;
    scene.judges.tree = 'tree 2';
    expect(reasonOf(await scene.stop())).toContain('phase "make"');
    expect(scene.sent).toEqual([]);
  });
});

describe('an approved file', () => {
  const PLAN = '- [ ] write it\n- [ ] test it\n';
  beforeEach(() => {
    begin(
      contractWith(
        { ...GATES, ok: approve('Good?', 'PLAN.md') },
        { done: ['tests', 'ok'], phases: [phase('think', ['plan', 'ok']), phase('make', ['tests'])] },
      ),
      { 'PLAN.md': PLAN },
    );
    scene.answer('approved', { digest: scene.judges.digest(PLAN.trim()) });
  });
  test('that the agent ticks stays approved', async () => {
    scene.files['PLAN.md'] = PLAN.replace(/\[ \]/g, '[x]');
    expect(messageOf(await scene.stop())).toContain('done, and verified');
  });
  test('that the agent changes is asked about again at the end: the work does not count as done', async () => {
    says.tests = FAIL;
    await scene.stop();
    expect(scene.place()).toBe('make');
    scene.files['PLAN.md'] = `${PLAN}- [ ] skip the tests\n`;
    says.tests = PASS;
    scene.judges.tree = 'tree 2';
    expect(messageOf(await scene.stop())).toContain('(changed since it was approved). Answer in a terminal');
    expect(scene.state()).toMatchObject({ status: 'active', waiting: { why: 'approval' } });
  });
  test('that is put back as it was is approved again, without a person', async () => {
    scene.files['PLAN.md'] = 'another plan';
    await scene.stop();
    expect(scene.state().waiting?.why).toBe('approval');
    scene.files['PLAN.md'] = PLAN;
    scene.judges.tree = 'tree 2';
    expect(messageOf(await scene.stop())).toContain('done, and verified');
  });
  test('that is deleted holds the agent, not the person', async () => {
    delete scene.files['PLAN.md'];
    expect(reasonOf(await scene.stop())).toContain('PLAN.md is not there yet');
  });
});

describe('a question inside other gates', () => {
  const asking = (spec: GateSpec) =>
    contractWith({ tests: run(), ok: approve(), ready: spec }, { done: ['ready'] });
  test('of all is asked when the rest of it passes', async () => {
    says.tests = FAIL;
    begin(asking(all('tests', 'ok')));
    expect((await scene.stop()).kind).toBe('refuse');
    says.tests = PASS;
    scene.judges.tree = 'tree 2';
    expect(messageOf(await scene.stop())).toContain('ok: Is it good?');
    scene.answer('approved');
    expect(messageOf(await scene.stop())).toContain('done, and verified');
  });
  test('of any is not asked while the agent can pass it without a person, nor when it did', async () => {
    says.tests = FAIL;
    begin(asking(any('tests', 'ok')));
    expect((await scene.stop()).kind).toBe('refuse');
    says.tests = PASS;
    scene.judges.tree = 'tree 2';
    expect(messageOf(await scene.stop())).toContain('done, and verified');
  });
  test('of any lets the work through with a yes, as a claim by a person', async () => {
    says.tests = FAIL;
    begin(asking(any('tests', 'ok')));
    await scene.stop();
    scene.answer('approved');
    expect(messageOf(await scene.stop())).toContain('ended on an approval alone');
  });
});

describe('a receipt', () => {
  test('names the yes of a person and the digest of what they looked at', async () => {
    begin(contractWith({ tests: run(), ok: approve('Good?', 'PLAN.md') }), { 'PLAN.md': 'the plan' });
    const digest = scene.judges.digest('the plan');
    scene.answer('approved', { digest, note: 'fine' });
    await scene.stop();
    const [receipt] = scene.receipts;
    expect(receipt?.verdicts.find(({ gate }) => gate === 'ok')).toMatchObject({
      outcome: 'pass',
      class: 'judged',
      command: null,
    });
    expect(JSON.stringify(receipt)).toContain(digest);
  });
});

describe('a gate that asks when the agent insists', () => {
  const found = { ...FAIL, asksIfRepeated: 'may these stay?' };
  test('holds once, then waits for you without counting, and goes on as you say', async () => {
    says.tests = (context) => (context.request.answers?.tests ? PASS : found);
    begin(contractWith(GATES, { done: ['tests'] }));
    expect(reasonOf(await scene.stop())).toContain('Fails: tests');
    scene.judges.tree = 'tree 2';
    expect(messageOf(await scene.stop())).toContain('a question for you: tests: may these stay?');
    expect(scene.state()).toMatchObject({ status: 'active', iteration: 2, waiting: { why: 'approval' } });
    scene.answer('approved', { gate: 'tests' });
    scene.judges.tree = 'tree 3';
    await scene.stop();
    expect(scene.state().status).toBe('verified_done');
  });
  test('is not asked while something else fails', async () => {
    says.tests = found;
    says.plan = FAIL;
    begin(contractWith(GATES, { done: ['tests', 'plan'] }));
    await scene.stop();
    scene.judges.tree = 'tree 2';
    expect(reasonOf(await scene.stop())).toContain('plan');
    expect(scene.state().iteration).toBe(3);
    expect(scene.state().waiting).toBeUndefined();
  });
});
