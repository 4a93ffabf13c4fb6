import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claim } from '../../../../src/cli/formats/claim.ts';
import { T0 } from '../../../support/core/samples.ts';
import { foreignScene, RALPH, ralph } from '../../../support/hook/foreign-scene.ts';
import { messageOf, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, PASS, run } from '../../../support/hook/judging.ts';

const NOT_YET = { promise: FAIL };

describe('a state that names its owner', () => {
  test('holds that session, in its own words, and counts in its file', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    const answer = await scene.stopOf('s1');
    expect(reasonOf(answer)).toContain('Fix it.');
    expect(answer.kind === 'refuse' ? answer.message : '').toMatch(
      /^Ralph iteration 2 \| To stop: output <promise>DONE<\/promise>\nuntildone: held, .* untildone cancel \S+$/,
    );
    expect(scene.text(RALPH)).toBe(ralph({ iteration: 2 }));
    expect(scene.states()).toMatchObject([
      { dialect: 'ralph-loop', session: 's1', iteration: 2, maxIterations: 5 },
    ]);
  });
  test('does not hold another session, and stays as it is', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    expect(await scene.stopOf('s2')).toEqual({ kind: 'silence' });
    expect(scene.text(RALPH)).toBe(ralph());
    expect(scene.states()).toEqual([]);
  });
  test('is taken up in the middle of its count', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph({ iteration: 4 }));
    await scene.stopOf('s1');
    expect(messageOf(await scene.stopOf('s1'))).toContain(
      'the limit of iterations was reached (iteration 5 of 5)',
    );
    expect(scene.text(RALPH)).toBeUndefined();
  });
  test('a promise on the last allowed iteration is success', async () => {
    const scene = foreignScene({ promise: PASS });
    scene.write(RALPH, ralph({ iteration: 5 }));
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ status: 'claimed_done' }]);
  });
});

describe('a state that names nobody', () => {
  const UNOWNED = ralph({ session_id: '' });
  test('holds nobody, and every stop says so: whoever leaves it alone overnight believes it does', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, UNOWNED);
    const answer = await scene.stopOf('s1');
    expect(answer.kind).not.toBe('refuse');
    expect(messageOf(answer)).toContain(
      'names none; to bind it to one, type in a terminal: untildone claim ralph-loop',
    );
    expect(scene.text(RALPH)).toBe(UNOWNED);
  });
  test('holds the session that a person bound it to, and no other', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, UNOWNED);
    const { home, store, project } = scene;
    const place = { folder: project, userHome: project, now: T0 };
    claim('ralph-loop', 's1', place, { home, store, clock: { now: () => T0 }, env: {} }, () => undefined);
    expect((await scene.stopOf('s2')).kind).toBe('silence');
    expect((await scene.stopOf('s1')).kind).toBe('refuse');
    expect(scene.states()).toMatchObject([{ session: 's1' }]);
  });
});

describe('the end of a loop', () => {
  test('the file is gone with it, and kept with the journal', async () => {
    const scene = foreignScene({ promise: PASS });
    scene.write(RALPH, ralph());
    expect(messageOf(await scene.stopOf('s1'))).toContain('Ralph loop: Detected <promise>DONE</promise>');
    expect(scene.text(RALPH)).toBeUndefined();
    const [ref] = scene.store.loops(scene.project);
    expect(existsSync(join(ref?.dir ?? '', 'ralph-loop.local.md'))).toBe(true);
  });
  test('removing the file by hand is a cancel', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.remove(RALPH);
    expect(messageOf(await scene.stopOf('s1'))).toContain(
      `cancelled: ${join(scene.project, RALPH)} was removed`,
    );
    expect(scene.store.isMarked('s1')).toBe(false);
  });
  test('cancelled stays cancelled when the same state is written again', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.remove(RALPH);
    await scene.stopOf('s1');
    scene.write(RALPH, ralph({ iteration: 7 }));
    expect(await scene.stopOf('s1')).toEqual({ kind: 'silence' });
    expect(scene.states()).toHaveLength(1);
  });
  test('another state in its place is another loop', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.now += 1000;
    scene.write(RALPH, ralph({ started_at: 'later' }));
    expect((await scene.stopOf('s1')).kind).toBe('refuse');
    expect(scene.states()).toMatchObject([
      { status: 'cancelled', ending: { cause: 'state_replaced' } },
      { status: 'active', iteration: 2 },
    ]);
    expect(scene.store.isMarked('s1')).toBe(true);
  });
  test('an ended loop whose file could not be removed does not begin again', async () => {
    const scene = foreignScene({ promise: PASS });
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.write(RALPH, ralph());
    expect(await scene.stopOf('s1')).toEqual({ kind: 'silence' });
  });
});

