import type { Files } from './differential-scene.ts';

/** A shop whose tests say what it is to do: the tests of discounts fail at the start. */
export const NODE: Files = {
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

/** The work that makes every test pass. */
export const NODE_DONE: Files = {
  'src/discount.js':
    'export function discounted(price, percent) {\n  return price - (price * percent) / 100;\n}\n',
};

/** The same with pytest. */
export const PYTHON: Files = {
  'shop/__init__.py': '',
  'shop/cart.py': 'def total(prices):\n    return sum(prices)\n',
  'shop/discount.py': 'def discounted(price, percent):\n    return price\n',
  'tests/test_cart.py': `from shop.cart import total


def test_adds_prices():
    assert total([1, 2, 3]) == 6


def test_nothing_costs_nothing():
    assert total([]) == 0
`,
  'tests/test_discount.py': `import json
import pathlib

import pytest

from shop.discount import discounted

SALE = json.loads((pathlib.Path(__file__).parent / "fixtures" / "sale.json").read_text())


def test_takes_ten_percent_off():
    assert discounted(100, 10) == 90


def test_takes_off_what_the_sale_says():
    assert discounted(SALE["price"], SALE["percent"]) == SALE["expected"]


@pytest.mark.parametrize("price, expected", [(10, 5), (20, 10)])
def test_halves(price, expected):
    assert discounted(price, 50) == expected
`,
  'tests/fixtures/sale.json': '{ "price": 50, "percent": 20, "expected": 40 }\n',
};

export const PYTHON_DONE: Files = {
  'shop/discount.py': 'def discounted(price, percent):\n    return price - price * percent / 100\n',
};
