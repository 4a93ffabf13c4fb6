import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type HookScene, hookScene, messageOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, run } from '../../../support/hook/judging.ts';

const TESTS = contractWith({ tests: run('npm test') });

function withLoop(): HookScene {
  const scene = hookScene({ tests: FAIL });
  scene.begin(TESTS);
  return scene;
}

const begins = (scene: HookScene, source: string, session = 's2') =>
  scene.hook({ name: 'SessionStart', source, session });
const ends = (scene: HookScene, reason: string) => scene.hook({ name: 'SessionEnd', reason });
const notes = (scene: HookScene) => join(scene.home.root, 'standing', scene.project, '.loops');

describe('a session of its own', () => {
  test('after /clear is told where the loop is, and how it goes on', async () => {
    const scene = withLoop();
    await ends(scene, 'clear');
    const told = messageOf(await begins(scene, 'clear'));
    expect(told).toContain('/clear began a session of its own, which is not held.');
    expect(told).toContain('Loop l1 (a task; iteration 1 of 50) stays with session s1.');
    expect(told).toContain('claude --resume s1');
    expect(told).toContain('untildone cancel l1');
  });

  test('after /clear of a session without a loop is told nothing of the loops of others', async () => {
    const scene = withLoop();
    expect(await begins(scene, 'clear')).toEqual({ kind: 'silence' });
    await ends(scene, 'other');
    expect(await begins(scene, 'clear')).toEqual({ kind: 'silence' });
  });

  test('that is a fork is told that the loop stays behind', async () => {
    const told = messageOf(await begins(withLoop(), 'fork'));
    expect(told).toContain('this copy is a session of its own, which is not held.');
    expect(told).toContain('stays with session s1');
  });

  test.each(['startup', 'resume'])('by %s is told nothing', async (source) => {
    const scene = withLoop();
    await ends(scene, 'clear');
    expect(await begins(scene, source)).toEqual({ kind: 'silence' });
  });

  test('is told nothing once the loop has ended, and is not looked at again', async () => {
    const scene = withLoop();
    await ends(scene, 'clear');
    expect(existsSync(notes(scene))).toBe(true);
    const ref = scene.store.loopOfSession('s1') ?? { loop: '', dir: '' };
    scene.store.append(ref, () => ({ kind: 'command', command: 'cancel' }));
    expect(await begins(scene, 'clear')).toEqual({ kind: 'silence' });
    expect(existsSync(notes(scene))).toBe(false);
  });

  test('is told nothing where the journal of the loop cannot be read', async () => {
    const scene = withLoop();
    writeFileSync(join(scene.store.loopOfSession('s1')?.dir ?? '', 'journal.jsonl'), 'no journal\n');
    writeFileSync(join(scene.home.root, 'ends', 'l1'), 'no copy of its end\n');
    expect(await begins(scene, 'fork')).toEqual({ kind: 'silence' });
  });
});

test('the session that has the loop is reminded instead', async () => {
  const scene = withLoop();
  await ends(scene, 'clear');
  expect((await begins(scene, 'resume', 's1')).kind).toBe('inject');
});
