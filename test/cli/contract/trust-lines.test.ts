import { expect, test } from 'vitest';
import { modelLines, toolLines } from '../../../src/cli/contract/trust.ts';
import { contractWith, run } from '../../support/hook/judging.ts';

const NONE = { dangerous: false, protect: [], hide: [], deny: [], allow: [], rewrite: [] };

test('whoever is to trust tool rules is shown what they allow first', () => {
  expect(
    toolLines({
      dangerous: true,
      protect: ['infra/**'],
      hide: ['secrets'],
      deny: [{ rule: 'WebFetch' }],
      allow: ['Bash(npm test)'],
      rewrite: [{ tool: 'Bash', field: 'command', pattern: '^a', with: 'b' }],
    }),
  ).toEqual([
    'Allowed without asking, in every session of this project:',
    '  Bash(npm test)',
    'Inputs of tools are changed:',
    '  Bash, command: /^a/ becomes "b"',
    'Refused:',
    '  commands that destroy what cannot be had back',
    '  WebFetch',
    '  changes to .env*, .git, keys and the like, infra/**',
    '  reading or changing secrets',
  ]);
});

test('what is not there is not said', () => {
  expect(toolLines(undefined)).toEqual([]);
  expect(toolLines(NONE)).toEqual(['Refused:', '  changes to .env*, .git, keys and the like']);
});

test('what models are asked is shown before it is trusted, and what it may cost', () => {
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
