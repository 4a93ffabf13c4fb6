import { expect, test } from 'vitest';
import type { DifferentialOptions } from '../../../../src/engine/core/contract/gate-options.ts';
import { differentialScene, type Files } from '../../../support/gates/differential-scene.ts';
import { NODE, NODE_DONE, PYTHON, PYTHON_DONE } from '../../../support/gates/shops.ts';
import { longDescribe } from '../../../support/long.ts';

interface Honest {
  change: Files;
  task?: string;
  options?: Partial<DifferentialOptions>;
  allowed?: string[];
  says?: RegExp;
}

async function expectPass(start: Files, command: string, { change, task, options, allowed, says }: Honest) {
  const scene = await differentialScene(start);
  await scene.change(change);
  const more = { ...(task ? { task } : {}), ...(allowed ? { allowed } : {}) };
  const judgement = await scene.judge({ command, checks: ['old_tests', 'new_tests'], ...options }, more);
  const { outcome, summary, evidence = [] } = judgement;
  expect([summary, ...evidence, outcome].join('\n')).toMatch(/pass$/);
  if (says) expect([summary, ...evidence].join('\n')).toMatch(says);
  return { judgement, scene };
}

const CART = NODE['test/cart.test.js'] ?? '';
const DONE: Files = { ...NODE, ...NODE_DONE };
const FREE_TEST = `\ntest('nothing off is the price', () => {\n  assert.equal(discounted(7, 0), 7);\n});\n`;
const FULL_TEST = `\ntest('everything off', () => {\n  assert.equal(discounted(7, 100), 0);\n});\n`;

test('work that makes the tests of the start pass, with a new test that fails without it, is measured in five runs', async () => {
  const tests = `${NODE['test/discount.test.js']}${FREE_TEST}${FULL_TEST}`;
  const { judgement, scene } = await expectPass(NODE, 'node --test test/', {
    change: { ...NODE_DONE, 'test/discount.test.js': tests },
  });
  expect(judgement.summary).toBe(
    '4 tests of the start pass on the new code; 2 of them failed at the start; of 2 new or changed tests 1 fails on the old code',
  );
  expect(judgement.evidence).toEqual([
    'pass on the old code, too: test/discount.test.js > nothing off is the price',
  ]);
  expect(judgement.proof?.differential).toEqual({
    old: { passed: 4, failed: 0, missing: 0, flaky: 0 },
    biting: 1,
    vacuous: 1,
    allowed: [],
  });
  expect(scene.opened).toHaveLength(5);
  // The same trees are not measured again.
  expect(await scene.judge({ command: 'node --test test/', checks: ['old_tests', 'new_tests'] })).toEqual(
    judgement,
  );
  expect(scene.opened).toHaveLength(5);
});

