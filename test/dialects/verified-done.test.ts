import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { applyChanges, foreignFiles } from '../../src/adapters/foreign-files.ts';
import { openWorkspace } from '../../src/adapters/workspace.ts';
import { DEFAULT_LIMITS } from '../../src/core/contract.ts';
import { type Decision, decide } from '../../src/core/decide.ts';
import { DIFFERENT_APPROACH, REASON_LIMIT } from '../../src/core/reason.ts';
import { blocks, sumUp, type Verdict } from '../../src/core/verdict.ts';
import type { ForeignLoop, Held, Look, Place, Reading } from '../../src/dialects/dialect.ts';
import { verifiedDoneDialect } from '../../src/dialects/verified-done/index.ts';
import { commit, git, write } from '../adapters/support/project-scene.ts';
import { makeFifo, temporaryFolder } from '../adapters/workers.ts';
import { freshLoop, LIMITS, seenStop, T0, verdict } from '../core/samples.ts';

let home: string;
let project: string;
beforeEach(() => {
  home = temporaryFolder();
  project = temporaryFolder();
});

const stateDir = (path = '') => join(home, '.ralph/state/s1', path);
const put = (name: string, content: unknown) => {
  mkdirSync(dirname(stateDir(name)), { recursive: true });
  writeFileSync(stateDir(name), typeof content === 'string' ? content : JSON.stringify(content));
};
const place = (changes: Partial<Place> = {}): Place => ({
  session: 's1',
  folder: project,
  userHome: home,
  now: T0,
  ...changes,
});
const read = (changes: Partial<Place> = {}): Reading =>
  verifiedDoneDialect.read(place(changes), foreignFiles);
const loop = (changes: Partial<Place> = {}): ForeignLoop => {
  const reading = read(changes);
  if (reading.kind !== 'loop') throw new Error(`no loop but ${JSON.stringify(reading)}`);
  return reading.loop;
};
const look = (): Look => ({
  hasGates: false,
  workspace: async () =>
    openWorkspace({ project, shadowDir: join(home, 'shadow'), indexFile: join(home, 'index') }),
});
const judged = async () => loop().judge(look());
const failing = async () => (await judged()).filter(blocks).map(({ gate }) => gate);
const held = (verdicts: readonly Verdict[], changes: Partial<Held> = {}): Held => ({
  iteration: 4,
  maxIterations: 25,
  verdicts,
  instruction: 'continue',
  taskFile: '/tasks/task.md',
  ...changes,
});
const reason = async (changes: Partial<Held> = {}, others: Verdict[] = []) =>
  loop().instruct(held([...(await judged()), ...others], changes)).reason;
const firstLine = async () => (await reason()).split('\n')[0];
const decided = async (iteration: number) => {
  const { maxIterations } = loop();
  const limits = { ...LIMITS, iterations: maxIterations };
  return decide(freshLoop({ iteration, maxIterations }), seenStop(), await judged(), limits, T0);
};
const inGit = (files: Record<string, string> = { 'a.ts': 'a' }) => {
  git(project, 'init', '--quiet', '--initial-branch=main');
  for (const [path, text] of Object.entries(files)) write(project, path, text);
  commit(project);
};

