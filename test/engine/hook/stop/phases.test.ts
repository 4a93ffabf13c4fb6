import { beforeEach, describe, expect, test } from 'vitest';
import type { Contract, GateSpec, Phase } from '../../../../src/engine/core/contract/contract.ts';
import { writeFrozenContract } from '../../../../src/engine/home/frozen-contract.ts';
import { messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, PASS, run, type Says } from '../../../support/hook/judging.ts';
import { GATES, type PhaseScene, phase, phaseScene, threePhases } from '../../../support/hook/phase-scene.ts';

const MINUTE = 60_000;

let scene: PhaseScene;
/** What the gates say, by name; they pass unless told otherwise. */
let says: Record<string, Says>;
beforeEach(() => {
  says = {};
});

function begin(contract: Contract): void {
  scene = phaseScene(contract, says);
}

describe('a Stop', () => {
  test('judges what its phase asks for, and nothing of later ones', async () => {
    says.plan = FAIL;
    begin(threePhases());
    const reason = reasonOf(await scene.stop());
    expect(scene.judges.judged).toEqual(['plan']);
    expect(reason).toContain('phase "think" (1 of 3)');
    expect(reason).toContain('Do think.');
    expect(reason).toContain('After it comes "make"');
    expect(scene.place()).toBe('think');
  });
  test('that ends a phase is judged for the next one, too, and the agent is told what came', async () => {
    says.tests = FAIL;
    begin(threePhases());
    const reason = reasonOf(await scene.stop());
    expect(scene.judges.judged).toEqual(['plan', 'tests']);
    expect(reason).toContain('The phase "think" is complete.');
    expect(reason).toContain('phase "make" (2 of 3)');
    expect(reason).toContain('Do make.');
    expect(scene.place()).toBe('make');
  });
  test('goes through all of them when everything passes, and asks nothing twice', async () => {
    begin(threePhases());
    expect(messageOf(await scene.stop())).toContain('done, and verified');
    expect(scene.judges.judged).toEqual(['plan', 'tests', 'notes']);
    expect(scene.state()).toMatchObject({ status: 'verified_done', phase: { name: 'tell' } });
    expect(scene.lastEntry()).toMatchObject({ seen: { phase: { passed: ['think', 'make'] } } });
  });
  test('of the last phase judges all of done, what was passed on the way included', async () => {
    says.notes = FAIL;
    begin(threePhases({ done: ['plan', 'tests', 'notes'] }));
    await scene.stop();
    says.plan = FAIL;
    says.notes = PASS;
    scene.judges.tree = 'tree 2';
    expect(reasonOf(await scene.stop())).toContain('Fails: plan');
    expect(scene.state()).toMatchObject({ status: 'active', phase: { name: 'tell' } });
  });
  test('a tree that changes between two phases is judged for both', async () => {
    says.tests = () => {
      scene.judges.tree = 'tree 2';
      return PASS;
    };
    begin(threePhases({ done: ['plan', 'tests', 'notes'] }));
    await scene.stop();
    expect(scene.judges.judged.filter((name) => name === 'plan').length).toBeGreaterThan(1);
  });
  test('what was paid for in an earlier phase of the same Stop is counted', async () => {
    says.plan = { ...PASS, proof: { costUsd: 2 } };
    begin(threePhases({ done: ['plan', 'tests'] }));
    await scene.stop();
    expect(scene.state().spent.costUsd).toBe(2);
  });
  test('all phases together have the time of one Stop', async () => {
    const times: number[] = [];
    says.plan = () => {
      times.push(scene.now);
      scene.now += 59_999;
      return PASS;
    };
    says.tests = () => new Promise(() => {});
    begin(threePhases());
    const reason = reasonOf(await scene.stop());
    expect(reason).toContain('Could not be judged: tests');
    expect(reason).toContain('the time that all gates have together');
  });
  test('what every Stop is judged for is judged in each phase', async () => {
    says.lint = FAIL;
    begin(threePhases({ gates: { ...GATES, lint: run() }, everyStop: { gates: ['lint'], blocks: 2 } }));
    expect(reasonOf(await scene.stop())).toContain('Fails: lint');
    expect(scene.place()).toBe('think');
  });
  test('what the next phase asks for at its entry keeps the work in the one before', async () => {
    says.agreed = FAIL;
    const phases = [phase('think', ['plan']), phase('make', ['tests'], { entry: ['agreed'] })];
    begin(threePhases({ gates: { ...GATES, agreed: run() }, phases }));
    expect(reasonOf(await scene.stop())).toContain('phase "think"');
    says.agreed = PASS;
    says.tests = FAIL;
    scene.judges.tree = 'tree 2';
    await scene.stop();
    expect(scene.place()).toBe('make');
  });
  test('a hook that ends the work ends it in any phase', async () => {
    says.plan = { ...PASS, letGo: 'enough' };
    begin(threePhases());
    await scene.stop();
    expect(scene.state()).toMatchObject({ status: 'released', phase: { name: 'think' } });
    expect(scene.judges.judged).toEqual(['plan']);
  });
  test('a promise for the end is not asked for before the end', async () => {
    says.plan = FAIL;
    const gates: Record<string, GateSpec> = {
      ...GATES,
      said: { kind: 'promise', options: { text: 'ALL DONE' } },
    };
    begin(threePhases({ gates, done: ['tests', 'said'] }));
    expect(reasonOf(await scene.stop())).not.toContain('ALL DONE');
    says.plan = PASS;
    says.said = FAIL;
    scene.judges.tree = 'tree 2';
    expect(reasonOf(await scene.stop())).toContain('<promise>ALL DONE</promise>');
  });
  test('a promise of a phase is asked for in that phase', async () => {
    const gates: Record<string, GateSpec> = {
      ...GATES,
      said: { kind: 'promise', options: { text: 'THOUGHT' } },
    };
    says.said = FAIL;
    const phases = [phase('think', ['said']), phase('make', ['tests'])];
    begin(threePhases({ gates, phases }));
    expect(reasonOf(await scene.stop())).toContain('<promise>THOUGHT</promise>');
  });
});

