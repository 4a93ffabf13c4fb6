import { describe, expect, test } from 'vitest';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import type { Piece } from '../../../../src/engine/core/run/children.ts';
import type { LoopRef } from '../../../../src/engine/ports/ports.ts';
import {
  type ChildRest,
  type ChildrenPorts,
  type MergeEnd,
  runChildren,
} from '../../../../src/engine/run/parallel/run-children.ts';
import type { RunEvent } from '../../../../src/engine/run/reporter.ts';
import { freshLoop } from '../../../support/core/samples.ts';
import { type HookScene, hookScene } from '../../../support/hook/hook-scene.ts';
import { contractWith, frozenWith, run } from '../../../support/hook/judging.ts';

const DONE: ChildRest = { kind: 'ended', status: 'verified_done', cause: '', detail: 'done', commit: 'abc' };
const MERGED: MergeEnd = { outcome: 'merged' };
const piece = (name: string, ...after: string[]): Piece => ({ name, title: `piece ${name}`, after });

interface Scene {
  scene: HookScene;
  ref: LoopRef;
  /** What happened, in order. */
  story: string[];
  events: RunEvent[];
  go(world: Partial<ChildrenPorts>): Promise<LoopState>;
}

/** A run that was divided, and children that do what the test says. */
function divided(atOnce: number, pieces: readonly Piece[], limits = {}): Scene {
  const scene = hookScene({});
  const contract = contractWith({ tests: run('npm test') });
  const ref = scene.store.create({
    loop: 'parent',
    session: 'first',
    project: scene.project,
    dialect: 'native',
    task: 'Build it',
    transcriptOffset: 0,
    contract: frozenWith(
      { ...contract, limits: { ...contract.limits, ...limits } },
      { project: scene.project, fingerprint: '' },
    ),
    run: { mode: 'hybrid' },
  });
  scene.store.append(ref, () => ({ kind: 'split', atOnce, pieces: pieces.length }));
  const story: string[] = [];
  const events: RunEvent[] = [];
  let next = 0;
  const go = (world: Partial<ChildrenPorts>) =>
    runChildren(ref, {
      ports: scene.ports,
      pieces,
      newLoop: () => `c${++next}`,
      drive: async () => DONE,
      report: (event) => events.push(event),
      interrupted: () => false,
      ...world,
      merge: async (child, of, begins) => {
        story.push(`merge ${of.name}`);
        begins('abc');
        return world.merge ? world.merge(child, of, begins) : MERGED;
      },
    });
  return { scene, ref, story, events, go };
}

/** A child whose end the test decides. */
function held() {
  const ends = new Map<string, (rest: ChildRest) => void>();
  const drive: ChildrenPorts['drive'] = (_child, { name }) =>
    new Promise((done) => {
      ends.set(name, done);
    });
  return {
    drive,
    end: (name: string, rest: ChildRest = DONE) => ends.get(name)?.(rest),
    begun: () => [...ends.keys()],
  };
}

const settled = () => new Promise<void>((done) => setImmediate(done));