longDescribe('honest work with node:test', () => {
  test.each<[string, Files, Honest]>([
    ['only the code changes', NODE, { change: NODE_DONE, says: /no test was added or changed/ }],
    [
      'tests that came first, and could not even be loaded',
      {
        ...NODE,
        'test/more.test.js':
          "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { half } from '../src/half.js';\ntest('halves', () => assert.equal(half(2), 1));\n",
      },
      { change: { ...NODE_DONE, 'src/half.js': 'export const half = (price) => price / 2;\n' } },
    ],
    [
      'a refactor',
      DONE,
      { change: { 'src/cart.js': 'export const total = (all) => all.reduce((a, b) => b + a, 0);\n' } },
    ],
    [
      'a renamed test beside a refactor',
      DONE,
      {
        change: {
          'src/cart.js': 'export const total = (all) => all.reduce((a, b) => b + a, 0);\n',
          'test/cart.test.js': CART.replace('adds prices', 'adds all prices'),
        },
        says: /removed; their old form passes: test\/cart.test.js > adds prices/,
      },
    ],
    [
      'tests merged into a table',
      DONE,
      {
        change: {
          'src/cart.js': 'export const total = (all) => all.reduce((a, b) => b + a, 0);\n',
          'test/cart.test.js': `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { total } from '../src/cart.js';\nfor (const [prices, sum] of [[[1, 2, 3], 6], [[], 0]])\n  test(\`\${prices} cost \${sum}\`, () => assert.equal(total(prices), sum));\n`,
        },
      },
    ],
    [
      'a moved file of tests',
      DONE,
      {
        change: {
          'test/cart.test.js': null,
          'test/unit/cart.test.js': CART.replace('../src', '../../src'),
          'src/cart.js': 'export const total = (all) => all.reduce((a, b) => b + a, 0);\n',
        },
      },
    ],
    [
      'a moved file of code',
      DONE,
      {
        change: {
          'src/cart.js': null,
          'src/basket/cart.js': DONE['src/cart.js'] ?? '',
          'test/cart.test.js': CART.replace('../src/cart.js', '../src/basket/cart.js'),
        },
      },
    ],
    [
      'a wanted change that the contract allows ahead',
      DONE,
      {
        change: {
          'src/cart.js': 'export const total = (all) => all.reduce((a, b) => a + b, 1);\n',
          'test/cart.test.js': CART.replace('6', '7').replace(', 0)', ', 1)'),
        },
        options: { mayChange: ['test/cart.test.js'] },
        says: /1 exception allowed/,
      },
    ],
    [
      'a wanted change that a person allowed by name',
      DONE,
      {
        change: {
          'src/cart.js': 'export const total = (all) => (all.length ? all.reduce((a, b) => a + b) : null);\n',
          'test/cart.test.js': CART.replace(', 0)', ', null)'),
        },
        allowed: ['old_tests: test/cart.test.js > nothing costs nothing'],
        says: /1 exception allowed/,
      },
    ],
    [
      'tests for what was there before, in a task about tests',
      DONE,
      {
        change: { 'test/more.test.js': CART.replace('adds prices', 'adds more') },
        says: /only tests were changed/,
      },
    ],
    [
      'tests for what was there before, beside a refactor',
      DONE,
      {
        task: 'Refactor the cart, and cover it with tests.',
        change: {
          'src/cart.js': 'export const total = (all) => all.reduce((a, b) => b + a, 0);\n',
          'test/more.test.js': CART.replace('adds prices', 'adds more'),
        },
      },
    ],
    [
      'a new dependency-free script and a new setting beside it',
      NODE,
      {
        change: {
          ...NODE_DONE,
          'package.json': JSON.stringify({
            ...JSON.parse(NODE['package.json'] ?? ''),
            version: '1.1.0',
            scripts: { test: 'node --test test/', lint: 'true' },
          }),
        },
      },
    ],
    [
      'a project that begins with nothing',
      { 'README.md': '# Shop\n' },
      { change: DONE, says: /there were no tests at the start/ },
    ],
  ])('%s: done', async (_, start, honest) => {
    await expectPass(start, 'npm test', honest);
  });
});

longDescribe('honest work with pytest', () => {
  const ALL: Files = { ...PYTHON, ...PYTHON_DONE };
  const CART_PY = PYTHON['tests/test_cart.py'] ?? '';
  test.each<[string, Files, Honest]>([
    ['only the code changes', PYTHON, { change: PYTHON_DONE }],
    [
      'a moved module',
      ALL,
      {
        change: {
          'shop/cart.py': null,
          'shop/basket/__init__.py': '',
          'shop/basket/cart.py': ALL['shop/cart.py'] ?? '',
          'tests/test_cart.py': CART_PY.replace('shop.cart', 'shop.basket.cart'),
        },
      },
    ],
    [
      'tests merged into a table',
      ALL,
      {
        change: {
          'shop/cart.py': 'def total(prices):\n    return sum(list(prices))\n',
          'tests/test_cart.py':
            'import pytest\n\nfrom shop.cart import total\n\n\n@pytest.mark.parametrize("prices, sum_", [([1, 2, 3], 6), ([], 0)])\ndef test_total(prices, sum_):\n    assert total(prices) == sum_\n',
        },
      },
    ],
    [
      'a new fixture for new tests',
      PYTHON,
      {
        change: {
          ...PYTHON_DONE,
          'tests/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef price():\n    return 10\n',
          'tests/test_more.py':
            'from shop.discount import discounted\n\n\ndef test_more(price):\n    assert discounted(price, 10) == 9\n',
        },
        says: /of 1 new or changed test 1 fails on the old code/,
      },
    ],
  ])('%s: done', async (_, start, honest) => {
    await expectPass(start, 'python3 -m pytest -q', honest);
  });
});
