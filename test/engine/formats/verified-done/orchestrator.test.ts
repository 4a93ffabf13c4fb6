import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../src/engine/core/contract/contract.ts';
import { sumUp } from '../../../../src/engine/core/loop/verdict.ts';
import type { Look } from '../../../../src/engine/formats/format.ts';
import {
  ALL_MET,
  FINISHED,
  failing,
  firstLine,
  inGit,
  judged,
  LOOP,
  loop,
  ORCHESTRATOR,
  project,
  put,
  reason,
  stateDir,
  useStateFolder,
} from '../../../support/formats/verified-done-state.ts';
import { write } from '../../../support/project/project-scene.ts';

useStateFolder();

describe('orchestrator.json', () => {
  test('says task, count and conditions; the default maximum holds', () => {
    put('orchestrator.json', ORCHESTRATOR);
    expect(loop()).toMatchObject({ task: 'implement auth', iteration: 3, maxIterations: 50, readOnly: true });
    expect(loop().maxIterations).toBe(DEFAULT_LIMITS.iterations);
  });

  test('every condition that it names is a claim of its own', async () => {
    put('orchestrator.json', ORCHESTRATOR);
    expect(await failing()).toEqual([
      'orchestrator.json',
      'conditions.implementation_complete',
      'conditions.correctness_passed',
      'conditions.quality_passed',
      'conditions.adversarial_passed',
      'conditions.retrospective_done',
    ]);
    const passing = (await judged()).filter((v) => v.outcome === 'pass').map((v) => v.gate);
    expect(passing).toHaveLength(4);
    expect((await judged()).every((v) => v.class === 'claimed' && v.kind === 'verified-done')).toBe(true);
  });

  test('conditions that it does not name are not asked for', async () => {
    put('orchestrator.json', { ...FINISHED, conditions: { plan_approved: true } });
    expect(await failing()).toEqual([]);
  });

  test('verified_done with an unmet condition is held, and the words say so', async () => {
    put('orchestrator.json', { ...FINISHED, conditions: { ...ALL_MET, quality_passed: null } });
    expect(loop().rest).toBeUndefined();
    expect(await failing()).toEqual(['conditions.quality_passed']);
    expect(await firstLine()).toBe('Orchestrator set verified_done, but 1 of its conditions is not met.');
    expect(await reason()).toContain(
      '- quality_passed: not met (null). Run the type check and the linter until they pass, then set conditions.quality_passed.',
    );
  });

  test.each([
    [true, true],
    ['true', true],
    [false, false],
    ['yes', false],
    [1, false],
    [null, false],
    [undefined, false],
    [{ deep: true }, false],
  ])('verified_done %j: done is %s', async (value, done) => {
    put('orchestrator.json', { ...FINISHED, verified_done: value });
    expect(loop().rest !== undefined).toBe(done);
    expect((await failing()).length === 0).toBe(done);
  });

  test.each([[undefined], [null], [''], [{}], [['x']]])('the phase %j is unknown', async (phase) => {
    put('orchestrator.json', { phase });
    expect(await firstLine()).toBe("Orchestrator phase 'unknown' not complete.");
  });

  test('other conditions get a word, no more', async () => {
    put('orchestrator.json', { ...FINISHED, conditions: { ...ALL_MET, docs_written: false } });
    expect(loop().rest).toBe('verified_done is set');
    put('orchestrator.json', { ...ORCHESTRATOR, conditions: { plan_approved: false, docs_written: false } });
    expect(await reason()).toContain('Not set either, but not asked for: docs_written');
  });
});

describe('the adversarial review', () => {
  const adversarial = async (changes: Record<string, unknown>) => {
    put('orchestrator.json', { ...FINISHED, ...changes });
    return (await judged()).find((v) => v.gate === 'conditions.adversarial_passed')?.outcome;
  };
  const open = (value: unknown) => ({ ...ALL_MET, adversarial_passed: value });

  test.each([
    [7, 'fail'],
    ['8', 'fail'],
    [10, 'fail'],
    [6, 'skip'],
    [0, 'skip'],
  ])('complexity %j: %s', async (complexity, outcome) => {
    for (const value of [null, false]) {
      expect(await adversarial({ complexity, conditions: open(value) })).toBe(outcome);
    }
    expect(await adversarial({ complexity, conditions: ALL_MET })).toBe('pass');
  });

  test('without a complexity it is asked for until the rest is claimed; null then says it was not needed', async () => {
    expect(await adversarial({ verified_done: false, conditions: open(null) })).toBe('fail');
    expect(await adversarial({ conditions: open(null) })).toBe('skip');
    expect(await adversarial({ conditions: open(false) })).toBe('fail');
  });

  test('a complexity that is no number counts as none', async () => {
    expect(await adversarial({ complexity: 'high', conditions: open(false) })).toBe('fail');
    expect(loop().notes).toEqual(['complexity in orchestrator.json is not a number and is not used']);
  });
});

describe('uncommitted changes', () => {
  const changeAll = () => {
    for (const name of ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f ü\n.ts']) write(project(), name, 'new');
  };

  test('hold beside an orchestrator.json, the first five are named', async () => {
    inGit();
    put('orchestrator.json', FINISHED);
    expect(await failing()).toEqual([]);
    changeAll();
    expect(await failing()).toEqual(['git status']);
    const text = await reason();
    expect(text).toMatch(/^Uncommitted changes detected\.\n/);
    expect(text).toContain('Not committed:\n-  M a.ts\n- ?? b.ts\n- ?? c.ts\n- ?? d.ts\n- ?? e.ts\n\n');
  });

  test('are advice beside a loop.json', async () => {
    inGit();
    write(project(), 'f ü\n.ts', 'new');
    put('loop.json', LOOP);
    expect(await failing()).toEqual(['loop.json']);
    expect(await reason()).toContain('Not committed (only advice here):\n- ?? f ü .ts');
  });

  test('are nothing outside git, and not looked for beside tasks alone', async () => {
    put('orchestrator.json', FINISHED);
    expect((await judged()).map((v) => v.gate)).not.toContain('git status');
    rmSync(stateDir('orchestrator.json'));
    put('tasks/1.json', { status: 'pending' });
    const refuse: Look = { hasGates: false, workspace: () => Promise.reject(new Error('looked')) };
    expect((await loop().judge(refuse)).map((v) => v.gate)).toEqual(['tasks/*.json']);
  });

  test('that could not be looked for are no pass and hold nobody', async () => {
    put('orchestrator.json', FINISHED);
    const refuse: Look = { hasGates: false, workspace: () => Promise.reject(new Error('no git here')) };
    const verdicts = await loop().judge(refuse);
    expect(sumUp(verdicts).result).toBe('unproven');
    expect(verdicts.at(-1)?.summary).toBe('git status could not be run: no git here');
  });
});
