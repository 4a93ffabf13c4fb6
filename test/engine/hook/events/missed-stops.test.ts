import { beforeEach, describe, expect, test } from 'vitest';
import { describeEntry } from '../../../../src/engine/core/words/entries.ts';
import type { LoopRef } from '../../../../src/engine/ports/ports.ts';
import { type HookScene, hookScene } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, run } from '../../../support/hook/judging.ts';

const MINUTE = 60_000;
let scene: HookScene;
let ref: LoopRef;

beforeEach(() => {
  scene = hookScene({ tests: FAIL });
  ref = scene.begin(contractWith({ tests: run('npm test') }));
});

/** A turn of the session ends; its Stop reaches us or not. */
async function turn(stopReaches: boolean): Promise<void> {
  scene.now += MINUTE;
  scene.turnEnd = scene.now;
  scene.now += MINUTE;
  if (stopReaches) await scene.stop();
  scene.now += MINUTE;
}

const event = (name: 'UserPromptSubmit' | 'SessionStart' | 'SessionEnd', more = {}) =>
  scene.hook({
    name,
    transcript: '/a/transcript',
    prompt: 'go on',
    source: 'resume',
    reason: 'other',
    ...more,
  });

const notes = () => {
  const last = scene.lastEntry();
  return last.kind === 'event' ? last.event : last.kind;
};

describe('a turn that ended without a Stop that reached us', () => {
  test.each(['UserPromptSubmit', 'SessionStart', 'SessionEnd'] as const)('is noted at %s', async (name) => {
    await turn(false);
    await event(name);
    expect(scene.state().missed).toEqual({ at: scene.turnEnd });
  });

  test('is told once and noted once, however many turns are missed, until a Stop reaches us again', async () => {
    await turn(false);
    expect(await event('UserPromptSubmit')).toMatchObject({
      kind: 'tell',
      message: expect.stringMatching(/^untildone: loop \S+: a turn .* untildone doctor/),
    });
    const { missed } = scene.state();
    await turn(false);
    expect(await event('UserPromptSubmit')).toEqual({ kind: 'silence' });
    expect(scene.state().missed).toEqual(missed);
    await turn(true);
    expect(scene.state().missed).toBeUndefined();
    await event('UserPromptSubmit');
    expect(scene.state().missed).toBeUndefined();
    await turn(false);
    await event('UserPromptSubmit');
    expect(scene.state().missed).toEqual({ at: scene.turnEnd });
  });

  test('is told in words by the journal', async () => {
    await turn(false);
    await event('SessionEnd');
    const entry = {
      kind: 'event',
      event: 'MissedStop',
      detail: { ended: '2026-01-02T03:04:05.000Z' },
    } as const;
    expect(describeEntry(entry, scene.state())).toContain(
      'NOT JUDGED: a turn ended (2026-01-02T03:04:05.000Z)',
    );
  });
});

describe('nothing is noted', () => {
  test('where each Stop reached us, whether it was judged or the loop was paused', async () => {
    await turn(true);
    await event('UserPromptSubmit');
    scene.store.append(ref, () => ({ kind: 'command', command: 'pause' }));
    await turn(true);
    scene.store.append(ref, () => ({ kind: 'command', command: 'resume' }));
    await event('UserPromptSubmit');
    expect(scene.state().missed).toBeUndefined();
    expect(notes()).toBe('UserPromptSubmit');
  });

  test.each([
    ['for a turn before the loop began', () => (scene.turnEnd = scene.now - MINUTE), {}],
    ['inside a subagent', () => (scene.turnEnd = scene.now + 1), { agentId: 'a1' }],
    ['where there is no transcript', () => (scene.turnEnd = scene.now + 1), { transcript: undefined }],
    ['where the transcript does not tell', () => (scene.turnEnd = undefined), {}],
  ])('%s', async (_, arrange, more) => {
    arrange();
    scene.now += MINUTE;
    await event('UserPromptSubmit', more);
    expect(scene.state().missed).toBeUndefined();
  });

  test('in the middle of a turn, at a compaction', async () => {
    await turn(false);
    await event('SessionStart', { source: 'compact' });
    expect(scene.state().missed).toBeUndefined();
  });

  test('for a loop of a version that did not know when the last Stop was', async () => {
    const { stoppedAt: _, ...older } = scene.state();
    expect(older).not.toHaveProperty('stoppedAt');
    const { missedStop } = await import('../../../../src/engine/core/loop/missed-stop.ts');
    expect(missedStop(older, scene.now + MINUTE)).toBeUndefined();
  });
});
