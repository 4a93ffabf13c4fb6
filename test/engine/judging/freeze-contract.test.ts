import { describe, expect, test } from 'vitest';
import { type Contract, withPromise } from '../../../src/engine/core/contract/contract.ts';
import { freeze } from '../../../src/engine/judging/freeze-contract.ts';
import { contractWith, fakeJudges, run } from '../../support/hook/judging.ts';

const CONTRACT = contractWith({ tests: run('npm test'), lint: run('npm run lint') });

function judges(parts: Record<string, string> = { 'script "test" of package.json': 'h1' }) {
  const fake = fakeJudges();
  fake.partsNow = parts;
  fake.gates.features = {
    kind: 'features',
    class: 'measured',
    freeze: async ({ file }, { project }) => [`${project}/${file}`, 'true'],
    commands: (_, frozen) => (frozen as string[]).slice(1),
    judge: () => ({ outcome: 'pass' as const, summary: '' }),
  };
  return fake;
}
const printOf = async (contract: Contract, parts?: Record<string, string>) =>
  (await freeze(contract, '/project', judges(parts))).frozen.fingerprint;

test('what is run, what it leans on, and what each gate holds fast', async () => {
  const contract = contractWith({
    tests: run('npm test'),
    list: { kind: 'features', options: { file: 'f.json' } },
    clean: { kind: 'git', options: { checks: ['clean'] } },
  });
  const { frozen, commands } = await freeze(contract, '/project', judges());
  const parts = { 'script "test" of package.json': 'h1' };
  expect(commands).toEqual({ tests: ['npm test'], list: ['true'] });
  expect(frozen).toEqual({
    project: '/project',
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    parts: { tests: parts, list: parts },
    gates: { list: ['/project/f.json', 'true'] },
  });
});

test('nothing is judged by it', async () => {
  const fake = judges();
  await freeze(CONTRACT, '/project', fake);
  expect(fake.judged).toEqual([]);
  expect(fake.treesTaken).toBe(0);
});

describe('the fingerprint that a person approves', () => {
  test.each<[string, Contract, Record<string, string>?]>([
    ['another command', contractWith({ ...CONTRACT.gates, tests: run('true') })],
    [
      'another folder',
      contractWith({ ...CONTRACT.gates, tests: { kind: 'run', options: { command: 'npm test', cwd: 'a' } } }),
    ],
    ['another gate', contractWith({ ...CONTRACT.gates, more: run('more') })],
    ['a gate less', contractWith({ tests: run('npm test') })],
    ['another script behind a command', CONTRACT, { 'script "test" of package.json': 'h2' }],
    ['fewer gates for done', { ...CONTRACT, done: ['lint'] }],
    ['standing gates', { ...CONTRACT, everyStop: { gates: ['lint'], blocks: 2 } }],
    ['gates for subagents', { ...CONTRACT, subagent: { '*': ['lint'] } }],
    ['gates for new tasks', { ...CONTRACT, taskCreated: ['lint'] }],
    ['gates for prompts', { ...CONTRACT, prompt: { gates: ['lint'] } }],
    ['what is told with prompts', { ...CONTRACT, prompt: { gates: [], tell: 'x' } }],
    ['what sessions of a run may do', { ...CONTRACT, run: { allow: ['Bash'] } }],
    ['a memory', { ...CONTRACT, memory: { files: ['A.md'], lines: 1, inject: ['startup'], update: true } }],
    ['a failure that is known', { ...CONTRACT, knownFailures: [{ gate: 'tests', test: 'a' }] }],
    ['a webhook', { ...CONTRACT, notify: [{ webhook: 'https://example.com', on: ['done'] }] }],
  ])('changes with %s', async (_, contract, parts) => {
    expect(await printOf(contract, parts)).not.toBe(await printOf(CONTRACT));
  });
  test.each<[string, Contract]>([
    ['limits', { ...CONTRACT, limits: { ...CONTRACT.limits, iterations: 1 } }],
    ['the task', { ...CONTRACT, task: 'another' }],
    ['a promise beside the gates', withPromise(CONTRACT, 'DONE')],
  ])('does not change with %s: it endangers nobody', async (_, contract) => {
    expect(await printOf(contract)).toBe(await printOf(CONTRACT));
  });
});

test('the order of the work, and what each phase has to pass, is part of what is approved; its words are not', async () => {
  const phases = [
    { name: 'plan', entry: [], exit: ['plan'] },
    { name: 'make', entry: [], exit: ['tests'] },
  ];
  const print = async (changed: typeof phases | undefined) =>
    (
      await freeze(
        contractWith({ plan: run(), tests: run() }, changed ? { phases: changed } : {}),
        '/project',
        fakeJudges(),
      )
    ).frozen.fingerprint;
  const before = await print(phases);
  expect(await print(phases.map((each) => ({ ...each, instruction: 'Hurry' })))).toBe(before);
  expect(await print(phases.slice(1))).not.toBe(before);
  expect(await print([...phases].reverse())).not.toBe(before);
  expect(await print(undefined)).not.toBe(before);
});
