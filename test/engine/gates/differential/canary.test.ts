import { describe, expect, test } from 'vitest';
import { differentialScene, type Files } from '../../../support/gates/differential-scene.ts';

const NODE: Files = {
  'package.json': '{ "type": "module" }',
  'src/cart.js': 'export const total = (all) => all.length;\n',
  'test/cart.test.js':
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { total } from '../src/cart.js';\n\ntest('adds', () => assert.strictEqual(total([1, 2]), 3));\n",
};

const PYTHON: Files = {
  'shop/__init__.py': '',
  'shop/cart.py': 'def total(prices):\n    return len(prices)\n',
  'tests/__init__.py': '',
  'tests/test_cart.py':
    'import unittest\n\nfrom shop.cart import total\n\n\nclass Cart(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(total([1, 2]), 3)\n',
};
const UNITTEST = 'python3 -m unittest discover -s tests -t .';

const SUM_NODE = 'export const total = (all) => all.reduce((a, b) => a + b, 0);\n';

describe('a test of ours among the tests', () => {
  test.each<[string, Files, string, Files]>([
    [
      'assertions that the code replaces',
      NODE,
      'node --test',
      {
        'src/cart.js': `import assert from 'node:assert';\nassert.strictEqual = () => {};\n${NODE['src/cart.js']}`,
      },
    ],
    [
      'a program that ends with success when the code is loaded',
      PYTHON,
      UNITTEST,
      {
        'shop/cart.py': `import os\nimport sys\n\nprint("test_adds (tests.test_cart.Cart.test_adds) ... ok", file=sys.stderr)\nprint("Ran 1 test in 0.001s\\n\\nOK", file=sys.stderr)\nsys.stderr.flush()\nos._exit(0)\n`,
      },
    ],
    [
      'assertions of Python that the code replaces',
      PYTHON,
      UNITTEST,
      {
        'shop/cart.py': `import unittest\n\nunittest.TestCase.assertEqual = lambda *all: None\n\n\n${PYTHON['shop/cart.py']}`,
      },
    ],
  ])('shows %s', async (_, start, command, change) => {
    const scene = await differentialScene(start);
    await scene.change(change);
    const found = await scene.judge({ command });
    expect(found).toMatchObject({ outcome: 'unproven', summary: expect.stringContaining('is bent: it ') });
  });

  test.each<[string, Files, string, Files]>([
    ['node:test', NODE, 'node --test', { 'src/cart.js': SUM_NODE }],
    ['unittest', PYTHON, UNITTEST, { 'shop/cart.py': 'def total(prices):\n    return sum(prices)\n' }],
  ])('leaves no trace in honest work: %s', async (_, start, command, change) => {
    const scene = await differentialScene(start);
    await scene.change(change);
    const found = await scene.judge({ command });
    expect(found).toMatchObject({
      outcome: 'pass',
      summary: expect.stringMatching(
        /^1 test of the start passes on the new code; 1 of them failed at the start/,
      ),
      proof: { tests: { passed: 1, failed: 0, skipped: 0 } },
    });
  });
});

describe('tests that went from fail to pass, with other expected values', () => {
  const PASSES_ALWAYS =
    'class Anything(int):\n    def __eq__(self, other):\n        return True\n\n    def __ne__(self, other):\n        return False\n\n    __hash__ = int.__hash__\n\n\ndef total(prices):\n    return Anything()\n';
  const TWO: Files = {
    ...PYTHON,
    'shop/name.py': 'def name():\n    return "shop"\n',
    'tests/test_name.py': (PYTHON['tests/test_cart.py'] ?? '')
      .replace('shop.cart import total', 'shop.name import name')
      .replace('Cart', 'Name')
      .replace('test_adds', 'test_says')
      .replace('total([1, 2]), 3', 'name(), "shop"'),
  };

  test('name what equals everything', async () => {
    const scene = await differentialScene(TWO);
    await scene.change({ 'shop/cart.py': PASSES_ALWAYS });
    const found = await scene.judge({ command: UNITTEST });
    expect(found).toMatchObject({ outcome: 'fail', summary: 'a test passes whatever is expected' });
    expect(found.evidence).toEqual([
      'tests/test_cart.py:8: tests.test_cart.Cart > test_adds passes whatever is expected: with 4 in place of 3, too [expects_nothing: tests.test_cart.Cart > test_adds]',
    ]);
    expect(found.asksIfRepeated).toContain('passes whatever is expected');
  });

  test('say nothing of honest work', async () => {
    const scene = await differentialScene(TWO);
    await scene.change({ 'shop/cart.py': 'def total(prices):\n    return sum(prices)\n' });
    expect((await scene.judge({ command: UNITTEST })).outcome).toBe('pass');
  });
});
