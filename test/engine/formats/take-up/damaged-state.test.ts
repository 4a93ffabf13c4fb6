import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../../src/engine/core/loop/event.ts';
import { type ForeignScene, foreignScene, RALPH, ralph } from '../../../support/hook/foreign-scene.ts';
import { reasonOf } from '../../../support/hook/hook-scene.ts';
import { FAIL } from '../../../support/hook/judging.ts';

const FOLDER = '.claude/data/ralph-loops/current';
const LIST = `${FOLDER}/feature_list.json`;
const features = (passes = false) =>
  JSON.stringify({ features: [{ id: 1, description: 'add', passes }] }, null, 2);
const BROKEN = '{\n  "features": [\n    { "id": 1 "passes": true }\n  ]\n}\n';

async function begun(progress = '- Max Iterations: 15\n- Iteration: 0\n'): Promise<ForeignScene> {
  const scene = foreignScene();
  scene.write(LIST, features());
  scene.write(`${FOLDER}/progress.txt`, progress);
  expect((await scene.stopOf('s1', { promptId: 'p1' })).kind).toBe('refuse');
  return scene;
}
/** What the person is shown, whether or not the session is held. */
const messageOf = (answer: Answer) => ('message' in answer ? answer.message : undefined);
const stop = (scene: ForeignScene, lastMessage = 'done', promptId = 'p1') =>
  scene.stopOf('s1', { promptId, lastMessage });

describe('a feature list that is damaged in mid-loop', () => {
  test('holds the session, and says where the fault is and what to do', async () => {
    const scene = await begun();
    scene.write(LIST, BROKEN);
    const answer = await stop(scene);
    expect(reasonOf(answer)).toContain(`${join(scene.project, LIST)}\nline 3, column 15: this is no JSON`);
    expect(reasonOf(answer)).toContain('Put exactly that right');
    expect(messageOf(answer)).toContain('held to repair it, 1 of 3');
    expect(scene.states()).toMatchObject([
      { status: 'active', iteration: 2, gates: [{ name: 'state file', verdict: 'fail' }] },
    ]);
  });
  test.each(['', '[]', '{}', '{"features": [1]}'])('whatever is wrong with it: %j', async (text) => {
    const scene = await begun();
    scene.write(LIST, text);
    expect((await stop(scene)).kind).toBe('refuse');
  });
  test('lets go after three times in a row, with a message for the person, and the loop lives on', async () => {
    const scene = await begun();
    for (const text of [BROKEN, '{', '[]']) {
      scene.write(LIST, text);
      expect((await stop(scene, `tried ${text}`)).kind).toBe('refuse');
    }
    for (const again of ['p1', 'p2']) {
      const last = await stop(scene, 'cannot', again);
      expect(last.kind).toBe('tell');
      expect(messageOf(last)).toContain('feature-list holds no session');
      expect(messageOf(last)).toContain('put it right, and the loop goes on');
    }
    expect(scene.states()).toMatchObject([{ status: 'active', iteration: 4 }]);
    scene.write(LIST, features());
    expect(reasonOf(await stop(scene, 'mended', 'p2'))).toContain('NEXT FEATURE (ID 1)');
    scene.write(LIST, BROKEN);
    expect(messageOf(await stop(scene, 'oh', 'p2'))).toContain('1 of 3');
  });
  test('goes on when it is mended, with the count that it had come to', async () => {
    const scene = await begun();
    scene.write(LIST, BROKEN);
    await stop(scene);
    expect(scene.text(`${FOLDER}/progress.txt`)).toContain('- Iteration: 1\n');
    scene.write(LIST, features());
    expect(reasonOf(await stop(scene, 'mended', 'p2'))).toContain('Ralph Loop iteration 3/15');
    expect(scene.text(`${FOLDER}/progress.txt`)).toContain('- Iteration: 3\n');
    scene.write(LIST, features(true));
    await stop(scene, 'all', 'p2');
    expect(scene.states()).toMatchObject([{ status: 'claimed_done' }]);
  });
  test('is held no longer than the loop may last; its files get their last form when they can be read', async () => {
    const scene = await begun('- Max Iterations: 1\n- Iteration: 0\n- Status: GOING\n');
    scene.write(LIST, BROKEN);
    expect((await stop(scene)).kind).toBe('tell');
    expect(scene.states()).toMatchObject([{ status: 'reached_limit' }]);
    scene.write(LIST, features());
    await stop(scene);
    expect(scene.text(`${FOLDER}/progress.txt`)).toContain('- Status: REACHED_LIMIT');
  });
  test('may be mended: the client is answered for it, and the guard stays', async () => {
    const scene = await begun();
    scene.write(LIST, BROKEN);
    const ask = (name: 'PermissionRequest' | 'PreToolUse', path: string) =>
      scene.hook({ name, tool: 'Edit', input: { file_path: path } }).then(({ kind }) => kind);
    expect(await ask('PermissionRequest', LIST)).toBe('permit');
    expect(await ask('PermissionRequest', '.claude/settings.json')).toBe('silence');
    expect(await ask('PreToolUse', '.claude/settings.json')).toBe('refuse');
  });
  test('holds no other session, and none when it was never readable', async () => {
    const scene = await begun();
    scene.write(LIST, BROKEN);
    expect(messageOf(await scene.stopOf('s2'))).toContain('feature-list holds no session');
    const never = foreignScene();
    never.write(LIST, BROKEN);
    expect(messageOf(await never.stopOf('s1'))).toContain('feature-list holds no session');
    expect(never.states()).toEqual([]);
  });
  test('that was deleted with its folder is cancelled as ever', async () => {
    const scene = await begun();
    rmSync(join(scene.project, FOLDER), { recursive: true });
    expect((await stop(scene)).kind).toBe('tell');
    expect(scene.states()).toMatchObject([{ status: 'cancelled', ending: { cause: 'state_removed' } }]);
  });
  test('or replaced by what is no file at all lets go as ever', async () => {
    const scene = await begun();
    scene.remove(LIST);
    mkdirSync(join(scene.project, LIST));
    expect(messageOf(await stop(scene))).toContain('feature-list holds no session');
  });
});

