import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { claimFiles } from '../../../src/home/claims.ts';
import {
  contract,
  folder,
  imported,
  path,
  RALPH,
  ralph,
  said,
  snapshot,
  undo,
  useImportScene,
  world,
  write,
} from '../../support/cli/import-scene.ts';
import { contractWith, frozenWith } from '../../support/hook/judging.ts';
import { git } from '../../support/project/project-scene.ts';

useImportScene();

const loopOf = (session: string) => {
  const ref = world().store.loopOfSession(session);
  if (!ref) throw new Error('there is no loop');
  return { ref, state: world().store.read(ref) };
};

describe('a ralph loop', () => {
  test('goes on as a loop of our own, with its task, its promise and its count', async () => {
    write(RALPH, ralph('s1'));
    expect(await imported('ralph-loop')).toEqual({ exitCode: 0, contractWritten: true });
    expect(contract()).toMatchObject({
      task: 'Build the shop.',
      gates: { promised: { kind: 'promise', options: { text: 'ALL DONE' } } },
      limits: { iterations: 20 },
    });
    const { ref, state } = loopOf('s1');
    expect(state).toMatchObject({ status: 'active', iteration: 4, maxIterations: 20, dialect: 'native' });
    expect(world().store.task(ref)).toBe('Build the shop.');
    expect(existsSync(path(RALPH))).toBe(false);
    expect(world().store.isMarked('s1')).toBe(true);
  });

  test('comes back with every byte, and its loop is cancelled', async () => {
    write(RALPH, ralph('s1', 'unknown: kept\r\n'));
    const before = snapshot(world().project);
    await imported('ralph-loop');
    expect(await undo()).toBe(0);
    expect(snapshot(world().project)).toEqual(before);
    expect(loopOf('s1').state.status).toBe('cancelled');
    expect(said()).toContain('holds its session again, from its next stop on');
  });

  test('that was taken over already goes on where that loop is, which ends', async () => {
    write(RALPH, ralph('s1'));
    const old = world().store.createLoopFiles({
      loop: 'old',
      session: 's1',
      project: world().project,
      dialect: 'ralph-loop',
      task: 'x',
      contract: frozenWith(contractWith({}), { project: world().project }),
      transcriptOffset: 0,
    });
    world().store.append(old, () => ({ kind: 'synced', iteration: 9 }));
    claimFiles(world().home).change(path(RALPH), () => ({
      v: 1,
      dialect: 'ralph-loop',
      path: path(RALPH),
      identity: 'x',
      session: 's1',
      loopDir: old.dir,
    }));
    await imported('ralph-loop');
    expect(world().store.read(old)).toMatchObject({
      status: 'cancelled',
      ending: { cause: 'state_replaced' },
    });
    expect(loopOf('s1').state.iteration).toBe(9);
  });

  test('of nobody becomes a contract, and stays where it is', async () => {
    write(RALPH, ralph(''));
    expect(await imported('ralph-loop')).toMatchObject({ exitCode: 0 });
    expect(existsSync(path(RALPH))).toBe(true);
    expect(said()).toContain('untildone import --from ralph-loop --session ID');
    expect(contract().task).toBe('Build the shop.');
    await undo();
    await imported('ralph-loop', { session: 's7' });
    expect(loopOf('s7').state.iteration).toBe(4);
    expect(existsSync(path(RALPH))).toBe(false);
  });

  test('keeps the promise that a contract has already', async () => {
    write('untildone.yaml', 'gates: { p: { promise: MINE } }\n');
    write(RALPH, ralph('s1'));
    await imported('ralph-loop');
    expect(contract().gates).toEqual({ p: { kind: 'promise', options: { text: 'MINE' } } });
    expect(said()).toContain('that one counts, not "ALL DONE"');
  });

  test('is left where it is when no loop can be started', async () => {
    write(RALPH, ralph('s1'));
    await imported('ralph-loop');
    write(RALPH, ralph('s1'));
    await expect(imported('ralph-loop')).rejects.toThrow(/already has an active loop/);
    expect(existsSync(path(RALPH))).toBe(true);
  });

  test.each([
    ['none', undefined, /there is no state/],
    ['one that cannot be read', 'no front matter', /no front matter/],
  ])('%s is refused', async (_, text, why) => {
    if (text !== undefined) write(RALPH, text);
    await expect(imported('ralph-loop')).rejects.toThrow(why);
    expect(existsSync(path('untildone.yaml'))).toBe(false);
  });
});

