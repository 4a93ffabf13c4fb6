import { expect, test } from 'vitest';
import { inWords } from '../../src/cli/help/problems.ts';

test('a full disk is said with what to do, every other error as it is', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  expect(inWords(full)).toMatch(/^the disk is full \(ENOSPC.*make room.*untildone run --resume$/);
  expect(inWords(new Error('something else'))).toBe('something else');
});