/** As in the document's appendix. */
const ORCHESTRATOR = {
  session_id: 's1',
  task: 'implement auth',
  phase: 'implementation',
  verified_done: false,
  conditions: {
    memory_search: true,
    task_classified: true,
    must_have_answered: true,
    plan_approved: true,
    implementation_complete: false,
    correctness_passed: null,
    quality_passed: null,
    adversarial_passed: null,
    retrospective_done: false,
  },
  iterations: 3,
  created_at: '2025-02-14T10:00:00Z',
  last_updated: '2025-02-14T12:00:00Z',
};
const ALL_MET = Object.fromEntries(Object.keys(ORCHESTRATOR.conditions).map((name) => [name, true]));
const FINISHED = { ...ORCHESTRATOR, phase: 'complete', verified_done: true, conditions: ALL_MET };
const LOOP = {
  session_id: 's1',
  task: 'fix type errors',
  iteration: 5,
  max_iterations: 25,
  validation_result: 'failed',
  last_error: "src/auth.ts:42 - Type 'string' is not assignable to type 'number'",
  verified_done: false,
  created_at: '2025-02-14T10:00:00Z',
  last_updated: '2025-02-14T12:00:00Z',
};
const QUALITY = {
  session_id: 's1',
  last_result: 'failed',
  stages: {
    correctness: { status: 'passed', details: 'No syntax errors' },
    quality: { status: 'failed', details: '3 type errors found' },
    security: { status: 'pending', details: null },
  },
  last_updated: '2025-02-14T12:00:00Z',
};

describe('where the state lies', () => {
  test('in a folder of the session, which owns it', () => {
    put('loop.json', LOOP);
    expect(verifiedDoneDialect.path(place())).toBe(stateDir().replace(/\/$/, ''));
    expect(loop().owner).toBe('s1');
    expect(read({ session: 's2' })).toEqual({ kind: 'none' });
  });

  test.each(['', '..', 'a/b', '../s1', 'a b', 'x'.repeat(129), 'ü'])(
    'not for the session id %j',
    (session) => {
      put('loop.json', LOOP);
      expect(verifiedDoneDialect.path(place({ session }))).toBeUndefined();
      expect(read({ session })).toEqual({ kind: 'none' });
    },
  );

  test('nothing there, an empty folder or an empty tasks folder asks for nothing', () => {
    expect(read()).toEqual({ kind: 'none' });
    mkdirSync(stateDir('tasks'), { recursive: true });
    expect(read()).toEqual({ kind: 'none' });
  });

  test('a linked home leads to the same state', () => {
    put('loop.json', LOOP);
    const linked = join(temporaryFolder(), 'link');
    symlinkSync(home, linked);
    expect(loop({ userHome: linked }).task).toBe('fix type errors');
  });
});

describe("the document's own tests", () => {
  test('2: no state file lets go', () => expect(read()).toEqual({ kind: 'none' }));

  test('3: an incomplete orchestrator holds', async () => {
    put('orchestrator.json', { verified_done: false, phase: 'implementation' });
    expect(loop().rest).toBeUndefined();
    expect(await reason()).toMatch(/^Orchestrator phase 'implementation' not complete\.\n/);
  });

  test('4: a complete orchestrator without conditions lets go', async () => {
    put('orchestrator.json', { verified_done: true, phase: 'complete' });
    expect(loop().rest).toBe('verified_done is set');
    expect(sumUp(await judged()).result).toBe('claimed');
  });
});

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
    expect(text).toMatch(/^1000 pending\/in-progress tasks\./);
    expect(text).toContain('- and 990 more');
    expect(loop().notes).toEqual([`only 1000 files in ${stateDir('tasks')} are read`]);
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