test.each(['orchestrator.json', 'loop.json'])('a damaged %s holds its session, too', async (name) => {
  const scene = foreignScene();
  const folder = join(dirname(scene.project), '.ralph/state/s1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), '{"task": "auth", "max_iterations": 9}');
  expect((await stop(scene)).kind).toBe('refuse');
  writeFileSync(join(folder, name), '{"task": "auth",\n "verified_done": tru}');
  for (const time of [1, 2, 3]) {
    const answer = await stop(scene, `try ${time}`);
    expect(reasonOf(answer)).toContain(`${join(folder, name)}\nline 2, column 19: this is no JSON`);
    expect(messageOf(answer)).toContain(`${time} of 3`);
  }
  expect(messageOf(await stop(scene))).toContain('verified-done holds no session');
  expect(readFileSync(join(folder, name), 'utf8')).toContain('tru}');
});

test('a ralph-loop state that is damaged lets go as ever: no agent writes it', async () => {
  const scene = foreignScene({ promise: FAIL });
  scene.write(RALPH, ralph());
  expect((await stop(scene)).kind).toBe('refuse');
  scene.write(RALPH, 'nothing of it is left');
  expect(messageOf(await stop(scene))).toContain('ralph-loop holds no session');
});

describe('a VERIFIED_DONE state of which one part is damaged', () => {
  const AT = '../.ralph/state/s1';
  const orchestrator = { task: 'Fix it', created_at: 'then', phase: 'planning', verified_done: false };
  const loop = { task: 'Fix types', iteration: 1, max_iterations: 9, verified_done: false };

  test('from the beginning: what can be read holds, and the rest is told', async () => {
    const scene = foreignScene();
    scene.write(`${AT}/orchestrator.json`, '{ "phase": ');
    scene.write(`${AT}/loop.json`, JSON.stringify(loop));
    const answer = await stop(scene);
    expect(reasonOf(answer)).toContain('Loop iteration 1 of 9 not complete.');
    expect(reasonOf(answer)).toContain('Cannot be read (repair them):');
    expect(messageOf(answer)).toContain('orchestrator.json is not JSON (line 1');
  });

  test('in mid-loop: it stays the same loop, also with the next prompt, and goes on when it is mended', async () => {
    const scene = foreignScene();
    scene.write(`${AT}/orchestrator.json`, JSON.stringify(orchestrator));
    scene.write(`${AT}/loop.json`, JSON.stringify(loop));
    await stop(scene, 'one');
    scene.write(`${AT}/orchestrator.json`, '{');
    expect(reasonOf(await stop(scene, 'two', 'p2'))).toContain('Loop iteration');
    scene.write(`${AT}/loop.json`, JSON.stringify({ ...loop, verified_done: true }));
    expect(messageOf(await stop(scene, 'three', 'p3'))).toContain('held to repair it, 1 of 3');
    scene.write(`${AT}/orchestrator.json`, JSON.stringify(orchestrator));
    expect(reasonOf(await stop(scene, 'four', 'p4'))).toContain("Orchestrator phase 'planning'");
    expect(scene.states()).toMatchObject([{ status: 'active', iteration: 5 }]);
  });
});
