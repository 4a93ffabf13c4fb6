/** Feature lists whose features are measured by a gate of a trusted contract, and lists that are done at the first Stop. */
import { describe, expect, test } from 'vitest';
import type { GateSpec } from '../../../../src/engine/core/contract/contract.ts';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { type ForeignScene, foreignScene, trustContract } from '../../../support/hook/foreign-scene.ts';
import { messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { all, contractWith, FAIL, PASS, type Says } from '../../../support/hook/judging.ts';

const FOLDER = '.claude/data/ralph-loops/current';
const LIST = `${FOLDER}/feature_list.json`;
const PROGRESS = `${FOLDER}/progress.txt`;
const gate = (file: string): GateSpec => ({ kind: 'features', options: { file } });

function list(...passes: (boolean | string)[]): string {
  const features = passes.map((value, i) => ({ id: i + 1, description: `Feature ${i + 1}`, passes: value }));
  return `${JSON.stringify({ features }, null, 2)}\n`;
}
const ticks = (scene: ForeignScene) =>
  (JSON.parse(scene.text(LIST) ?? '') as { features: { passes: unknown }[] }).features.map((f) => f.passes);

async function measured(
  judgement: Judgement,
  gates: Record<string, GateSpec> = { list: gate(LIST) },
): Promise<ForeignScene> {
  const says: Record<string, Says> = { list: judgement };
  const scene = foreignScene(says);
  await trustContract(scene, contractWith(gates, { done: Object.keys(gates).slice(0, 1) }));
  scene.write(PROGRESS, '- Max Iterations: 5\n- Iteration: 0\n- Status: IN_PROGRESS\n');
  return scene;
}

describe('what was measured rules', () => {
  test.each([
    ['by its name', { list: gate(LIST) }],
    ['inside another gate', { both: all('list'), list: gate(LIST) }],
  ])('a feature that passes without a tick is done, and is ticked: gate %s', async (_, gates) => {
    const scene = await measured({ ...PASS, measured: { passing: ['1', '2'], open: [] } }, gates);
    scene.write(LIST, list(false, 'no', true));
    await scene.stop();
    expect(scene.states()).toMatchObject([{ status: 'verified_done' }]);
    expect(ticks(scene)).toEqual([true, true, true]);
    expect(scene.text(PROGRESS)).toContain('- Status: COMPLETE');
    expect(scene.text(PROGRESS)).toContain('All 3 features verified. Loop complete.');
  });

  test('a feature with a tick that fails is open, and is the next one', async () => {
    const scene = await measured({ ...FAIL, measured: { passing: [], open: ['2'] } });
    scene.write(LIST, list(true, true, true));
    expect(reasonOf(await scene.stop())).toContain('NEXT FEATURE (ID 2): Feature 2');
    expect(ticks(scene)).toEqual([true, true, true]);
    expect(scene.text(PROGRESS)).toContain('- Status: IN_PROGRESS');
  });

  test('while others are open, those that pass are ticked and skipped', async () => {
    const scene = await measured({ ...FAIL, measured: { passing: ['1'], open: [] } });
    scene.write(LIST, list(false, false));
    expect(reasonOf(await scene.stop())).toContain('NEXT FEATURE (ID 2)');
    expect(ticks(scene)).toEqual([true, false]);
  });

  test('a gate for another list says nothing about this one', async () => {
    const scene = await measured(
      { ...PASS, measured: { passing: ['1'], open: [] } },
      { list: gate('other.json') },
    );
    scene.write(LIST, list(false));
    expect(reasonOf(await scene.stop())).toContain('NEXT FEATURE (ID 1)');
    expect(ticks(scene)).toEqual([false]);
  });
});

describe('every feature passes at the very first Stop', () => {
  const ROWS: [name: string, progress: string | undefined][] = [
    ['a progress.txt', '# Progress\n\n- Max Iterations: 5\n- Iteration: 0\n- Status: IN_PROGRESS\n'],
    ['a status that nobody knows', 'Status: somewhere\r\n'],
    ['a progress.txt without a status', 'My notes'],
    ['an empty progress.txt', ''],
    ['no progress.txt', undefined],
  ];
  test.each(ROWS)('it is judged, and COMPLETE is written: %s', async (_, progress) => {
    const scene = foreignScene();
    scene.write(LIST, list(true, true));
    if (progress !== undefined) scene.write(PROGRESS, progress);
    expect(messageOf(await scene.stop())).toContain('All 2 features claimed, not verified');
    expect(scene.states()).toMatchObject([{ status: 'claimed_done' }]);
    expect(scene.text(PROGRESS)).toMatch(/^(- )?Status: COMPLETE\r?$/m);
    if (progress === 'My notes') expect(scene.text(PROGRESS)).toMatch(/^My notes\n- Status: COMPLETE\n- \[/);
    // The next sessions are left in peace.
    expect((await scene.stopOf('s2')).kind).toBe('silence');
    expect(scene.states()).toHaveLength(1);
  });

  test('gates of the contract are judged first', async () => {
    const scene = await measured(FAIL);
    scene.write(LIST, list(true));
    expect((await scene.stop()).kind).toBe('refuse');
    expect(scene.text(PROGRESS)).toContain('IN_PROGRESS');
  });

  test('also when the list was done before, and you have begun it anew', async () => {
    const scene = foreignScene();
    scene.write(LIST, list(true));
    await scene.stop({ promptId: 'p1' });
    scene.write(LIST, list(true, true));
    scene.write(PROGRESS, '- Status: IN_PROGRESS\n');
    scene.now += 1000;
    await scene.stop({ promptId: 'p2' });
    expect(scene.states().map(({ status }) => status)).toEqual(['claimed_done', 'claimed_done']);
    expect(scene.text(PROGRESS)).toContain('- Status: COMPLETE');
  });

  test('with a progress.txt that cannot be written it is not judged again and again', async () => {
    const scene = foreignScene();
    scene.write(LIST, list(true));
    scene.write(PROGRESS, '- Status: IN_PROGRESS\n');
    scene.now = Date.now() + 1000;
    await scene.stop({ promptId: 'p1' });
    scene.write(PROGRESS, '- Status: IN_PROGRESS\n');
    for (const promptId of ['p2', 'p3']) await scene.stop({ promptId });
    expect(scene.states()).toHaveLength(1);
    const odd = foreignScene();
    odd.write(LIST, list(true));
    odd.write(`${PROGRESS}/in-the-way`, '');
    await odd.stop();
    expect(odd.states()).toEqual([]);
  });
});