describe('uncommitted changes', () => {
  const changeAll = () => {
    for (const name of ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f ü\n.ts']) write(project, name, 'new');
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
    write(project, 'f ü\n.ts', 'new');
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

describe('files that cannot be read', () => {
  const broken: [string, (path: string) => void][] = [
    ['torn', (path) => writeFileSync(path, '{"verified_done": fal')],
    ['empty', (path) => writeFileSync(path, '')],
    ['a list', (path) => writeFileSync(path, '[]')],
    ['a folder', (path) => mkdirSync(path)],
    ['a pipe', (path) => makeFifo(path)],
  ];

  test.each(broken)('orchestrator.json or loop.json that is %s holds nobody and is named', (_, make) => {
    for (const name of ['orchestrator.json', 'loop.json']) {
      rmSync(stateDir(), { recursive: true, force: true });
      put('tasks/1.json', { status: 'pending' });
      make(stateDir(name));
      const reading = read();
      expect(reading).toMatchObject({ kind: 'unusable' });
      expect(reading.kind === 'unusable' && reading.problem).toContain(`${stateDir(name)} `);
      expect(reading.kind === 'unusable' && reading.problem).toContain('repair or remove it');
    }
  });

  test.each(broken)('a quality gate or task that is %s takes nothing away from the rest', async (_, make) => {
    for (const name of ['quality-gate.json', 'tasks/7.json']) {
      rmSync(stateDir(), { recursive: true, force: true });
      put('tasks/readme', '');
      put('loop.json', LOOP);
      make(stateDir(name));
      expect(await failing()).toEqual(['loop.json']);
      expect(loop().notes).toEqual([expect.stringContaining(stateDir(name))]);
      expect(await reason()).toContain(`Cannot be read (repair them):\n- ${stateDir(name)} `);
      put('loop.json', { ...LOOP, verified_done: true });
      expect(await decided(5)).toMatchObject({ kind: 'end', status: 'released', cause: 'unproven_allowed' });
      rmSync(stateDir('loop.json'));
      expect(read()).toMatchObject({ kind: 'unusable' });
    }
  });

  test('the place of the fault is said', () => {
    put('loop.json', '{\n  "task": oops\n}');
    expect(read()).toEqual({
      kind: 'unusable',
      problem: `${stateDir('loop.json')} is not JSON (line 2, column 11); repair or remove it`,
    });
  });

  test('a state folder that is a file is named', () => {
    mkdirSync(dirname(dirname(stateDir('x'))), { recursive: true });
    writeFileSync(stateDir().replace(/\/$/, ''), 'x');
    expect(read()).toMatchObject({ kind: 'unusable', problem: expect.stringContaining('is not a folder') });
  });

  test('hundreds of them make a short note', () => {
    put('loop.json', LOOP);
    for (let i = 0; i < 300; i++) put(`tasks/${i}.json`, 'x');
    expect(loop().notes).toHaveLength(4);
    expect(loop().notes[3]).toBe(`297 more files in ${stateDir().replace(/\/$/, '')} cannot be read`);
  });

  test('a byte order mark and CRLF are no fault', () => {
    put('loop.json', `\uFEFF${JSON.stringify(LOOP, null, 2).replaceAll('\n', '\r\n')}\r\n`);
    expect(loop().iteration).toBe(5);
  });
});

describe('which loop it is', () => {
  const identity = (name: string, content: object) => {
    put(name, content);
    return loop().identity;
  };

  test('task and creation decide; progress does not', () => {
    const before = identity('loop.json', LOOP);
    expect(identity('loop.json', { ...LOOP, iteration: 6, last_error: null, last_updated: 'now' })).toBe(
      before,
    );
    expect(identity('loop.json', { ...LOOP, task: 'another' })).not.toBe(before);
    expect(identity('loop.json', { ...LOOP, created_at: '2025-03-01T00:00:00Z' })).not.toBe(before);
  });

  test('a loop that an orchestrator starts on its way does not make it another one', () => {
    const before = identity('orchestrator.json', ORCHESTRATOR);
    expect(identity('loop.json', LOOP)).toBe(before);
    expect(identity('tasks/1.json', { status: 'pending' })).toBe(before);
  });

  test('tasks alone are the same loop whatever they are', () => {
    const before = identity('tasks/1.json', { status: 'pending' });
    expect(identity('tasks/2.json', { status: 'pending' })).toBe(before);
    expect(loop().task).toBe(`Finish the work that is written down in ${stateDir().replace(/\/$/, '')}`);
  });
});

describe('an ended loop begins anew', () => {
  const ended = (status: 'claimed_done' | 'cancelled' | 'stalled' | 'reached_limit', cause = 'x') =>
    freshLoop({ status, maxIterations: 25, ending: { cause, detail: '', at: T0 } });

  test('after it was done, when its files ask for more; not after it was let go', () => {
    put('loop.json', LOOP);
    expect(loop().renews(ended('claimed_done'), 's1')).toBe(true);
    expect(loop().renews(freshLoop({ status: 'verified_done' }), 's1')).toBe(true);
    for (const status of ['cancelled', 'released', 'failed', 'stalled', 'idle', 'capped'] as const) {
      expect(loop().renews(freshLoop({ status, ending: { cause: 'x', detail: '', at: T0 } }), 's1')).toBe(
        false,
      );
    }
  });

  test('after its iterations were spent, when there are more of them', () => {
    put('loop.json', LOOP);
    expect(loop().renews(ended('reached_limit', 'iterations'), 's1')).toBe(false);
    put('loop.json', { ...LOOP, max_iterations: 26 });
    expect(loop().renews(ended('reached_limit', 'iterations'), 's1')).toBe(true);
    expect(loop().renews(ended('reached_limit', 'cost'), 's1')).toBe(false);
  });

  test('when a loop.json was made beside an orchestrator since then, and not by a date out of nowhere', () => {
    const later = (ms: number) => new Date(T0 + ms).toISOString();
    const now = { now: T0 + 10_000 };
    put('orchestrator.json', ORCHESTRATOR);
    put('loop.json', { ...LOOP, created_at: later(5000) });
    expect(loop(now).renews(ended('cancelled'), 's1')).toBe(true);
    for (const created_at of [later(-5000), later(3_600_000), 'soon', null]) {
      put('loop.json', { ...LOOP, created_at });
      expect(loop(now).renews(ended('cancelled'), 's1')).toBe(false);
    }
    rmSync(stateDir('orchestrator.json'));
    put('loop.json', { ...LOOP, created_at: later(5000) });
    expect(loop(now).renews(ended('cancelled'), 's1')).toBe(false);
  });
});

describe('the instruction', () => {
  test("begins with the document's sentences in its order", async () => {
    inGit();
    write(project, 'a.ts', 'changed');
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

describe('after a Stop', () => {
  const log = () => readFileSync(join(home, '.ralph/logs/stop-hook.log'), 'utf8');
  const block: Decision = { kind: 'block', instruction: 'continue' };
  const end = (status: 'claimed_done' | 'reached_limit'): Decision => ({
    kind: 'end',
    status,
    cause: 'iterations',
    detail: 'iteration 25 of 25',
  });
  const settle = async (decision: Decision) => {
    const changes = loop().settle(decision, freshLoop(), await judged());
    expect(applyChanges(changes, join(home, 'lock'))).toEqual([]);
  };

  test('the log of the document gets its lines, and no state file is touched', async () => {
    put('orchestrator.json', ORCHESTRATOR);
    const before = readFileSync(stateDir('orchestrator.json'));
    await settle(block);
    await settle({ kind: 'allow', cause: 'background' });
    await settle(end('reached_limit'));
    await settle(end('claimed_done'));
    const stamp = /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] /;
    const lines = log().trimEnd().split('\n');
    expect(lines.every((line) => stamp.test(line))).toBe(true);
    expect(lines.map((line) => line.replace(stamp, ''))).toEqual([
      'Stop hook fired: session=s1',
      "Stop BLOCKED: Orchestrator phase 'implementation' not complete.",
      'Stop hook fired: session=s1',
      'Stop APPROVED for now, not done: background',
      'Stop hook fired: session=s1',
      'Stop APPROVED, NOT done: reached_limit (iteration 25 of 25)',
      'Stop hook fired: session=s1',
      'Stop APPROVED',
    ]);
    expect(readFileSync(stateDir('orchestrator.json')).equals(before)).toBe(true);
    expect(readdirSync(stateDir())).toEqual(['orchestrator.json']);
  });

  test('its times are those of this machine', async () => {
    put('loop.json', LOOP);
    await settle(block);
    const at = new Date(T0);
    expect(log()).toContain(`[${at.getFullYear()}-`);
    expect(log()).toContain(` ${String(at.getHours()).padStart(2, '0')}:00:00] `);
  });

  test('what stands in the files makes no second line', async () => {
    put('orchestrator.json', { phase: `x\n[2020-01-01 00:00:00] Stop APPROVED\r${'y'.repeat(5000)}` });
    await settle(block);
    expect(log().trimEnd().split('\n')).toHaveLength(2);
    expect(log().length).toBeLessThan(2500);
  });

  test('a log that cannot be written is reported', async () => {
    put('loop.json', LOOP);
    mkdirSync(join(home, '.ralph/logs/stop-hook.log'), { recursive: true });
    const changes = loop().settle(block, freshLoop(), await judged());
    expect(applyChanges(changes, join(home, 'lock'))).toEqual([expect.stringContaining('stop-hook.log')]);
  });

  test("the document's words are put out at the end, and never for what is not done", async () => {
    put('orchestrator.json', ORCHESTRATOR);
    const verdicts = await judged();
    const output = (status: 'verified_done' | 'claimed_done' | 'stalled') =>
      loop().output?.(freshLoop({ status }), verdicts);
    const met = { decision: 'approve', reason: 'All VERIFIED_DONE conditions met' };
    expect(output('claimed_done')).toEqual(met);
    expect(output('verified_done')).toEqual(met);
    expect(output('stalled')).toEqual({
      decision: 'approve',
      reason: "NOT done (stalled): Orchestrator phase 'implementation' not complete.",
    });
  });
});

describe('whatever the files hold', () => {
  const names = ['orchestrator.json', 'loop.json', 'quality-gate.json', 'tasks/1.json'];
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .record(
        Object.fromEntries(
          [
            ...Object.keys(ORCHESTRATOR),
            ...Object.keys(LOOP),
            ...Object.keys(QUALITY),
            'status',
            'complexity',
          ].map((key) => [key, fc.anything({ maxDepth: 2 })]),
        ),
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );

  test('reading, judging and speaking never throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 4, maxLength: 4 }), async (texts) => {
        rmSync(stateDir(), { recursive: true, force: true });
        for (const [i, name] of names.entries()) put(name, texts[i] ?? '');
        const reading = read();
        if (reading.kind !== 'loop') return;
        const verdicts = await reading.loop.judge({
          hasGates: false,
          workspace: () => Promise.reject(new Error('x')),
        });
        expect(reading.loop.instruct(held(verdicts)).reason.length).toBeLessThanOrEqual(REASON_LIMIT);
        expect(
          reading.loop.settle({ kind: 'block', instruction: 'continue' }, freshLoop(), verdicts),
        ).toHaveLength(1);
        expect(verdicts.some(blocks) || reading.loop.rest !== undefined).toBe(true);
        expect(Number.isSafeInteger(reading.loop.iteration ?? 0)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('a million brackets and a file of many megabytes are only a file that cannot be used', () => {
    put('loop.json', '['.repeat(1_000_000));
    expect(read().kind).toBe('unusable');
    put('loop.json', `{"task": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
    expect(loop().task).toContain('Finish the work');
    put('loop.json', `"${'x'.repeat(17 * 1024 * 1024)}"`);
    expect(read()).toMatchObject({ kind: 'unusable', problem: expect.stringContaining('larger than') });
  });

  test('a file that may not be read holds nobody and is named', () => {
    put('loop.json', LOOP);
    const denied = (path: string) => ({
      kind: 'unusable' as const,
      problem: `EACCES: permission denied, open '${path}'`,
    });
    const reading = verifiedDoneDialect.read(place(), { ...foreignFiles, read: denied });
    expect(reading).toMatchObject({
      kind: 'unusable',
      problem: expect.stringContaining(stateDir('orchestrator.json')),
    });
  });
});
