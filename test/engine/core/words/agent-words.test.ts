import { expect, test } from 'vitest';
import {
  DEFAULT_LIMITS,
  type GateSpec,
  promiseContract,
} from '../../../../src/engine/core/contract/contract.ts';
import { callsFor } from '../../../../src/engine/core/loop/plan-gates.ts';
import { agentBrief } from '../../../../src/engine/core/words/guards.ts';
import { traitsOf } from '../../../../src/engine/gates/traits.ts';

const GATES: Record<string, GateSpec> = {
  tests: { kind: 'run', options: { command: 'npm test -- --token=sk-ant-abcdefgh1234', cwd: 'api' } },
  tidy: { kind: 'forbid', options: { patterns: ['todo'], custom: [{ name: 'raw-sql', pattern: 'x' }] } },
  said: { kind: 'promise', options: { text: 'ALL DONE' } },
  pushed: { kind: 'git', options: { checks: ['pushed'] } },
  either: { kind: 'any', options: { gates: ['tidy', 'pushed'] } },
  plan: {
    kind: 'chunks',
    options: { chunks: [{ name: 'parser', instruction: 'parse', gates: ['tidy'], after: [] }] },
  },
};
const calls = (...names: string[]) =>
  callsFor(names, { ...promiseContract('x', DEFAULT_LIMITS), gates: GATES });

test('an agent is told each check in words, without secrets', () => {
  const brief = agentBrief(calls('tests', 'tidy', 'said', 'either', 'plan'), traitsOf);
  expect(brief).toContain('- tests: `npm test -- --token=[redacted]` succeeds in api');
  expect(brief).toContain('- tidy: no added line has any of todo, raw-sql');
  expect(brief).toContain('- said: your final message ends with <promise>ALL DONE</promise>');
  expect(brief).toContain('- either: no added line has any of todo, raw-sql; or a check of the kind git');
  expect(brief).toContain('- plan: the chunks that your task names, or all: parser');
});

test('the phase of the loop is told with what it asks for', () => {
  const phase = { name: 'implement', number: 2, of: 3, instruction: 'Write the code.\nThen test it.' };
  expect(agentBrief(calls('tidy'), traitsOf, phase)).toContain(
    'The whole work is in phase 2 of 3, "implement": Write the code. Then test it.',
  );
});

test('however much there is to say, it is short', () => {
  const gates: Record<string, GateSpec> = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`g${i}`, { kind: 'run', options: { command: 'x'.repeat(9000) } }]),
  );
  const many = callsFor(Object.keys(gates), { ...promiseContract('x', DEFAULT_LIMITS), gates });
  const phase = { name: 'p', number: 1, of: 1, instruction: 'y'.repeat(9000) };
  const brief = agentBrief(many, traitsOf, phase);
  expect(brief.length).toBeLessThanOrEqual(2000);
  expect(brief).toContain('phase 1 of 1');
  expect(brief).toMatch(/before you end\.$/);
  expect(agentBrief(many.slice(0, 13), traitsOf)).toContain('and 1 more');
});
