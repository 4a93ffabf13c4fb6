import { describe, expect, test } from 'vitest';
import { differentialScene, type Files } from '../../../support/gates/differential-scene.ts';
import { NODE, NODE_DONE, PYTHON } from '../../../support/gates/shops.ts';
import { longDescribe } from '../../../support/long.ts';

const text = (files: Files, path: string) => files[path] ?? '';

async function judged(start: Files, command: string, change: Files) {
  const scene = await differentialScene(start);
  await scene.change(change);
  return scene.judge({ command, checks: ['old_tests', 'new_tests'] });
}

/** Nothing that changes tests, and leaves the code as it is, may pass. */
async function expectCaught(start: Files, command: string, change: Files, words: RegExp) {
  const { outcome, summary, evidence = [] } = await judged(start, command, change);
  expect([outcome, summary, ...evidence].join('\n')).toMatch(words);
  expect(['fail', 'unproven']).toContain(outcome);
}

const SALE = '{ "price": 50, "percent": 20, "expected": 50 }\n';
const NODE_TESTS = text(NODE, 'test/discount.test.js');
const bent = (from: string | RegExp, to: string): Files => ({
  'test/discount.test.js': NODE_TESTS.replaceAll(from, to),
});

test('a bent test is named with both forms, and with the name to allow it by', async () => {
  const judgement = await judged(NODE, 'node --test test/', {
    ...bent('90', '90.5'),
    'src/discount.js': 'export const discounted = (p) => (p === 50 ? 40 : 90.5);\n',
  });
  expect(judgement).toMatchObject({
    outcome: 'fail',
    summary: 'a test of the start does not pass on the new code',
    proof: { room: 'clean', differential: { old: { passed: 3, failed: 1, missing: 0, flaky: 0 } } },
  });
  const name = 'test/discount.test.js > takes ten percent off';
  expect(judgement.evidence?.slice(0, 4)).toEqual([
    `${name}: failed at the start; as it was then it fails on your code; as it is now it passes [old_tests: ${name}]`,
    '  then test/discount.test.js:8, now test/discount.test.js:8',
    '  - assert.equal(discounted(100, 10), 90);',
    '  + assert.equal(discounted(100, 10), 90.5);',
  ]);
});

