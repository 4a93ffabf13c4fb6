import { expect, test } from 'vitest';
import { defineGate } from '../../src/library/types.ts';

test('a gate comes back as it is', () => {
  const gate = { judge: () => ({ outcome: 'pass' as const, summary: 'fine' }) };
  expect(defineGate(gate)).toBe(gate);
});
