import { expect, test } from 'vitest';
import { modelLines } from '../../../src/cli/contract/trust-lines.ts';
import { contractWith, run } from '../../support/hook/judging.ts';

test('what models are asked is shown to the person who approves it, and what it may cost', () => {
  const contract = contractWith({
    tests: run(),
    proof: { kind: 'agent', options: { instruction: 'Try it', maxCostUsd: 50 } },
    review: { kind: 'judge', options: { question: 'Is it good?' } },
  });
  expect(modelLines(contract)).toEqual([
    'Models are asked this with your login; an agent may run commands, as you:',
    '  proof, agent: Try it (at most 50 USD each time)',
    '  review, judge: Is it good?',
  ]);
  expect(modelLines(contractWith({ tests: run() }))).toEqual([]);
});
