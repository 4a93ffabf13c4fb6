import { homedir, hostname, tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { hostName, temporaryFolder, userHome } from '../../src/adapters/machine.ts';

test('the machine is what Node says it is', () => {
  expect(hostName()).toBe(hostname());
  expect(temporaryFolder()).toBe(tmpdir());
});

test('the home is the one of the environment, and the account’s own without it', () => {
  expect(userHome({ HOME: '/somewhere' })).toBe('/somewhere');
  expect(userHome({ HOME: '' })).toBe(homedir());
  expect(userHome({})).toBe(homedir());
});
