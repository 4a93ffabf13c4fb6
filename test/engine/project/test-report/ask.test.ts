import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestResults } from '../../../../src/engine/core/proof/test-results.ts';
import { judgementOf } from '../../../../src/engine/gates/run/outcome.ts';
import { inPlace } from '../../../../src/engine/project/room/in-place.ts';
import { systemShell } from '../../../../src/engine/project/shell/shell.ts';
import { askForReport, collectReports } from '../../../../src/engine/project/test-report/ask.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'untildone ask-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Runs a command in the project and returns one line a test of what its runner reported. */
async function reported(command: string): Promise<string[] | undefined> {
  const reports = mkdtempSync(join(tmpdir(), 'untildone reports #-'));
  try {
    const asked = askForReport(command, root, reports, {});
    const { PATH = '', HOME = '' } = process.env;
    const { output } = await systemShell({ PATH, HOME }).run({
      ...asked,
      cwd: root,
      timeoutMs: PATIENCE_MS,
      oneStream: true,
    });
    const results = await collectReports(reports, root, output, { since: 0 });
    return linesOf(results);
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

function linesOf(results: TestResults | undefined): string[] | undefined {
  return results && [`whole: ${results.whole}`, ...[...results.tests].map(line).sort()];
}

const line = ([name, tally]: [string, object]) =>
  `${name}: ${Object.entries(tally)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ')}`;

const NODE_TESTS = `import test from 'node:test'; import assert from 'node:assert';
test('adds', () => assert.equal(1 + 1, 2));
test.skip('later', () => {});
test('outer', async (t) => {
  await t.test('same', () => assert.equal(1, 2));
  await t.test('other', () => {});
});
`;

describe('node:test', () => {
  test('by a script of the package, with the files of the tests, one that cannot be loaded among them', async () => {
    write('package.json', JSON.stringify({ scripts: { test: 'node --test test/' } }));
    write('test/a.test.mjs', NODE_TESTS);
    write('test/b.test.mjs', `import 'nowhere-to-be-found';`);
    expect(await reported('npm test')).toEqual([
      'whole: true',
      'test/a.test.mjs > adds: 1 passed',
      'test/a.test.mjs > later: 1 skipped',
      'test/a.test.mjs > outer > other: 1 passed',
      'test/a.test.mjs > outer > same: 1 failed',
      expect.stringMatching(/test\/b\.test\.mjs.*: 1 failed/),
    ]);
  });

  test('two runs of one command are both reported', async () => {
    write('a.test.mjs', NODE_TESTS);
    const twice = await reported('node --test a.test.mjs; node --test a.test.mjs');
    expect(twice).toContain('a.test.mjs > adds: 2 passed');
  });

  test('a run that is killed is not whole', async () => {
    write('a.test.mjs', `${NODE_TESTS}\ntest('kills', () => process.kill(process.ppid, 'SIGKILL'));`);
    const cut = await reported('node --test a.test.mjs');
    expect(cut?.[0] ?? 'whole: false').toBe('whole: false');
  });

  test('a command with reporters of its own stays as it is', () => {
    const own = 'node --test --test-reporter=dot';
    expect(askForReport(own, root, root, {})).toMatchObject({
      command: own,
      env: { UNTILDONE_REPORTS: root },
    });
  });
});

test('vitest, by a script of the package', async () => {
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  write('package.json', JSON.stringify({ type: 'module', scripts: { test: 'vitest run' } }));
  write(
    'test/a.test.js',
    `import { test, expect } from 'vitest';\ntest('adds', () => expect(2).toBe(2));\ntest('fails', () => expect(1).toBe(2));\n`,
  );
  expect(await reported('npm test')).toEqual([
    'whole: true',
    'test/a.test.js > adds: 1 passed',
    'test/a.test.js > fails: 1 failed',
  ]);
});

describe('mocha, which takes one reporter', () => {
  /** As much of mocha as loads a reporter and runs tests. */
  function installMocha(): void {
    write('node_modules/mocha/package.json', '{"name": "mocha", "main": "index.js", "bin": "bin.js"}');
    write(
      'node_modules/mocha/index.js',
      `exports.reporters = { Spec: class { constructor(runner) {
        runner.on('pass', ({ title }) => console.log('  ✔ ' + title));
        runner.on('fail', ({ title }, e) => console.log('  1 failing\\n\\n  1) ' + title + ':\\n     ' + e.stack));
      } } };`,
    );
    write(
      'node_modules/mocha/load.js',
      `const { EventEmitter } = require('node:events');
      exports.run = (reporter) => {
        const runner = new EventEmitter();
        new (require(reporter))(runner, {});
        const of = (title) => ({ title, fullTitle: () => 'sums ' + title, file: process.cwd() + '/test/a.js' });
        runner.emit('pass', of('adds'));
        runner.emit('fail', of('"before all" hook'), new Error('no database'));
        runner.emit('pending', of('later'));
        runner.emit('end');
        process.exitCode = 1;
      };`,
    );
    write(
      'node_modules/mocha/bin.js',
      "#!/usr/bin/env node\nrequire('./load.js').run(process.argv[process.argv.indexOf('--reporter') + 1]);",
    );
    chmodSync(join(root, 'node_modules/mocha/bin.js'), 0o755);
    mkdirSync(join(root, 'node_modules/.bin'));
    symlinkSync('../mocha/bin.js', join(root, 'node_modules/.bin/mocha'));
    write('package.json', JSON.stringify({ scripts: { test: 'mocha' } }));
  }

  test('prints as ever, names hooks that fail, and shows nothing of ours', async () => {
    installMocha();
    const outputFile = join(root, 'output.txt');
    const run = { command: 'npm test', cwd: root, outputFile, timeoutMs: PATIENCE_MS, oneStream: true };
    const { result, tests } = await inPlace(root, systemShell(process.env), process.env).runTests(run);
    expect(linesOf(tests)).toEqual([
      'whole: true',
      'test/a.js > sums "before all" hook: 1 failed',
      'test/a.js > sums adds: 1 passed',
      'test/a.js > sums later: 1 skipped',
    ]);
    expect(judgementOf('npm test', result).evidence?.slice(0, 2)).toEqual([
      '1) "before all" hook',
      'Error: no database',
    ]);
    expect(result.output).toContain('> mocha\n');
    expect(result.output).not.toMatch(/untildone-report|--reporter/);
    expect(readFileSync(outputFile, 'utf8')).toBe(result.output);
    expect(result.outputSha256).toBe(createHash('sha256').update(result.output).digest('hex'));
  });
});

describe('options are added to a command that does nothing but call one runner', () => {
  const asked = (command: string, scripts: Record<string, string> = {}) => {
    write('package.json', JSON.stringify({ scripts }));
    return askForReport(command, root, root, {}).command;
  };
  test.each([
    ['npx jest', {}, () => `npx jest --json --outputFile='${join(root, 'runner.json')}'`],
    [
      'pnpm test',
      { test: 'jest --ci' },
      () => `pnpm test --json --outputFile='${join(root, 'runner.json')}'`,
    ],
    ['npm test', { test: 'mocha' }, () => `npm test -- --reporter '${join(root, 'mocha-reporter.cjs')}'`],
    ['go test ./...', {}, () => 'go test -json ./...'],
    ['cargo test --offline -- --quiet', {}, () => 'cargo test --no-fail-fast --offline -- --quiet'],
  ])('%s', (command, scripts, expected) => {
    expect(asked(command, scripts)).toBe(expected());
  });

  test.each([
    ['npm run lint && npx jest', {}],
    ['npm test', { test: 'tsc && jest' }],
    ['npm test', { pretest: 'jest one', test: 'jest two' }],
    ['make test', {}],
    ['go test -json ./...', {}],
  ])('and to no other: %s', (command, scripts) => {
    expect(asked(command, scripts)).toBe(command);
  });
});
