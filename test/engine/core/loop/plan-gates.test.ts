import { describe, expect, test } from 'vitest';
import {
  type Contract,
  DEFAULT_LIMITS,
  type GateSpec,
} from '../../../../src/engine/core/contract/contract.ts';
import type { HookEvent } from '../../../../src/engine/core/loop/event.ts';
import { callsFor, type GateCall, planGates } from '../../../../src/engine/core/loop/plan-gates.ts';

const run = (command: string): GateSpec => ({ kind: 'run', options: { command } });
const all = (...gates: string[]): GateSpec => ({ kind: 'all', options: { gates } });
const any = (...gates: string[]): GateSpec => ({ kind: 'any', options: { gates } });

function contract(changes: Partial<Contract> = {}): Contract {
  return {
    v: 1,
    gates: { tests: run('npm test'), lint: run('npm run lint'), tidy: run('true') },
    done: ['tests', 'lint'],
    limits: DEFAULT_LIMITS,
    onContext: 'continue',
    notify: [],
    ...changes,
  };
}

const names = (calls: readonly GateCall[]) => calls.map((call) => call.name);
const planned = (event: object, changes: Partial<Contract> = {}) =>
  names(planGates({ session: 's1', ...event } as HookEvent, contract(changes)));
const subagent = (agentType?: string) => ({
  name: 'SubagentStop',
  stopHookActive: false,
  backgroundTasks: [],
  wakeUps: [],
  ...(agentType === undefined ? {} : { agentType }),
});

describe('which gates guard an event', () => {
  test('the Stop of a loop: those of done, in their order', () => {
    expect(planned({ name: 'Stop' }, { done: ['lint', 'tests'] })).toEqual(['lint', 'tests']);
  });
  test('tasks and teammates: their own lists, nothing without one', () => {
    const lists = { taskDone: ['tidy'], teammate: ['lint'] };
    expect(planned({ name: 'TaskCompleted' }, lists)).toEqual(['tidy']);
    expect(planned({ name: 'TeammateIdle' }, lists)).toEqual(['lint']);
    expect(planned({ name: 'TaskCompleted' })).toEqual([]);
    expect(planned({ name: 'TeammateIdle' })).toEqual([]);
  });
  test.each(['PreToolUse', 'SessionStart', 'TaskCreated', 'UserPromptSubmit', 'other'])(
    '%s: none',
    (name) => {
      expect(planned({ name }, { taskDone: ['tidy'], everyStop: { gates: ['lint'], blocks: 2 } })).toEqual(
        [],
      );
    },
  );
});

describe('subagents', () => {
  const lists = { subagent: { '*': ['lint'], 'review-*': ['tidy', 'lint'], Explore: ['tests'] } };
  test('every pattern that fits counts, each gate once', () => {
    expect(planned(subagent('review-code'), lists)).toEqual(['lint', 'tidy']);
    expect(planned(subagent('Explore'), lists)).toEqual(['lint', 'tests']);
    expect(planned(subagent('other'), lists)).toEqual(['lint']);
  });
  test('the agent of a compaction has no type and is nobody', () => {
    expect(planned(subagent(), lists)).toEqual([]);
    expect(planned(subagent(''), lists)).toEqual([]);
  });
  test('a type is text: only * in the pattern means more than itself', () => {
    const odd = { subagent: { 'a.b': ['tests'], 'x(y': ['lint'], '[z]': ['tidy'], 'p*q*': ['tests'] } };
    expect(planned(subagent('a.b'), odd)).toEqual(['tests']);
    expect(planned(subagent('aXb'), odd)).toEqual([]);
    expect(planned(subagent('x(y'), odd)).toEqual(['lint']);
    expect(planned(subagent('z'), odd)).toEqual([]);
    expect(planned(subagent('p1q2'), odd)).toEqual(['tests']);
    expect(planned(subagent('1p1q2'), odd)).toEqual([]);
  });
});

describe('gates made of gates', () => {
  const gates = { ...contract().gates, either: any('lint', 'tidy'), ready: all('tests', 'either') };
  test('keep what they are made of, however deep', () => {
    const [ready] = callsFor(['ready'], contract({ gates }));
    expect(names(ready?.children ?? [])).toEqual(['tests', 'either']);
    expect(names(ready?.children?.[1]?.children ?? [])).toEqual(['lint', 'tidy']);
  });
  test('a name that is no gate is left out', () => {
    expect(names(callsFor(['tests', 'gone'], contract()))).toEqual(['tests']);
  });
  test('a gate that leads back to itself ends there', () => {
    const circle = { a: all('b', 'tests'), b: any('a'), tests: run('x') };
    const [a] = callsFor(['a'], contract({ gates: circle }));
    expect(names(a?.children ?? [])).toEqual(['b', 'tests']);
    expect(a?.children?.[0]?.children).toEqual([]);
  });
  test('the same gate in two combinations is planned in both', () => {
    const shared = { ...contract().gates, one: all('tests', 'lint'), two: any('tests') };
    const calls = callsFor(['one', 'two'], contract({ gates: shared }));
    expect(calls.map((call) => names(call.children ?? []))).toEqual([['tests', 'lint'], ['tests']]);
  });
});
