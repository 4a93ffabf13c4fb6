import { describe, expect, test } from 'vitest';
import type { BackgroundTask, HookEvent } from '../../../../src/engine/core/loop/event.ts';
import type { AgentLine } from '../../../../src/engine/core/loop/state.ts';
import type { Judgement } from '../../../../src/engine/gates/gate.ts';
import { subagentsGate } from '../../../../src/engine/gates/subagents/index.ts';
import { gateContext } from '../../../support/gates/context.ts';

type Status = AgentLine['status'];

let born = 0;

/** Agents that began one after the other; each that ended did so before the next began, unless said otherwise. */
function agent(status: Status, more: Partial<AgentLine> = {}): AgentLine {
  const begunAt = ++born * 10;
  return {
    id: `id${born}`,
    type: 'chunk-a',
    status,
    begunAt,
    ...(status === 'working' ? {} : { endedAt: begunAt + 5 }),
    ...(status === 'passed' ? { measured: true as const } : {}),
    ...(status === 'failed' ? { failed: 'lint (2 problems)' } : {}),
    ...more,
  };
}

function judged(
  agents: readonly AgentLine[] | undefined,
  { atLeast = 1, running = [] as string[], type = 'chunk-*', event = {} as object } = {},
): Judgement {
  const backgroundTasks = running.map(
    (id): BackgroundTask => ({
      id,
      type: 'subagent',
      status: 'running',
      description: '',
    }),
  );
  const stop = { name: 'Stop', session: 's', stopHookActive: false, backgroundTasks, wakeUps: [], ...event };
  const context = gateContext({ event: stop as HookEvent, agents });
  const judgement = subagentsGate.judge({ type, atLeast }, context, new AbortController().signal);
  if (judgement instanceof Promise) throw new Error('judged at once');
  return judgement;
}

describe('the subagents of a type', () => {
  test('all ended and passed: as strong as what each was judged by', () => {
    expect(judged([agent('passed'), agent('passed', { type: 'chunk-b' })], { atLeast: 2 })).toMatchObject({
      outcome: 'pass',
      class: 'measured',
      summary: '2 subagents of the type chunk-* ended and passed',
    });
    const { measured: _, ...unguarded } = agent('passed');
    expect(judged([agent('passed'), unguarded])).toMatchObject({ outcome: 'pass', class: 'claimed' });
  });
  test('others are none of its business', () => {
    expect(judged([agent('passed'), agent('failed', { type: 'Explore' })]).outcome).toBe('pass');
    expect(judged([agent('passed', { type: 'my-chunk-a' })])).toMatchObject({ outcome: 'fail' });
  });
  test('too few: so many more are to be started', () => {
    expect(judged([], { atLeast: 2 })).toMatchObject({
      outcome: 'fail',
      summary: 'subagents of the type chunk-*: 0 passed, 2 more are to be started',
      next: 'Start 2 more of the subagents of the type chunk-*.',
    });
    expect(judged([agent('passed')], { atLeast: 2 }).summary).toContain('1 more is to be started');
  });
  test('one that still works is waited for, by name', () => {
    const busy = agent('working', { id: 'a9' });
    const { outcome, summary, evidence, next } = judged([agent('passed'), busy], { running: ['a9'] });
    expect(outcome).toBe('fail');
    expect(summary).toContain('wait for chunk-a (a9)');
    expect(evidence).toEqual(['chunk-a (a9): still works']);
    expect(next).toContain('Wait for chunk-a (a9)');
  });
  test('one that another agent waits for is not lost', () => {
    const inner = agent('working', { id: 'inner' });
    expect(judged([inner], { running: ['outer'] }).evidence).toEqual(['chunk-a (inner): still works']);
  });
  test('outside a Stop nobody knows what still runs', () => {
    const busy = agent('working', { id: 'a9' });
    expect(judged([busy], { event: { name: 'TaskCompleted' } }).evidence).toEqual([
      'chunk-a (a9): still works',
    ]);
  });
  test('an agent that is judged by it does not wait for itself', () => {
    const event = { name: 'SubagentStop', agentId: 'a9' };
    expect(judged([agent('passed'), agent('working', { id: 'a9' })], { event }).outcome).toBe('pass');
  });
  test('outside a loop nothing is counted', () => {
    expect(judged(undefined).outcome).toBe('skip');
  });
});

describe('one that did not pass', () => {
  test('is told with what failed, and another one has to do it', () => {
    expect(judged([agent('failed', { id: 'a1' })])).toMatchObject({
      outcome: 'fail',
      summary: 'subagents of the type chunk-*: 0 passed, 1 did not pass',
      evidence: ['chunk-a (a1): ended although it fails: lint (2 problems)'],
      next: 'Start another subagent of the type chunk-a for what chunk-a (a1) was to do; it has to pass.',
    });
  });
  test('is lost when it no longer works and never said so', () => {
    expect(judged([agent('working', { id: 'a1' })]).evidence).toEqual([
      'chunk-a (a1): ended without being checked',
    ]);
    expect(judged([agent('lost', { id: 'a1' })], { running: ['x'] }).outcome).toBe('fail');
  });
  test.each<[string, () => AgentLine[], Judgement['outcome']]>([
    ['one of its type that came later', () => [agent('failed'), agent('passed')], 'pass'],
    ['one that came later than one lost', () => [agent('lost'), agent('passed')], 'pass'],
    ['not by one of another type', () => [agent('failed'), agent('passed', { type: 'chunk-b' })], 'fail'],
    ['not by one that was there before', () => [agent('passed'), agent('failed')], 'fail'],
    [
      'not by one that worked beside it',
      () => {
        const failed = agent('failed');
        return [failed, agent('passed', { begunAt: failed.begunAt + 1 })];
      },
      'fail',
    ],
    ['each by its own', () => [agent('failed'), agent('failed'), agent('passed')], 'fail'],
    [
      'each by its own, in order',
      () => [agent('failed'), agent('lost'), agent('passed'), agent('passed')],
      'pass',
    ],
  ])('is made good by %s', (_, agents, outcome) => {
    expect(judged(agents()).outcome).toBe(outcome);
  });
  test('does not count as one of those that have to be there', () => {
    expect(judged([agent('failed'), agent('passed')], { atLeast: 2 }).summary).toContain(
      '1 more is to be started',
    );
  });
  test('the same picture has the same name, another one another', () => {
    const failed = agent('failed');
    expect(judged([failed]).fingerprint).toBe(judged([failed]).fingerprint);
    expect(judged([failed]).fingerprint).not.toBe(judged([failed, agent('failed')]).fingerprint);
  });
});
