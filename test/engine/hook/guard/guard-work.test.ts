import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../../../src/engine/core/loop/event.ts';
import { GUARDED_BLOCKS, guardedSubject } from '../../../../src/engine/hook/guard/guard-work.ts';
import { type HookScene, hookScene, reasonOf } from '../../../support/hook/hook-scene.ts';
import { contractWith, FAIL, run } from '../../../support/hook/judging.ts';

const CONTRACT = contractWith(
  { tests: run(), tidy: run('tidy') },
  { done: ['tests'], subagent: { 'review-*': ['tidy'] }, taskDone: ['tidy'], teammate: ['tidy'] },
);
const subagent = (agentType = 'review-code', agentId = 'a1') => ({
  name: 'SubagentStop' as const,
  stopHookActive: false,
  backgroundTasks: [],
  wakeUps: [],
  agentType,
  agentId,
});
const task = (taskId = '1') => ({ name: 'TaskCompleted' as const, taskId, subject: 'x' });
const teammate = (name = 'ada') => ({ name: 'TeammateIdle' as const, teammate: name, team: 't' });

function begun(): HookScene {
  const scene = hookScene({ tidy: FAIL });
  scene.begin(CONTRACT);
  return scene;
}

describe('the end of a piece of work in a loop', () => {
  test.each([subagent(), task(), teammate()])(
    '$name is held by its own gates, and it is no iteration',
    async (event) => {
      const scene = begun();
      const reason = reasonOf(await scene.hook(event));
      expect(reason).toMatch(/^untildone: .*fix this first\./i);
      expect(reason).toContain('Fails: tidy');
      expect(scene.judges.judged).toEqual(['tidy']);
      expect(scene.state()).toMatchObject({ iteration: 1, blocksInARow: 0, status: 'active' });
      expect(scene.lastEntry()).toMatchObject({ kind: 'guard', event: event.name, refused: true });
    },
  );
  test.each([
    ['an agent that no list names', subagent('Explore')],
    ['the agent of a compaction', subagent('')],
    ['a task that was only created', { ...task(), name: 'TaskCreated' as const }],
  ])('%s goes its way, and nothing is judged', async (_, event) => {
    const scene = begun();
    expect((await scene.hook(event)).kind).toBe('silence');
    expect(scene.judges.judged).toEqual([]);
  });
  test('what passes goes its way, and the journal says so', async () => {
    const scene = hookScene();
    scene.begin(CONTRACT);
    expect((await scene.hook(task())).kind).toBe('silence');
    expect(scene.lastEntry()).toMatchObject({
      kind: 'guard',
      refused: false,
      verdicts: [{ outcome: 'pass' }],
    });
  });
  test('nobody is held for ever: so many times each, and the others still', async () => {
    const scene = begun();
    const answers = async (event: Parameters<HookScene['hook']>[0], times: number) => {
      const kinds: string[] = [];
      for (let i = 0; i < times; i++) kinds.push((await scene.hook(event)).kind);
      return kinds;
    };
    expect(await answers(task('1'), GUARDED_BLOCKS + 2)).toEqual([
      ...Array(GUARDED_BLOCKS).fill('refuse'),
      'silence',
      'silence',
    ]);
    expect(await answers(task('2'), 1)).toEqual(['refuse']);
    expect(await answers(subagent('review-code', '1'), 1)).toEqual(['refuse']);
  });
  test('a paused loop holds nobody', async () => {
    const scene = begun();
    const ref = scene.store.loopOfSession('s1');
    if (ref) scene.store.append(ref, () => ({ kind: 'command', command: 'pause' }));
    expect((await scene.hook(task())).kind).toBe('silence');
    expect(scene.judges.judged).toEqual([]);
  });
  test('what nobody approved is not run', async () => {
    const scene = hookScene({ tidy: FAIL });
    scene.begin(CONTRACT, { fingerprint: 'another' });
    expect((await scene.hook(task())).kind).toBe('silence');
    expect(scene.judges.judged).toEqual([]);
  });
  test('a contract that was put in the place of the frozen one judges nothing', async () => {
    const scene = begun();
    const file = join(scene.store.loopOfSession('s1')?.dir ?? '', 'contract.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"fingerprint":"print"', '"fingerprint":""'));
    expect((await scene.hook(task())).kind).toBe('silence');
    expect(scene.judges.judged).toEqual([]);
    await scene.stop();
    expect(scene.state()).toMatchObject({ status: 'failed', ending: { cause: 'contract_replaced' } });
  });
});

test('whoever is held is told apart from everybody else, and by nothing longer than a line', () => {
  const subject = (event: object) => guardedSubject({ session: 's', ...event } as HookEvent);
  const all = [task('1'), task('2'), teammate('1'), subagent('x', '1')].map(subject);
  expect(new Set(all).size).toBe(4);
  expect(subject(task('x'.repeat(10_000)))).toHaveLength(200);
  expect(subject({ name: 'SubagentStop' })).toBe('agent ');
});
