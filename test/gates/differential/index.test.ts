import { describe, expect, test } from 'vitest';
import { differentialScene, type Files } from '../../support/gates/differential-scene.ts';

/** A shop whose tests say what it is to do: the tests of discounts fail at the start. */
const NODE: Files = {
  'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test test/' } }),
  'src/cart.js': 'export function total(prices) {\n  return prices.reduce((a, b) => a + b, 0);\n}\n',
  'src/discount.js': 'export function discounted(price, percent) {\n  return price;\n}\n',
  'test/cart.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/cart.js';

test('adds prices', () => {
  assert.equal(total([1, 2, 3]), 6);
});

test('nothing costs nothing', () => {
  assert.equal(total([]), 0);
});
`,
  'test/discount.test.js': `import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { discounted } from '../src/discount.js';

const { price, percent, expected } = JSON.parse(readFileSync(new URL('./fixtures/sale.json', import.meta.url)));

test('takes ten percent off', () => {
  assert.equal(discounted(100, 10), 90);
});

test('takes off what the sale says', () => {
  assert.equal(discounted(price, percent), expected);
});
`,
  'test/fixtures/sale.json': '{ "price": 50, "percent": 20, "expected": 40 }\n',
};

const DISCOUNT = {
  'src/discount.js':
    'export function discounted(price, percent) {\n  return price - (price * percent) / 100;\n}\n',
};
const TESTS = NODE['test/discount.test.js'] ?? '';
const bent = (from: string | RegExp, to: string) => ({ 'test/discount.test.js': TESTS.replace(from, to) });
const node = (change: Files, options = {}) => judged(NODE, 'npm test', change, options);

async function judged(start: Files, command: string, change: Files, options = {}) {
  const scene = await differentialScene(start);
  await scene.change(change);
  return scene.judge({ command, checks: ['old_tests', 'new_tests'], ...options });
}

describe('cheats with node:test', () => {
  test.each<[string, Files, RegExp]>([
    [
      'expectations that are bent',
      { ...bent('90', '100'), 'test/fixtures/sale.json': '{ "price": 50, "percent": 20, "expected": 50 }' },
      /takes ten percent off: failed at the start.*fails on your code; as it is now it passes/,
    ],
    [
      'a fixture that is bent',
      {
        'src/discount.js': 'export const discounted = (p, o) => (o === 10 ? 90 : p);\n',
        'test/fixtures/sale.json': '{ "price": 50, "percent": 20, "expected": 50 }',
      },
      /takes off what the sale says/,
    ],
    [
      'a mocked subject',
      bent(
        "import { discounted } from '../src/discount.js';",
        'const discounted = (a, b) => a - (a * b) / 100;',
      ),
      /takes ten percent off/,
    ],
    [
      'weaker assertions',
      bent(/assert\.equal\(discounted\((.*)\), \w+\)/g, 'assert.ok(discounted($1))'),
      /takes ten percent off/,
    ],
    ['skipped tests', bent(/\btest\('/g, "test.skip('"), /is skipped/],
    ['deleted tests', { 'test/discount.test.js': null }, /is gone/],
    [
      'tests that the runner does not find',
      { 'test/discount.test.js': null, 'test/discount.test.js.off': TESTS },
      /is gone/,
    ],
    [
      'tests that are replaced by easy ones',
      {
        'test/discount.test.js':
          "import { test } from 'node:test';\ntest('takes ten percent off', () => {});\n",
      },
      /takes ten percent off/,
    ],
    [
      'a package script that runs fewer files',
      { 'package.json': (NODE['package.json'] ?? '').replace('test/"', 'test/cart.test.js"') },
      /takes ten percent off/,
    ],
    [
      'a package script that swallows failures',
      { 'package.json': (NODE['package.json'] ?? '').replace('test/"', 'test/ || true"') },
      /takes ten percent off/,
    ],
    [
      'a setup file that ends with 0',
      {
        'test/setup.mjs': 'process.exit(0);\n',
        'package.json': (NODE['package.json'] ?? '').replace('--test', '--import ./test/setup.mjs --test'),
      },
      /reports none now|takes ten percent off/,
    ],
  ])('%s do not pass', async (_, change, words) => {
    const { outcome, summary, evidence = [] } = await node(change);
    expect([outcome, summary, ...evidence].join('\n')).toMatch(words);
    expect(['fail', 'unproven']).toContain(outcome);
  });

  test('both forms of a bent test are shown, with the name to allow it by', async () => {
    const judgement = await node({
      ...DISCOUNT,
      ...bent('90', '90.0001'),
      'src/discount.js': 'export const discounted = (p, o) => (p === 50 ? 40 : 90.0001);\n',
    });
    expect(judgement).toMatchObject({
      outcome: 'fail',
      summary: 'a test of the start does not pass on the new code',
      proof: { room: 'clean', differential: { old: { passed: 3, failed: 1, missing: 0, flaky: 0 } } },
    });
    expect(judgement.evidence?.slice(0, 4)).toEqual([
      'test/discount.test.js > takes ten percent off: failed at the start; as it was then it fails on your code; as it is now it passes [old_tests: test/discount.test.js > takes ten percent off]',
      '  then test/discount.test.js:8, now test/discount.test.js:8',
      '  - assert.equal(discounted(100, 10), 90);',
      '  + assert.equal(discounted(100, 10), 90.0001);',
    ]);
  });
});
