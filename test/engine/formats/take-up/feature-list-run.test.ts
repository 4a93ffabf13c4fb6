/** A feature list whose session is full goes on as a run, with the same files. */
import { describe, expect, test } from 'vitest';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import { iterationsBeside, progressOfRun } from '../../../../src/engine/formats/feature-list/run-progress.ts';
import { closeRun, formatOfRun } from '../../../../src/engine/hook/wiring/foreign.ts';
import type { LoopRef } from '../../../../src/engine/ports/ports.ts';
import { applyChanges, foreignFiles } from '../../../../src/engine/project/files.ts';
import { freshLoop } from '../../../support/core/samples.ts';
import { type ForeignScene, foreignScene, trustContract } from '../../../support/hook/foreign-scene.ts';
import { messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, PASS, run } from '../../../support/hook/judging.ts';

const FOLDER = '.claude/data/ralph-loops/current';
const LIST = `${FOLDER}/feature_list.json`;
const PROGRESS = `${FOLDER}/progress.txt`;
const FULL = { tokens: 170_000, model: 'claude-sonnet-4-5' };
const list = (...passes: boolean[]) =>
  JSON.stringify({
    features: passes.map((value, i) => ({ id: i + 1, description: `F${i + 1}`, passes: value })),
  });

interface RunScene extends ForeignScene {
  spawned: LoopRef[];
}

async function full(onContext: 'spawn' | 'continue' = 'spawn'): Promise<RunScene> {
  const scene = Object.assign(foreignScene({ tests: PASS }), { spawned: [] as LoopRef[] });
  await trustContract(scene, contractWith({ tests: run('npm test') }, { onContext }));
  scene.ports.spawnRun = (ref) => void scene.spawned.push(ref);
  scene.write(LIST, list(false, false));
  scene.write(PROGRESS, '- Max Iterations: 9\n- Iteration: 3\n- Status: IN_PROGRESS\n');
  return scene;
}

/** The sessions of the run, as its driver answers them. */
function goOn(scene: RunScene): void {
  const [ref] = scene.spawned;
  if (!ref) throw new Error('no run');
  const { home, store, project, ports } = scene;
  const place = { session: '', folder: project, userHome: project, now: scene.now };
  scene.ports.foreign = async () => ({ loops: [], messages: [] });
  scene.ports.formatOf = (event, of, state) => formatOfRun(event, of, state, { home, ports, place });
  store.append(ref, () => ({ kind: 'intent', session: 'r1', resume: false, why: 'hand_over' }));
  store.bind('r1', project, ref);
}

describe('a list in a session that is full', () => {
  test('is handed over where the contract says so', async () => {
    const scene = await full();
    expect(reasonOf(await scene.stop({ context: FULL }))).toContain('Write a hand-over note');
    expect(scene.spawned).toEqual([]);
    expect(messageOf(await scene.stop({ context: FULL, lastMessage: 'NOTE' }))).toContain(
      'goes on in the background',
    );
    expect(scene.spawned).toHaveLength(1);
    expect(scene.text(PROGRESS)).toContain('- Iteration: 3');
  });

  test('goes on in the session where it does not', async () => {
    const scene = await full('continue');
    expect(reasonOf(await scene.stop({ context: FULL }))).toContain('NEXT FEATURE (ID 1)');
  });

  test('the run works through the list, and writes progress.txt', async () => {
    const scene = await full();
    await scene.stop({ context: FULL });
    await scene.stop({ context: FULL, lastMessage: 'NOTE' });
    // The old session, and any other one, is left in peace.
    const before = scene.ports.foreign;
    goOn(scene);
    const inRun = scene.ports.foreign;
    scene.ports.foreign = before;
    expect((await scene.stop({ lastMessage: 'again' })).kind).toBe('silence');
    expect((await scene.stopOf('s3')).kind).toBe('silence');
    scene.ports.foreign = inRun;
    expect(reasonOf(await scene.stopOf('r1'))).toContain('NEXT FEATURE (ID 1): F1');
    expect(scene.text(PROGRESS)).toContain('- Iteration: 5');
    scene.write(LIST, '{');
    expect(reasonOf(await scene.stopOf('r1', { lastMessage: 'oh' }))).toContain('cannot be read any more');
    scene.write(LIST, list(true, true));
    await scene.stopOf('r1', { lastMessage: 'all' });
    expect(scene.states()).toMatchObject([{ status: 'verified_done', session: 'r1' }]);
    expect(scene.text(PROGRESS)).toContain('- Status: COMPLETE');
  });

  test('an ending without a Stop is written, too', async () => {
    const scene = await full();
    await scene.stop({ context: FULL });
    await scene.stop({ context: FULL, lastMessage: 'NOTE' });
    goOn(scene);
    const [ref] = scene.spawned;
    if (!ref) throw new Error('no run');
    const { home, store, project, ports } = scene;
    store.append(ref, () => ({ kind: 'ended', status: 'reached_limit', cause: 'cost', detail: '20 of 20' }));
    const place = { session: '', folder: project, userHome: project, now: scene.now };
    closeRun(ref, { home, ports, place });
    expect(scene.text(PROGRESS)).toContain('- Status: REACHED_LIMIT');
  });
});

describe('a list that a run was given', () => {
  const state = (changes: Partial<LoopState>) => freshLoop({ dialect: 'native', ...changes });
  const write = (scene: ForeignScene, now: LoopState) =>
    applyChanges(
      progressOfRun(`${scene.project}/${LIST}`, now, [], foreignFiles),
      `${scene.home.root}/files.lock`,
    );

  test('its progress.txt names the limit, and gets the count and the ending', () => {
    const scene = foreignScene();
    scene.write(LIST, list(true, true));
    expect(iterationsBeside(`${scene.project}/${LIST}`, foreignFiles)).toBeUndefined();
    scene.write(PROGRESS, 'notes\n- Max Iterations: 7\n- Iteration: 0\n- Status: IN_PROGRESS\n');
    expect(iterationsBeside(`${scene.project}/${LIST}`, foreignFiles)).toBe(7);
    expect(write(scene, state({ iteration: 3 }))).toEqual([]);
    expect(scene.text(PROGRESS)).toBe('notes\n- Max Iterations: 7\n- Iteration: 3\n- Status: IN_PROGRESS\n');
    const ended = state({ status: 'verified_done', ending: { cause: 'gates_passed', detail: '', at: 0 } });
    write(scene, ended);
    write(scene, ended);
    expect(scene.text(PROGRESS)?.match(/All 2 features verified/g)).toHaveLength(1);
    expect(scene.text(PROGRESS)).toContain('- Status: COMPLETE');
  });

  test('a progress.txt is never made, and a limit of 0 is none', () => {
    const scene = foreignScene();
    scene.write(LIST, list(true));
    write(scene, state({ iteration: 3 }));
    expect(scene.text(PROGRESS)).toBeUndefined();
    scene.write(PROGRESS, 'Max Iterations: 0\n');
    expect(iterationsBeside(`${scene.project}/${LIST}`, foreignFiles)).toBeUndefined();
  });
});
