import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sumUp } from '../../../../src/engine/core/loop/verdict.ts';
import { holds } from '../../../../src/engine/formats/verified-done/holding.ts';
import { verdictsOf } from '../../../../src/engine/formats/verified-done/judge.ts';
import { readTasks } from '../../../../src/engine/formats/verified-done/tasks.ts';
import { foreignFiles } from '../../../../src/engine/project/files.ts';
import {
  decided,
  FINISHED,
  failing,
  firstLine,
  judged,
  LOOP,
  loop,
  ORCHESTRATOR,
  put,
  QUALITY,
  reason,
  stateDir,
  useStateFolder,
} from '../../../support/formats/verified-done-state.ts';

useStateFolder();

describe('loop.json', () => {
  test('holds while it is neither verified nor at its maximum', async () => {
    put('loop.json', LOOP);
    expect(loop()).toMatchObject({ task: 'fix type errors', iteration: 5, maxIterations: 25 });
    expect(await firstLine()).toBe('Loop iteration 5 of 25 not complete.');
    expect(await reason()).toContain(`validation_result: failed\nlast_error: ${LOOP.last_error}`);
  });

  test('verified is done', async () => {
    put('loop.json', { ...LOOP, verified_done: true });
    expect(loop().rest).toBe('verified_done is set');
    expect(await decided(5)).toMatchObject({ kind: 'end', status: 'claimed_done' });
  });

  test('at its maximum it is not taken up, and a living one ends as having reached its limit', async () => {
    put('loop.json', { ...LOOP, iteration: 25 });
    expect(loop().rest).toBe('loop.json is at iteration 25 of 25');
    expect(await decided(25)).toMatchObject({ kind: 'end', status: 'reached_limit' });
  });

  test('a maximum of 0 holds nobody, as in the document', () => {
    put('loop.json', { ...LOOP, max_iterations: 0 });
    expect(loop().rest).toBeDefined();
  });

  test('its maximum only ends its own part while an orchestrator or tasks hold', async () => {
    put('loop.json', { ...LOOP, iteration: 25 });
    put('orchestrator.json', ORCHESTRATOR);
    expect(loop()).toMatchObject({
      maxIterations: 50,
      iteration: 3,
      task: 'implement auth\n\nfix type errors',
    });
    expect((await judged()).find((v) => v.gate === 'loop.json')?.outcome).toBe('skip');
    put('orchestrator.json', FINISHED);
    expect(loop()).toMatchObject({ maxIterations: 25, iteration: 25 });
    put('tasks/1.json', { status: 'pending' });
    expect(loop()).toMatchObject({ maxIterations: 50 });
    expect(await decided(25)).toMatchObject({ kind: 'block' });
  });

  test('a failure that stays the same has the same fingerprint in every iteration', async () => {
    const print = async (changes: object) => {
      put('loop.json', { ...LOOP, ...changes });
      return (await judged()).find((v) => v.gate === 'loop.json')?.fingerprint;
    };
    const before = await print({});
    expect(await print({ iteration: 6 })).toBe(before);
    expect(await print({ last_error: 'another' })).not.toBe(before);
  });

  test.each<[unknown, number | undefined, number]>([
    ['7', 7, 1],
    [-3, 0, 2],
    [2.9, 2, 2],
    ['three', undefined, 2],
    [[], undefined, 2],
    [null, undefined, 1],
    [undefined, undefined, 1],
  ])('iteration %j counts as %s', (iteration, count, notes) => {
    put('loop.json', { ...LOOP, iteration, max_iterations: undefined });
    expect(loop().iteration).toBe(count);
    expect(loop().maxIterations).toBe(25);
    expect(loop().notes).toHaveLength(notes);
  });

  test('numbers beyond all measure do no harm', () => {
    put('loop.json', '{"iteration": 1e999, "max_iterations": 1e300}');
    expect(loop().iteration).toBeUndefined();
    expect(loop().maxIterations).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('tasks', () => {
  test('the open ones hold, alone too, and are named; those in subfolders count', async () => {
    put('tasks/1.json', { id: '1', subject: 'write the parser', status: 'in_progress' });
    put('tasks/2.json', { title: 'write the docs', status: 'pending' });
    put('tasks/more/3.json', { status: 'pending_review' });
    put('tasks/4.json', { status: 'completed' });
    put('tasks/notes.txt', 'no task');
    expect(await failing()).toEqual(['tasks/*.json']);
    const text = await reason();
    expect(text).toMatch(/^3 pending\/in-progress tasks\.\n/);
    expect(text).toContain(
      '- [in_progress] 1: write the parser\n- [pending] 2: write the docs\n- [pending_review] more/3',
    );
    expect(text).toContain('untildone state set s1 tasks/1 status=completed');
  });

  test('all of them done is done, for a loop that was held by them', async () => {
    put('tasks/1.json', { status: 'completed' });
    expect(loop().rest).toBe('no task is open and no stage has failed');
    expect(sumUp(await judged()).result).toBe('claimed');
  });

  test('many are counted, few are named', async () => {
    for (let i = 0; i < 1005; i++) put(`tasks/${i}.json`, { status: 'pending' });
    const text = await reason();
    expect(text).toMatch(/^1005 pending\/in-progress tasks\./);
    expect(text).toContain('- and 995 more');
    expect(loop().notes).toEqual([]);
  });

  test('one open task among thousands holds, wherever it lies', async () => {
    for (let i = 0; i < 2000; i++) put(`tasks/${i}.json`, { status: 'completed' });
    expect(loop().rest).toBeDefined();
    put('tasks/zz.json', { status: 'pending' });
    expect(await failing()).toEqual(['tasks/*.json']);
    put('tasks/zz.json', { status: 'completed' });
    put('tasks/a/b/c/d/e/f/g.json/deep.json', { status: 'in_progress' });
    expect(await reason()).toContain('[in_progress] a/b/c/d/e/f/g.json/deep');
  });

  test('a folder that leads back into itself is read once, and one outside not at all', async () => {
    put('tasks/1.json', { status: 'pending' });
    put('other/2.json', { status: 'pending' });
    symlinkSync('.', stateDir('tasks/again'));
    symlinkSync('../..', stateDir('tasks/above'));
    expect(await reason()).toMatch(/^1 pending\/in-progress tasks\./);
  });

  test('more files than can be read hold, and it is told', () => {
    for (let i = 0; i < 12; i++) put(`tasks/${i}.json`, { status: 'completed' });
    const { tasks } = readTasks(stateDir().replace(/\/$/, ''), foreignFiles, 10);
    expect(tasks).toEqual({ open: [], total: 10, more: true });
    const state = { session: 's1', folder: '/state', unreadable: [], notes: [], tasks };
    expect(holds(state)).toBe(true);
    expect(verdictsOf(state)).toMatchObject([
      { outcome: 'fail', summary: expect.stringContaining('not all of them can be read') },
    ]);
  });

  test('a name that has to be quoted is not put into a command', async () => {
    put('tasks/a; rm -rf x.json', { status: 'pending' });
    expect(await reason()).not.toContain('tasks/a;');
    expect(await reason()).toContain('set its status to completed in its file');
  });
});

describe('quality-gate.json', () => {
  test('a failed one holds, alone too, with its failing stages; pending ones are advice', async () => {
    put('quality-gate.json', QUALITY);
    expect(await failing()).toEqual(['quality-gate.json']);
    const text = await reason();
    expect(text).toMatch(/^Quality gate failed\. Fix issues before stopping\.\n/);
    expect(text).toContain('- quality: 3 type errors found');
    expect(text).toContain('Stages that were not run yet (only advice): security');
    expect(text).toContain(
      'untildone state set s1 quality-gate stages.quality.status=passed last_result=passed',
    );
  });

  test.each([
    ['passed', 'failed', true],
    ['unknown', 'failed', true],
    ['failed', 'passed', true],
    ['passed', 'pending', false],
    ['pending', 'passed', false],
  ])('last_result %s with security %s: it holds is %s', (last_result, status, doesHold) => {
    put('quality-gate.json', { last_result, stages: { security: { status } } });
    expect(loop().rest === undefined).toBe(doesHold);
  });

  test('stages of other shapes do no harm', async () => {
    put('quality-gate.json', { last_result: 'failed', stages: ['x'] });
    expect(await failing()).toEqual(['quality-gate.json']);
    expect(loop().notes).toEqual(['stages in quality-gate.json is not an object and is not used']);
    put('quality-gate.json', { stages: { a: 'failed', b: null, c: { status: { x: 1 } } } });
    expect(await reason()).toContain('- a: failed, without details');
  });
});
