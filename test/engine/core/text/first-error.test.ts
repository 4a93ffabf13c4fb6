import { expect, test } from 'vitest';
import { firstErrorLines } from '../../../../src/engine/core/text/first-error.ts';

const NPM_CI = `npm warn deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported
npm error code EUSAGE
npm error
npm error \`npm ci\` can only install packages when your package.json and package-lock.json are in sync.
npm error
npm error Missing: left-pad@1.3.0 from lock file
npm error
npm error Clean install a project
npm error A complete log of this run can be found in: /home/ann/.npm/_logs/x.log`;

test.each<[string, string, string]>([
  [
    'npm ci',
    NPM_CI,
    '`npm ci` can only install packages when your package.json and package-lock.json are in sync.',
  ],
  [
    'pnpm',
    'Scope: all 3 projects\n ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"\n\nNote that in CI',
    'ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"',
  ],
  [
    'yarn',
    'yarn install v1.22.22\n[1/4] Resolving\nerror Your lockfile needs to be updated',
    'error Your lockfile needs to be updated',
  ],
  ['a shell', 'sh: 1: uv: not found', 'sh: 1: uv: not found'],
  [
    'a compiler',
    'Compiling 3 files\n0 errors so far\nsrc/a.c:3: fatal: no such file\nmake: *** stop',
    'src/a.c:3: fatal: no such file',
  ],
])('the first error of %s', (_, output, first) => {
  expect(firstErrorLines(output, 3)[0]).toBe(first);
});

test('what follows it comes with it, and without an error there is nothing', () => {
  expect(firstErrorLines(NPM_CI, 2)).toEqual([
    '`npm ci` can only install packages when your package.json and package-lock.json are in sync.',
    'Missing: left-pad@1.3.0 from lock file',
  ]);
  expect(firstErrorLines('all good\n0 errors', 2)).toEqual([]);
});
