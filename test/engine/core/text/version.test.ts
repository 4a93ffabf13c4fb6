import { expect, test } from 'vitest';
import { newerThan } from '../../../../src/engine/core/text/version.ts';

test.each([
  ['0.2.0', '0.1.0', true],
  ['0.10.0', '0.9.9', true],
  ['1.0.0', '1.0.0', false],
  ['1.0.0', '1.0.0-beta.1', true],
  ['1.0.0-beta.1', '1.0.0', false],
  ['1.0.0-beta.2', '1.0.0-beta.1', true],
  ['2.1.325 (Claude Code)', '2.1.287', true],
  ['nonsense', '0.0.1', false],
  ['1', '0.9', true],
])('%s is newer than %s: %s', (version, than, expected) => {
  expect(newerThan(version, than)).toBe(expected);
});
