import { describe, expect, test } from 'vitest';
import { parseContract, renderProblem } from '../../../../src/engine/contract/read.ts';

const parse = (gate: string) => parseContract(`gates:\n  workers: ${gate}\n`, 'untildone.yaml');

describe('the gate about subagents', () => {
  test.each([
    ['{ subagents: "chunk-*" }', { type: 'chunk-*', atLeast: 1 }],
    ['{ subagents: "chunk-*", at_least: 2 }', { type: 'chunk-*', atLeast: 2 }],
    ['{ subagents: { type: ralph, at_least: 3 } }', { type: 'ralph', atLeast: 3 }],
  ])('%s', (written, options) => {
    const result = parse(written);
    expect(result.ok && result.contract.gates.workers).toMatchObject({ kind: 'subagents', options });
  });
  test.each(['{ subagents: "" }', '{ subagents: x, at_least: 0 }', '{ subagents: x, at_most: 1 }'])(
    '%s is refused with an example',
    (written) => {
      const result = parse(written);
      expect(result.ok ? '' : result.problems.map(renderProblem).join('\n')).toContain('workers');
    },
  );
});
