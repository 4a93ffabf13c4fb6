// Tier: whole
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/files/workers.ts';
import { commitAll, initRepository } from '../../support/repository.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../dist/untildone.cjs');
const TESTS = `const test = require('node:test'); const assert = require('node:assert');
test('adds', () => assert.equal(1 + 1, 2));
test('knows the zone', () => assert.equal(process.env.ZONE, 'Mars'));
`;

test('setup and the first start, as a newcomer types them, in a project with a test that fails already', () => {
  const root = temporaryFolder();
  const project = join(root, 'project');
  mkdirSync(project);
  initRepository(project);
  writeFileSync(join(project, 'package.json'), '{"scripts": {"test": "node --test"}}');
  writeFileSync(join(project, 'zone.test.js'), TESTS);
  commitAll(project);
  const env = { PATH: process.env.PATH ?? '', HOME: root };
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [PROGRAM, ...args], { cwd: project, env, encoding: 'utf8' });

  const looked = run('setup', '--no-proof');
  expect(looked.stderr).toBe('');
  expect(looked.stdout).toMatch(/^ {2}fail +tests +\d+\.\d s {2}`npm test` fails with exit code 1$/m);
  expect(looked.stdout).toContain(
    'Fails before any work: tests, in one test\n  zone.test.js > knows the zone\n',
  );
  expect(looked.stdout.split('\n').length).toBeLessThanOrEqual(16);
  const accept = /--accept (\w{64})/.exec(looked.stdout)?.[1] ?? '';
  expect(run('setup', '--no-proof', '--yes', '--accept', accept).status).toBe(0);
  expect(readFileSync(join(project, 'untildone.yaml'), 'utf8')).toContain(
    'test: "zone.test.js > knows the zone"',
  );

  const started = run('start', 'add a discount', '--session', 's1');
  expect(started.stdout).toMatch(/^ {2}tests: pass now - .*1 test that is known to fail/m);
  expect(started.stdout).toContain('Every gate passes already');
});
