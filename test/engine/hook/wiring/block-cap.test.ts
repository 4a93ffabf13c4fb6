import { expect, test } from 'vitest';
import { blockCapFrom } from '../../../../src/engine/hook/wiring/ports.ts';

test.each([
  [undefined, 8],
  ['', 8],
  ['many', 8],
  ['0', 0],
  ['-3', 0],
  ['3', 3],
  [' 3 ', 3],
  ['3.7', 3],
  ['3x', 3],
  ['200', 200],
])('a cap of %j is read as Claude Code reads it: %i', (value, cap) => {
  expect(blockCapFrom({ CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: value })).toBe(cap);
});
