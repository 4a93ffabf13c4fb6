import { describe, expect, test } from 'vitest';
import type { GateSpec } from '../../../src/core/contract/contract.ts';
import { answersByTree, judgeable } from '../../../src/reflect/replay/judgeable.ts';

const GATES: Record<string, GateSpec> = {
  tests: { kind: 'run', options: { command: 'npm test' } },
  intact: { kind: 'tests_intact', options: {} },
  said: { kind: 'promise', options: { text: 'DONE' } },
  asked: { kind: 'approve', options: { ask: 'Good?' } },
  tasks: { kind: 'tasks', options: {} },
  pushed: { kind: 'git', options: { checks: ['pushed'] } },
  ci: { kind: 'ci', options: { provider: 'github' } },
  good: { kind: 'judge', options: { question: 'Good?' } },
  both: { kind: 'all', options: { gates: ['tests', 'intact'] } },
  either: { kind: 'any', options: { gates: ['tests', 'asked'] } },
  around: { kind: 'all', options: { gates: ['around', 'tests'] } },
};

describe('which gates can be judged on a tree of the past', () => {
  test.each([
    ['tests', undefined],
    ['intact', undefined],
    ['both', undefined],
    ['around', undefined],
    ['said', 'session'],
    ['asked', 'session'],
    ['tasks', 'session'],
    ['either', 'session'],
    ['pushed', 'repository'],
    ['ci', 'repository'],
    ['good', 'model'],
  ])('%s: %s', (name, why) => {
    const { names, unjudged } = judgeable({ gates: GATES, done: [name] }, false);
    expect(names).toEqual(why === undefined ? [name] : []);
    expect(unjudged.map((one) => one.why)).toEqual(why === undefined ? [] : [why]);
  });

  test('models are asked when you say so', () => {
    expect(judgeable({ gates: GATES, done: ['good'] }, true)).toEqual({ names: ['good'], unjudged: [] });
  });

  test('verdicts of the past count when a tree can answer for them', () => {
    expect(['run', 'tests_intact', 'all', 'forbid'].every(answersByTree)).toBe(true);
    expect(['promise', 'approve', 'judge', 'ci', 'git', 'tasks'].some(answersByTree)).toBe(false);
  });
});
