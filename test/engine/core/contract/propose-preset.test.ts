import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../../src/engine/contract/read.ts';
import { proposePreset } from '../../../../src/engine/core/contract/presets.ts';
import type { ProjectFacts } from '../../../../src/engine/core/contract/project-facts.ts';

const NOTHING: ProjectFacts = { rust: false, go: false, makeTargets: [], git: false, githubWorkflows: false };
const node = (...scripts: string[]): Partial<ProjectFacts> => ({
  node: {
    manager: 'npm',
    scripts: Object.fromEntries(scripts.map((name) => [name, 'x'])),
    typescript: false,
  },
});
const proposed = (facts: Partial<ProjectFacts>) => proposePreset('verified-done', { ...NOTHING, ...facts });

function contractOf(text: string) {
  const result = parseContract(text, 'untildone.yaml');
  if (!result.ok) throw new Error(result.problems.map(renderProblem).join('\n'));
  expect(result.warnings).toEqual([]);
  return result.contract;
}

describe('a contract with the preset', () => {
  test('has its two conditions from what the project runs', () => {
    const { text, missing } = proposed(node('test', 'build', 'lint', 'typecheck'));
    expect(missing).toEqual([]);
    const contract = contractOf(text);
    expect(contract.gates).toMatchObject({
      tests: { kind: 'run', options: { command: 'npm test' } },
      correctness_passed: { kind: 'all', options: { gates: ['tests', 'build'] } },
      quality_passed: { kind: 'all', options: { gates: ['lint', 'types'] } },
      plan_approved: { kind: 'approve' },
      adversarial_passed: { kind: 'agent' },
    });
    expect(contract.phases?.map(({ name }) => name)).toEqual(['plan', 'implement', 'verify', 'retrospect']);
    expect(text).toContain('untildone approve plan');
    expect(contractOf(text.replace('# complexity: 5', 'complexity: 5')).gates).not.toHaveProperty(
      'adversarial_passed',
    );
  });

  test('one command is the condition itself', () => {
    const { gates } = contractOf(proposed(node('test', 'lint')).text);
    expect(gates).toMatchObject({
      correctness_passed: { kind: 'run', options: { command: 'npm test' }, timeoutMs: 600_000 },
      quality_passed: { kind: 'run', options: { command: 'npm run lint' } },
    });
    expect(gates).not.toHaveProperty('tests');
  });

  test('a second language is part of both', () => {
    const { gates } = contractOf(proposed({ ...node('test', 'lint'), go: true }).text);
    expect(gates).toMatchObject({
      correctness_passed: { options: { gates: ['tests', 'tests-go'] } },
      quality_passed: { options: { gates: ['lint', 'lint-go'] } },
    });
  });

  test('a build without tests is taken, and what is better is said', () => {
    const { text, missing } = proposed(node('build', 'lint'));
    expect(missing).toEqual([]);
    expect(contractOf(text).gates.correctness_passed).toMatchObject({
      options: { command: 'npm run build' },
    });
    expect(text).toContain('# No command that tests this project was found');
  });
});

describe('what the project has nothing for', () => {
  test.each([
    ['quality_passed', node('test'), '  # quality_passed: { run: npm run lint }'],
    ['correctness_passed', node('lint'), '  # correctness_passed: { run: npm test }'],
  ])('%s is named, and stands there as a comment that makes it whole', (name, facts, line) => {
    const { text, missing } = proposed(facts);
    expect(missing.map((one) => one.name)).toEqual([name]);
    expect(parseContract(text, 'untildone.yaml')).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining(`"${name}"`) }],
    });
    expect(text).toContain(line);
    expect(contractOf(text.replace(line, line.replace('# ', ''))).gates).toHaveProperty(name);
  });

  test('of an empty project that is both', () => {
    const { text, missing } = proposed({});
    expect(missing.map(({ name }) => name)).toEqual(['correctness_passed', 'quality_passed']);
    expect(text).not.toContain('a build alone');
  });
});
