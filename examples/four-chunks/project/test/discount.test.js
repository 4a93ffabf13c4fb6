import assert from 'node:assert/strict';
import { test } from 'node:test';

test('a small sum has no discount', async () => {
  const { discount } = await import('../src/discount.js');
  assert.equal(discount(1999), 0);
});

test('from 20.00 on a tenth is taken off', async () => {
  const { discount } = await import('../src/discount.js');
  assert.equal(discount(2000), 200);
  assert.equal(discount(3005), 300);
});
