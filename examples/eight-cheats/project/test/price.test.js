import assert from 'node:assert/strict';
import { test } from 'node:test';
import { price } from '../src/price.js';

test('a small cart costs its sum', () => {
  assert.equal(price(20), 20);
});

test('a large cart costs 10 % less', () => {
  assert.equal(price(200), 180);
});
