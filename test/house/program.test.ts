// Tier: whole
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/files/workers.ts';

const DIST = resolve('dist');
const PROGRAM = join(DIST, 'program');

function kilobytes(folder: string): number {
  return readdirSync(folder)
    .filter((name) => /\.[cm]js$/.test(name))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size / 1000, 0);
}

function environment(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: folder };
}

/** The files of the program that a command loads. */
function loadedBy(args: readonly string[]): string[] {
  const folder = temporaryFolder();
  const env = { ...environment(folder), NODE_V8_COVERAGE: join(folder, 'seen') };
  execFileSync(process.execPath, [join(DIST, 'untildone.cjs'), ...args], { cwd: folder, env });
  const [report = ''] = readdirSync(join(folder, 'seen'));
  const { result } = JSON.parse(readFileSync(join(folder, 'seen', report), 'utf8')) as {
    result: { url: string }[];
  };
  return result.map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : '')).filter(Boolean);
}

/** Words that only the code of this library, or this room, has. */
const SIGNS = {
  zod: 'invalid_union',
  yaml: 'BLOCK_FOLDED',
  re2js: 'RE2JSSyntaxException',
  'the Agent SDK': 'is not installed; run',
  fleet: 'UNTILDONE_FLEET_SECRET',
  dashboard: 'text/event-stream',
};

test('the code of the package has at most 4.8 MB', () => {
  expect(kilobytes(DIST) + kilobytes(PROGRAM)).toBeLessThan(4800);
});

test('status loads few files, and none of schemas, YAML, patterns, sessions, fleets or the dashboard', () => {
  const loaded = loadedBy(['status']);
  expect(loaded.length).toBeLessThan(16);
  expect(loaded.reduce((sum, file) => sum + statSync(file).size / 1000, 0)).toBeLessThan(560);
  const texts = loaded.map((file) => readFileSync(file, 'utf8'));
  const all = readdirSync(PROGRAM).map((name) => readFileSync(join(PROGRAM, name), 'utf8'));
  for (const [what, sign] of Object.entries(SIGNS)) {
    expect({ what, there: all.some((text) => text.includes(sign)) }).toEqual({ what, there: true });
    expect({ what, loaded: texts.some((text) => text.includes(sign)) }).toEqual({ what, loaded: false });
  }
});

test('where a part of the program is missing or cut off, one line says what to do', () => {
  const folder = temporaryFolder();
  const at = join(folder, 'ä program', 'dist');
  cpSync(DIST, at, { recursive: true });
  const called = (...args: string[]) => {
    const ran = spawnSync(process.execPath, [join(at, 'untildone.cjs'), ...args], {
      cwd: folder,
      env: environment(folder),
      encoding: 'utf8',
    });
    return { code: ran.status, said: ran.stdout + ran.stderr };
  };
  const incomplete = {
    code: 2,
    said: expect.stringMatching(
      /^untildone: a part of untildone cannot be loaded \([^\n]+\): install untildone again\n$/,
    ),
  };
  expect(called('--version').code).toBe(0);
  expect(called('verify').said).toContain('untildone.yaml');
  const [actions = ''] = readdirSync(join(at, 'program')).filter((name) =>
    readFileSync(join(at, 'program', name), 'utf8').includes('verifyHere'),
  );
  rmSync(join(at, 'program', actions));
  expect(called('verify')).toEqual(incomplete);
  expect(called('--version').code).toBe(0);
  rmSync(join(at, 'program/cli.mjs'));
  expect(called('--version')).toEqual(incomplete);
  rmSync(join(at, 'program'), { recursive: true });
  expect(called('status')).toEqual(incomplete);
});
