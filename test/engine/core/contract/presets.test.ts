import { describe, expect, test } from 'vitest';
import { parseContract } from '../../../../src/engine/contract/read.ts';
import type { GateSpec } from '../../../../src/engine/core/contract/contract.ts';
import {
  namesOfPreset,
  presetFor,
  REVIEW,
  withComplexity,
} from '../../../../src/engine/core/contract/presets.ts';
import { gatesOfPhase } from '../../../../src/engine/core/loop/phases.ts';
import { callsFor } from '../../../../src/engine/core/loop/plan-gates.ts';
import { contractWith, run } from '../../../support/hook/judging.ts';

const OWN = { correctness_passed: run('npm test'), quality_passed: run('npm run lint') };
const preset = (complexity?: number, own: Record<string, GateSpec> = OWN) => presetFor(own, complexity);
const exits = ({ phases }: ReturnType<typeof preset>) => phases.flatMap(({ exit }) => exit);

const CONDITIONS = [
  'memory_search',
  'task_classified',
  'must_have_answered',
  'plan_approved',
  'implementation_complete',
  'correctness_passed',
  'quality_passed',
  'adversarial_passed',
  'retrospective_done',
];

describe('verified-done', () => {
  test('has the nine conditions in the order of the work, each judged by a gate', () => {
    const made = preset();
    expect(made.phases.map(({ name }) => name)).toEqual(['plan', 'implement', 'verify', 'retrospect']);
    expect(exits(made)).toEqual(CONDITIONS);
    const contract = contractWith({ ...OWN, ...made.gates }, { phases: made.phases, done: [] });
    for (const phase of made.phases)
      expect(callsFor(gatesOfPhase(contract, phase), contract)).toHaveLength(phase.exit.length);
  });
  test.each(['complexity: 8', '- **Complexity:** 8', 'Complexity 8 of 10'])(
    '"%s" tells the complexity',
    (line) => {
      const { task_classified: classified } = preset().gates;
      const [told] = classified?.kind === 'artefact' ? classified.options.has : [];
      expect(line).toMatch(new RegExp(told?.pattern ?? 'none'));
      expect('complexity: high').not.toMatch(new RegExp(told?.pattern ?? 'none'));
    },
  );
  test('what only a person can say does not keep them from being asked', () => {
    expect(preset().phases[0]?.instruction).not.toContain('leave open');
  });
  test('no condition is met by a bare flag', () => {
    const kinds = new Set(Object.values(preset().gates).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['agent', 'all', 'approve', 'artefact', 'changed', 'checklist']);
  });
  test.each([
    [undefined, true],
    [7, true],
    [10, true],
    [6, false],
    [1, false],
  ])('a complexity of %s: reviewed %s', (complexity, reviewed) => {
    const made = preset(complexity);
    expect(exits(made).includes(REVIEW)).toBe(reviewed);
    expect(Object.hasOwn(made.gates, REVIEW)).toBe(reviewed);
    expect(exits(made).filter((name) => name !== REVIEW)).toEqual(
      CONDITIONS.filter((name) => name !== REVIEW),
    );
  });
  test('a gate of the contract itself takes the place of one of the preset, simple or not', () => {
    const made = preset(1, { ...OWN, [REVIEW]: run('./review'), plan_approved: run('true') });
    expect(made.gates).not.toHaveProperty(REVIEW);
    expect(made.gates).not.toHaveProperty('plan_approved');
    expect(exits(made)).toContain(REVIEW);
    expect(exits(made)).toContain('plan_approved');
  });
  test('the names that it brings are known', () => {
    expect(namesOfPreset()).toEqual(Object.keys(preset().gates));
  });
});

describe('a complexity that came from elsewhere', () => {
  const parsed = (more: string) => {
    const result = parseContract(
      `preset: verified-done\n${more}gates:\n  correctness_passed: { run: a }\n  quality_passed: { run: b }\n`,
      'untildone.yaml',
    );
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    return result.contract;
  };
  const isReviewed = (more: string, complexity: number | undefined) => {
    const contract = withComplexity(parsed(more), complexity);
    const inPhases = contract.phases?.some(({ exit }) => exit.includes(REVIEW));
    expect(contract.done.includes(REVIEW)).toBe(inPhases);
    return inPhases;
  };
  test('says whether the work is reviewed where the contract says nothing', () => {
    expect(isReviewed('', undefined)).toBe(true);
    expect(isReviewed('', 7)).toBe(true);
    expect(isReviewed('', 6)).toBe(false);
  });
  test('changes nothing where the contract does', () => {
    expect(isReviewed('complexity: 9\n', 1)).toBe(true);
    expect(isReviewed('complexity: 2\n', 9)).toBe(false);
  });
  test('changes nothing for a contract without the preset', () => {
    const plain = contractWith({ [REVIEW]: run() });
    expect(withComplexity(plain, 1)).toBe(plain);
  });
});
