import { homedir, hostname } from 'node:os';
import { expect, test } from 'vitest';
import { hostName, userHome } from '../../src/adapters/machine.ts';

test('the machine is called what Node says', () => {
  expect(hostName()).toBe(hostname());
});

test('the home is the one of the environment, and the account’s own without it', () => {
  expect(userHome({ HOME: '/somewhere' })).toBe('/somewhere');
  expect(userHome({ HOME: '' })).toBe(homedir());
  expect(userHome({})).toBe(homedir());
});