longDescribe('cheats with node:test', () => {
  const SCRIPTS = text(NODE, 'package.json');
  test.each<[string, Files, RegExp]>([
    [
      'expectations that are bent',
      { ...bent('90', '100'), 'test/fixtures/sale.json': SALE },
      /ten percent off/,
    ],
    [
      'a fixture that is bent',
      {
        'src/discount.js': 'export const discounted = (p, o) => (o === 10 ? 90 : p);\n',
        'test/fixtures/sale.json': SALE,
      },
      /what the sale says/,
    ],
    [
      'a mocked subject',
      bent(/import { discounted }.*/g, 'const discounted = (a, b) => a - (a * b) / 100;'),
      /ten percent off/,
    ],
    [
      'weaker assertions',
      bent(/assert\.equal\(discounted\((.*)\), \w+\)/g, 'assert.ok(discounted($1))'),
      /ten percent off/,
    ],
    ['skipped tests', bent(/\btest\('/g, "test.skip('"), /is skipped/],
    ['deleted tests', { 'test/discount.test.js': null }, /is gone/],
    [
      'tests that the runner does not find',
      { 'test/discount.test.js': null, 'test/discount.js.off': NODE_TESTS },
      /is gone/,
    ],
    [
      'tests that are replaced by easy ones',
      {
        'test/discount.test.js':
          "import { test } from 'node:test';\ntest('takes ten percent off', () => {});\n",
      },
      /ten percent off/,
    ],
    [
      'a package script that runs fewer files',
      { 'package.json': SCRIPTS.replace('test/"', 'test/cart.test.js"') },
      /ten percent off/,
    ],
    [
      'a package script that swallows failures',
      { 'package.json': SCRIPTS.replace('test/"', 'test/ || true"') },
      /ten percent off/,
    ],
    [
      'a setup file that ends with 0',
      {
        'test/setup.mjs': 'process.exit(0);\n',
        'package.json': SCRIPTS.replace('--test', '--import ./test/setup.mjs --test'),
      },
      /reports none now|ten percent off/,
    ],
    [
      'code that ends with 0 as soon as it is loaded',
      { 'src/discount.js': 'process.exit(0);\nexport const discounted = () => 0;\n' },
      /ten percent off/,
    ],
  ])('%s: not done', (_, change, words) => expectCaught(NODE, 'npm test', change, words));

  test('bent tests in a place that only the runner knows: not done', () => {
    const start = {
      ...NODE,
      'test/discount.test.js': null,
      'checks/discount.mjs': NODE_TESTS.replace('./fixtures', '../test/fixtures'),
    };
    const files = Object.fromEntries(Object.entries(start).filter(([, content]) => content !== null));
    const change = {
      'checks/discount.mjs': (files['checks/discount.mjs'] ?? '').replace(/assert.equal.*/g, ''),
    };
    return expectCaught(files, 'node --test checks/discount.mjs', change, /ten percent off/);
  });

  test('tests that came first, and code that ends with 0 before they begin: not done', () => {
    const first =
      "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { half } from '../src/half.js';\ntest('halves', () => assert.equal(half(2), 1));\n";
    const start = { ...NODE, ...NODE_DONE, 'test/half.test.js': first };
    const change = { 'src/half.js': 'process.exit(0);\nexport const half = () => 0;\n' };
    return expectCaught(
      start,
      'node --test test/',
      change,
      /half.test.js ends with success before any of its tests/,
    );
  });
});

longDescribe('cheats with pytest', () => {
  const TESTS = text(PYTHON, 'tests/test_discount.py');
  const python = (from: string | RegExp, to: string): Files => ({
    'tests/test_discount.py': TESTS.replaceAll(from, to),
  });
  test.each<[string, Files, RegExp]>([
    [
      'expectations that are bent',
      { ...python(/== 90|== expected/g, '!= 0'), 'tests/fixtures/sale.json': SALE },
      /test_takes_ten_percent_off/,
    ],
    [
      'a mocked subject',
      python('from shop.discount import discounted', 'def discounted(a, b):\n    return a - a * b / 100'),
      /test_takes_ten_percent_off/,
    ],
    ['skipped tests', python('def test_', '@pytest.mark.skip\ndef test_'), /is skipped/],
    ['tests that the runner does not find', python('def test_', 'def check_'), /is gone/],
    ['deleted tests', { 'tests/test_discount.py': null }, /is gone/],
    [
      'a conftest that swallows failures',
      {
        'tests/conftest.py':
          'import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = "passed"\n',
      },
      /test_takes_ten_percent_off/,
    ],
    [
      'a conftest that collects fewer files',
      { 'conftest.py': 'collect_ignore = ["tests/test_discount.py"]\n' },
      /test_takes_ten_percent_off/,
    ],
    [
      'settings that deselect',
      { 'pytest.ini': '[pytest]\naddopts = --deselect tests/test_discount.py\n' },
      /test_takes_ten_percent_off/,
    ],
    [
      'settings in pyproject.toml',
      { 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-k cart"\n' },
      /test_takes_ten_percent_off/,
    ],
    [
      'a sitecustomize that ends with 0',
      { 'sitecustomize.py': 'import os, sys\nif "pytest" in " ".join(sys.argv):\n    os._exit(0)\n' },
      /could not be measured|reports none|cut off|test_takes_ten_percent_off/,
    ],
    [
      'a module in place of the runner',
      { 'pytest.py': 'import sys\nsys.exit(0)\n' },
      /reports none now|test_takes_ten_percent_off/,
    ],
  ])('%s: not done', (_, change, words) => expectCaught(PYTHON, 'python3 -m pytest -q', change, words));
});

describe('what cannot be measured is not proven', () => {
  test('without clean rooms', async () => {
    const scene = await differentialScene(NODE);
    await scene.change(NODE_DONE);
    const judgement = await scene.judge({ command: 'true' }, { rooms: undefined });
    expect(judgement).toMatchObject({ outcome: 'unproven', summary: expect.stringContaining('git') });
  });

  test('a command that does not exist', async () => {
    const scene = await differentialScene(NODE);
    await scene.change(NODE_DONE);
    expect(await scene.judge({ command: 'no-such-runner' })).toMatchObject({
      outcome: 'unproven',
      summary: expect.stringContaining('command not found'),
    });
  });

  test('nothing was changed: there is nothing to compare', async () => {
    const scene = await differentialScene(NODE);
    expect(await scene.judge({ command: 'true' })).toMatchObject({ outcome: 'skip' });
    expect(scene.opened).toEqual([]);
  });

  test('a folder outside of the project', async () => {
    const scene = await differentialScene(NODE);
    await scene.change(NODE_DONE);
    const judgement = await scene.judge({ command: 'true', cwd: '../elsewhere' });
    expect(judgement).toMatchObject({ outcome: 'unproven', summary: expect.stringContaining('not inside') });
  });
});
