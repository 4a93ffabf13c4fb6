import { expect, test, vi } from 'vitest';
import {
  ownEnvironment,
  realEnvironment,
  type Scratch,
  simulatedEnvironment,
} from '../../../src/dev/demo/scratch.ts';

const SCRATCH: Scratch = {
  root: '/tmp/demo',
  project: '/tmp/demo/project',
  home: '/tmp/demo/home',
  untildoneHome: '/tmp/demo/untildone-home',
  bin: '/tmp/demo/bin',
  temporary: '/tmp/demo/tmp',
};

test('with the simulator every home is a scratch one, and nothing of the person goes along', () => {
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'secret');
  vi.stubEnv('CLAUDECODE', '1');
  const environment = simulatedEnvironment(SCRATCH, 'http://127.0.0.1:9');
  expect(environment).toMatchObject({
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    HOME: SCRATCH.home,
    UNTILDONE_HOME: SCRATCH.untildoneHome,
    TMPDIR: SCRATCH.temporary,
  });
  expect(environment.PATH?.split(':')[0]).toBe(SCRATCH.bin);
  expect(environment).not.toHaveProperty('ANTHROPIC_AUTH_TOKEN');
  expect(environment).not.toHaveProperty('CLAUDECODE');
  expect(environment).not.toHaveProperty('CLAUDE_CONFIG_DIR');
});

test("with the person's own login their environment goes along, but our state stays in the scratch folder", () => {
  const mine = {
    HOME: '/home/me',
    PATH: '/usr/bin',
    ANTHROPIC_API_KEY: 'mine',
    UNTILDONE_HOME: '/home/me/u',
  };
  expect(realEnvironment(SCRATCH, { ...mine, EMPTY: undefined })).toEqual({
    HOME: '/home/me',
    ANTHROPIC_API_KEY: 'mine',
    PATH: '/tmp/demo/bin:/usr/bin',
    UNTILDONE_HOME: SCRATCH.untildoneHome,
  });
});

test('without a PATH the current folder does not become one', () => {
  expect(realEnvironment(SCRATCH, {}).PATH).toBe(SCRATCH.bin);
});

test('what runs beside the client knows neither a key nor an address', () => {
  expect(Object.keys(ownEnvironment(SCRATCH)).sort()).toEqual([
    'HOME',
    'LANG',
    'PATH',
    'TMPDIR',
    'UNTILDONE_HOME',
  ]);
});
