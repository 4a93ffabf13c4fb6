import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { userHome } from '../../../src/engine/files/system.ts';

test('the home is the one of the environment, and the account’s own without it', () => {
  expect(userHome({ HOME: '/somewhere' })).toBe('/somewhere');
  expect(userHome({ HOME: '' })).toBe(homedir());
  expect(userHome({})).toBe(homedir());
});