describe('a feature list', () => {
  const LOOPS = '.claude/data/ralph-loops';
  const list = (name: string) => {
    const features = [{ id: 1, description: 'cart', steps: ['add'], passes: false }];
    write(`${LOOPS}/${name}/feature_list.json`, JSON.stringify({ total_features: 1, features }));
    write(`${LOOPS}/${name}/progress.txt`, 'Max Iterations: 12\nIteration: 3\nStatus: IN_PROGRESS\n');
    write(`${LOOPS}/${name}/RALPH_PROMPT.md`, '# Build the shop\n');
  };

  beforeEach(() => {
    git(world().project, 'init', '--quiet', '--initial-branch=main');
  });

  test('becomes a gate; the link to it is put aside', async () => {
    list('shop');
    symlinkSync('shop', path(`${LOOPS}/current`));
    const before = snapshot(path(LOOPS));
    expect(await imported('feature-list', { session: 's1' })).toMatchObject({ exitCode: 0 });
    expect(contract()).toMatchObject({
      gates: { features: { kind: 'features', options: { file: `${LOOPS}/shop/feature_list.json` } } },
      limits: { iterations: 12 },
    });
    expect(loopOf('s1').state).toMatchObject({ status: 'active', iteration: 3, maxIterations: 12 });
    expect(existsSync(path(`${LOOPS}/current`))).toBe(false);
    await undo();
    expect(snapshot(path(LOOPS))).toEqual(before);
  });

  test('in a folder of its own is put aside with it', async () => {
    list('current');
    await imported('feature-list', { session: 's1' });
    expect(contract().gates.features).toMatchObject({
      options: { file: `${LOOPS}/current.imported/feature_list.json` },
    });
    expect(statSync(path(`${LOOPS}/current.imported/progress.txt`)).isFile()).toBe(true);
    await undo();
    expect(existsSync(path(`${LOOPS}/current/feature_list.json`))).toBe(true);
  });

  test('that names no session changes nothing but the contract', async () => {
    list('shop');
    symlinkSync('shop', path(`${LOOPS}/current`));
    await imported('feature-list');
    expect(existsSync(path(`${LOOPS}/current`))).toBe(true);
    expect(contract().gates).toHaveProperty('features');
  });
});

describe('states that have no gates of their own', () => {
  beforeEach(() => {
    git(world().project, 'init', '--quiet', '--initial-branch=main');
    write('package.json', JSON.stringify({ scripts: { test: 'exit 1' } }));
  });

  test('a lock becomes a task with the gates that fit the project', async () => {
    write('.claude/runtime/locks/.lock_active', 'session_id: s1\n');
    write('.claude/runtime/locks/.lock_goal', 'Finish the shop\n');
    const before = snapshot(path('.claude'));
    expect(await imported('lock')).toMatchObject({ exitCode: 0 });
    expect(contract()).toMatchObject({
      task: 'Finish the shop',
      gates: { tests: { kind: 'run', options: { command: 'npm test' } } },
    });
    expect(readdirSync(path('.claude/runtime/locks'))).toEqual([]);
    expect(loopOf('s1').state).toMatchObject({ status: 'active', maxIterations: 50 });
    await undo();
    expect(snapshot(path('.claude'))).toEqual(before);
  });

  test('the files of VERIFIED_DONE are those of a session', async () => {
    const state = join(folder(), '.ralph/state/s1');
    mkdirSync(join(state, 'tasks'), { recursive: true });
    const loop = { task: 'Finish it', iteration: 2, max_iterations: 9, verified_done: false };
    writeFileSync(join(state, 'loop.json'), JSON.stringify(loop));
    writeFileSync(join(state, 'tasks', '1.json'), JSON.stringify({ status: 'pending' }));
    const before = snapshot(state);
    await expect(imported('verified-done')).rejects.toThrow(/--session ID/);
    expect(await imported('verified-done', { session: 's1' })).toMatchObject({ exitCode: 0 });
    expect(contract()).toMatchObject({ task: 'Finish it', gates: { tests: { kind: 'run' } } });
    expect(loopOf('s1').state).toMatchObject({ iteration: 2, maxIterations: 9 });
    expect(snapshot(state)).toEqual({});
    await undo();
    expect(snapshot(state)).toEqual(before);
  });
});
