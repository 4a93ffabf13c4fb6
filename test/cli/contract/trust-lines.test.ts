import { expect, test } from 'vitest';
import { toolLines } from '../../../src/cli/contract/trust-lines.ts';

const NONE = { dangerous: false, protect: [], hide: [], deny: [], allow: [], rewrite: [] };

test('a person who approves tool rules is shown what they allow first', () => {
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