describe('the limits of a phase', () => {
  const limited = (limits: Phase['limits']) =>
    threePhases({ phases: [phase('think', ['plan']), phase('make', ['tests'], limits ? { limits } : {})] });
  test('end the loop, and say which phase', async () => {
    says.tests = FAIL;
    begin(limited({ iterations: 1 }));
    expect((await scene.stop()).kind).toBe('refuse');
    expect(messageOf(await scene.stop())).toContain('(phase make: iteration 1 of 1)');
    expect(scene.state()).toMatchObject({ status: 'reached_limit', ending: { cause: 'phase_iterations' } });
  });
  test('do not count what came before it, nor waiting in it', async () => {
    says.plan = FAIL;
    says.tests = FAIL;
    begin(limited({ durationMs: 10 * MINUTE }));
    await scene.stop();
    scene.now += 60 * MINUTE;
    says.plan = PASS;
    scene.judges.tree = 'tree 2';
    expect((await scene.stop()).kind).toBe('refuse');
    scene.store.append(scene.ref, () => ({ kind: 'command', command: 'pause' }));
    scene.now += 60 * MINUTE;
    scene.store.append(scene.ref, () => ({ kind: 'command', command: 'resume' }));
    scene.now += 9 * MINUTE;
    scene.judges.tree = 'tree 3';
    expect((await scene.stop()).kind).toBe('refuse');
    scene.now += MINUTE;
    expect(messageOf(await scene.stop())).toContain('phase make: 10 min');
  });
});

describe('a contract that a person changes in mid-work', () => {
  const update = (contract: Contract) => {
    const { frozen } = scene.store.contract(scene.ref);
    writeFrozenContract(scene.ref, { contract, frozen }, (contractSha256) =>
      scene.store.append(scene.ref, () => ({ kind: 'contract', contractSha256, maxIterations: 50 })),
    );
  };
  test('without the phase of now: the work is judged from the first of the new ones', async () => {
    says.tests = FAIL;
    begin(threePhases());
    await scene.stop();
    expect(scene.place()).toBe('make');
    says.tests = PASS;
    says.notes = FAIL;
    update(threePhases({ phases: [phase('other', ['plan']), phase('tell', ['notes'])] }));
    scene.judges.tree = 'tree 2';
    expect(reasonOf(await scene.stop())).toContain('The phase "other" is complete.');
    expect(scene.place()).toBe('tell');
  });
  test('without any phases: done is judged', async () => {
    says.tests = FAIL;
    begin(threePhases());
    await scene.stop();
    update(contractWith(GATES, { done: ['tests'] }));
    const reason = reasonOf(await scene.stop());
    expect(reason).not.toContain('phase');
    expect(reason).toContain('Fails: tests');
  });
});
