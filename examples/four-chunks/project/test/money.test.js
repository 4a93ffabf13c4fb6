import assert from 'node:assert/strict';
import { test } from 'node:test';

test('a price is a whole number of cents', async () => {
  const { toCents } = await import('../src/money.js');
  assert.equal(toCents('19.99'), 1999);
  assert.equal(toCents('5'), 500);
});

test('cents are written with two digits', async () => {
  const { toText } = await import('../src/money.js');
  assert.equal(toText(1999), '19.99');
  assert.equal(toText(5), '0.05');
});
