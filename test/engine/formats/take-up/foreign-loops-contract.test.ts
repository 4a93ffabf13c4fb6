import { describe, expect, test } from 'vitest';
import type { Phase } from '../../../../src/engine/core/contract/contract.ts';
import { approveGate } from '../../../../src/engine/gates/approve/index.ts';
import { changedTraits } from '../../../../src/engine/gates/changed/traits.ts';
import { setStanding } from '../../../../src/engine/home/trust.ts';
import {
  type ForeignScene,
  foreignScene,
  RALPH,
  ralph,
  trustContract,
} from '../../../support/hook/foreign-scene.ts';
import { messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, frozenWith, PASS, run, type Says } from '../../../support/hook/judging.ts';
import { approve as askPerson, phase } from '../../../support/hook/phase-scene.ts';

describe('with a contract that a person approved', () => {
  const CONTRACT = contractWith({ tests: run('npm test') });
  async function approved(
    says: Parameters<typeof foreignScene>[0],
    contract = CONTRACT,
  ): Promise<ForeignScene> {
    const scene = foreignScene(says);
    await trustContract(scene, contract);
    return scene;
  }
  test('a promise is not enough while a gate fails', async () => {
    const scene = await approved({ promise: PASS, tests: FAIL });
    scene.write(RALPH, ralph());
    expect(reasonOf(await scene.stopOf('s1'))).toContain('Fails: tests');
  });
  test('both together are proof', async () => {
    const scene = await approved({ promise: PASS, tests: PASS });
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ status: 'verified_done' }]);
    expect(scene.receipts).toHaveLength(1);
  });
  test('what passes on the tree of the start is held once, and is no proof', async () => {
    const scene = await approved({ promise: PASS, tests: PASS });
    const judge = async () => ({ outcome: 'fail' as const, summary: 'nothing was changed' });
    scene.judges.gates = { ...scene.judges.gates, changed: { ...changedTraits, judge } };
    scene.write(RALPH, ralph());
    await scene.hook({ name: 'UserPromptSubmit', prompt: 'go' });
    expect(reasonOf(await scene.stopOf('s1'))).toContain('Fails: changed - nothing was changed');
    expect(messageOf(await scene.stopOf('s1'))).toContain('but nothing was changed since the start');
    expect(scene.states()).toMatchObject([{ status: 'claimed_done', ending: { cause: 'nothing_changed' } }]);
  });
  test('its phases come one after the other, and the promise at the end', async () => {
    const gates = { plan: run('plan'), tests: run('npm test') };
    const phases = [phase('think', ['plan']), phase('make', ['tests'])];
    const says: Record<string, Says> = { promise: PASS, plan: FAIL, tests: FAIL };
    const scene = await approved(says, contractWith(gates, { done: ['tests'], phases }));
    scene.write(RALPH, ralph());
    const first = reasonOf(await scene.stopOf('s1'));
    expect(first).toContain('The phase "think": Do think.');
    expect(scene.judges.judged).toEqual(['plan']);
    says.plan = PASS;
    scene.judges.tree = 'tree 2';
    const second = reasonOf(await scene.stopOf('s1'));
    expect(second).toContain('The phase "think" is complete.');
    expect(second).toContain('The phase "make": Do make.');
    says.tests = PASS;
    scene.judges.tree = 'tree 3';
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ status: 'verified_done', phase: { name: 'make' } }]);
  });
  describe('that asks a person', () => {
    const STATE = '../.ralph/state/s1/orchestrator.json';
    const open = { task: 'Fix it', phase: 'planning', verified_done: false };
    const gates = { tests: run('npm test'), ok: askPerson() };
    async function asking(phases: Phase[], says: Record<string, Says>): Promise<ForeignScene> {
      const scene = await approved(says, contractWith(gates, { done: ['tests'], phases }));
      scene.judges.gates.approve = approveGate;
      scene.write(STATE, JSON.stringify(open));
      return scene;
    }
    test('a phase that is not the last one asks however open the foreign state is', async () => {
      const phases = [phase('think', ['ok']), phase('make', ['tests'])];
      const scene = await asking(phases, { tests: FAIL });
      expect(messageOf(await scene.stopOf('s1'))).toContain('a question for you: ok: Is it good?');
      expect(scene.states()).toMatchObject([{ status: 'active', waiting: { why: 'approval' } }]);
      const [ref] = scene.store.loops(scene.project);
      if (ref) scene.store.append(ref, () => ({ kind: 'answered', gate: 'ok', said: 'approved' }));
      expect(reasonOf(await scene.stopOf('s1'))).toContain('The phase "make": Do make.');
    });
    test('the last one asks when the foreign state is done, too', async () => {
      const scene = await asking([phase('make', ['tests', 'ok'])], { tests: PASS });
      expect((await scene.stopOf('s1')).kind).toBe('refuse');
      scene.write(STATE, JSON.stringify({ ...open, verified_done: true }));
      expect(messageOf(await scene.stopOf('s1'))).toContain('a question for you: ok');
    });
  });
  test('one that is not approved is left aside', async () => {
    const scene = foreignScene({ promise: PASS, tests: FAIL });
    scene.write('untildone.yaml', 'gates: {}\n');
    setStanding(
      scene.home,
      scene.project,
      frozenWith(CONTRACT, { project: scene.project, fingerprint: 'other' }),
    );
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ status: 'claimed_done' }]);
    expect(scene.judges.judged).toEqual(['promise']);
  });
});