describe('the count', () => {
  test('of a person wins', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.write(RALPH, ralph({ iteration: 4, max_iterations: 9 }));
    await scene.stopOf('s1');
    expect(scene.states()).toMatchObject([{ iteration: 5, maxIterations: 9 }]);
  });
  test('goes on although an agent puts it back every time', async () => {
    const scene = foreignScene(NOT_YET);
    for (let i = 0; i < 5; i++) {
      scene.write(RALPH, ralph());
      await scene.stopOf('s1', { lastMessage: `try ${i}` });
    }
    expect(scene.states()).toMatchObject([{ status: 'reached_limit' }]);
  });
  test('goes on although the file cannot be written, and that is said', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write('elsewhere.md', ralph());
    mkdirSync(join(scene.project, '.claude'));
    // Read through a link, but never written through one.
    symlinkSync('../elsewhere.md', join(scene.project, RALPH));
    expect(await scene.stopOf('s1')).toMatchObject({ message: expect.stringContaining('symbolic link') });
    for (let i = 0; i < 4; i++) await scene.stopOf('s1', { lastMessage: `try ${i}` });
    expect(scene.states()).toMatchObject([{ status: 'reached_limit', iteration: 5 }]);
    expect(scene.text('elsewhere.md')).toBe(ralph());
  });
});

describe('within one prompt', () => {
  const samePrompt = { promptId: 'p1' };
  test('a state that is given another time stays the same loop, and its limit holds', async () => {
    const scene = foreignScene(NOT_YET);
    for (let i = 0; i < 6; i++) {
      const iteration = scene.states()[0]?.iteration ?? 1;
      scene.write(RALPH, ralph({ started_at: `time ${i}`, iteration }));
      await scene.stopOf('s1', { ...samePrompt, lastMessage: `try ${i}` });
    }
    expect(scene.states()).toMatchObject([{ status: 'reached_limit', iteration: 5 }]);
  });
  test('a count that is set back, to whatever number, changes nothing', async () => {
    const scene = foreignScene(NOT_YET);
    for (let i = 0; i < 6; i++) {
      scene.write(RALPH, ralph({ iteration: i % 2 }));
      await scene.stopOf('s1', { ...samePrompt, lastMessage: `try ${i}` });
    }
    expect(scene.states()).toMatchObject([{ status: 'reached_limit' }]);
  });
});

describe('an ending that was cut off', () => {
  test('is made up for at the next event', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    const [ref] = scene.store.loops(scene.project);
    if (!ref) throw new Error('no loop');
    // A person cancels from elsewhere, or the hook is killed right after the journal.
    scene.store.append(ref, () => ({ kind: 'command', command: 'cancel' }));
    expect(messageOf(await scene.stopOf('s1'))).toContain('cancelled by hand');
    expect(scene.text(RALPH)).toBeUndefined();
    expect(scene.states()).toMatchObject([{ status: 'cancelled', closed: true }]);
  });
});

describe('what cannot be read', () => {
  test('holds nobody, is said, and does not end the loop that it was', async () => {
    const scene = foreignScene(NOT_YET);
    scene.write(RALPH, ralph());
    await scene.stopOf('s1');
    scene.remove(RALPH);
    mkdirSync(join(scene.project, RALPH));
    expect(messageOf(await scene.stopOf('s1'))).toContain('is not a regular file');
    expect(scene.states()).toMatchObject([{ status: 'active', iteration: 2 }]);
    rmSync(join(scene.project, RALPH), { recursive: true });
    scene.write(RALPH, ralph({ iteration: 2 }));
    expect((await scene.stopOf('s1')).kind).toBe('refuse');
    expect(scene.states()).toMatchObject([{ iteration: 3 }]);
  });
});

test('two loops of one session are both judged, and one reason holds both', async () => {
  const scene = foreignScene({ promise: FAIL, own: FAIL });
  scene.begin(contractWith({ own: run('own') }));
  scene.write(RALPH, ralph());
  const reason = reasonOf(await scene.stopOf('s1'));
  expect(reason).toContain('Fails: own');
  expect(reason).toContain('Fix it.');
  expect(scene.states()).toMatchObject([{ iteration: 2 }, { iteration: 2 }]);
});

test('the end of one of two loops leaves the other one held', async () => {
  const scene = foreignScene({ promise: FAIL, own: PASS });
  scene.begin(contractWith({ own: run('own') }));
  scene.write(RALPH, ralph());
  const answer = await scene.stopOf('s1');
  expect(answer).toMatchObject({ kind: 'refuse', message: expect.stringContaining('loop l1') });
  expect(scene.store.isMarked('s1')).toBe(true);
});