describe('the children of a run', () => {
  test('are no more at a time than was said, and the next begins when the work of one is in', async () => {
    const { go, story } = divided(2, [piece('1'), piece('2'), piece('3')]);
    const { drive, end, begun } = held();
    const over = go({ drive });
    await settled();
    expect(begun()).toEqual(['1', '2']);
    end('2');
    await settled();
    expect(story).toEqual(['merge 2']);
    expect(begun()).toEqual(['1', '2', '3']);
    end('3');
    end('1');
    const state = await over;
    expect(state.run?.children).toMatchObject({ merged: 3, over: true, list: [] });
  });
  test('what one could not do, or not merge, is left to the run', async () => {
    const { go } = divided(3, [piece('1'), piece('2'), piece('3', '2')]);
    const state = await go({
      drive: async (_, { name }) =>
        name === '1' ? { kind: 'ended', status: 'stalled', cause: 'same_failure', detail: 'again' } : DONE,
      merge: async () => ({ outcome: 'conflict', files: ['x'] }),
    });
    expect(state.status).toBe('active');
    expect(state.run?.children?.list.map(({ piece: name, status, merge }) => [name, status, merge])).toEqual([
      ['1', 'stalled', undefined],
      ['2', 'verified_done', 'conflict'],
    ]);
  });
  test('share one budget: nobody begins when it is used up', async () => {
    const { go } = divided(1, [piece('1'), piece('2')], { costUsd: 10 });
    const begun: string[] = [];
    const state = await go({
      drive: async (child, { name }, limits, heard) => {
        begun.push(`${name}: ${limits.costUsd}`);
        expect(limits.costUsd).toBe(child.share.costUsd);
        heard.state(freshLoop({ loop: child.loop, spent: { costUsd: 11, tokens: 5 }, iteration: 3 }));
        return DONE;
      },
    });
    expect(begun).toEqual(['1: 5']);
    expect(state.spent).toEqual({ costUsd: 11, tokens: 5 });
    expect(state.iteration).toBe(3);
  });
  test('a wait of all of them is no working time of the run', async () => {
    const { go, scene } = divided(2, [piece('1'), piece('2')]);
    const waits: ((why: string | undefined) => void)[] = [];
    const { drive, end } = held();
    const over = go({
      drive: (child, of, limits, heard) => {
        waits.push(heard.waits);
        return drive(child, of, limits, heard);
      },
    });
    await settled();
    scene.now += 1000;
    waits[0]?.('a limit');
    scene.now += 1000;
    waits[1]?.('a limit');
    scene.now += 60_000;
    waits[0]?.(undefined);
    end('1');
    end('2');
    expect((await over).waitedMs).toBe(60_000);
  });
  test('an interrupt pauses the run when those at work have come to rest, and it goes on where it was', async () => {
    const { go, ref, scene } = divided(1, [piece('1'), piece('2')]);
    let asked = false;
    const paused = await go({
      interrupted: () => asked,
      drive: async () => {
        asked = true;
        return { kind: 'rests', why: 'interrupted' };
      },
    });
    expect(paused.status).toBe('paused');
    scene.store.append(ref, () => ({ kind: 'command', command: 'resume' }));
    const driven: string[] = [];
    const state = await go({
      newLoop: () => 'c9',
      drive: async ({ loop }, { name }) => {
        driven.push(`${loop} ${name}`);
        return DONE;
      },
    });
    expect(driven).toEqual(['c1 1', 'c9 2']);
    expect(state.run?.children).toMatchObject({ merged: 2, over: true });
  });
  test('one that needs a person pauses the run; one whose login has run out ends it', async () => {
    const needs = divided(1, [piece('1'), piece('2')]);
    const rests = await needs.go({ drive: async () => ({ kind: 'rests', why: 'approve it' }) });
    expect(rests).toMatchObject({ status: 'paused', waiting: { detail: 'approve it' } });
    const out = divided(1, [piece('1'), piece('2')]);
    const failed: ChildRest = { kind: 'ended', status: 'failed', cause: 'auth', detail: 'log in' };
    const state = await out.go({ drive: async () => failed });
    expect(state).toMatchObject({ status: 'failed', ending: { cause: 'auth', detail: 'log in' } });
  });
  test('nobody begins after a person has cancelled the run', async () => {
    const { go, ref, scene, story } = divided(1, [piece('1'), piece('2')]);
    const state = await go({
      drive: async () => {
        scene.store.append(ref, () => ({ kind: 'command', command: 'cancel' }));
        return DONE;
      },
    });
    expect(state.status).toBe('cancelled');
    expect(story).toEqual([]);
  });
  test('one that throws pauses the run with its words, and can be tried again', async () => {
    const { go } = divided(1, [piece('1')]);
    const state = await go({ drive: () => Promise.reject(new Error('no room for a worktree')) });
    expect(state).toMatchObject({ status: 'paused', waiting: { detail: '1: no room for a worktree' } });
    expect(state.run?.children?.list[0]?.status).toBe('open');
  });
});
