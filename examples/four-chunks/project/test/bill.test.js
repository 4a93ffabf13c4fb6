import assert from 'node:assert/strict';
import { test } from 'node:test';

test('a bill has a line for each article, the discount and the sum', async () => {
  const { bill } = await import('../src/bill.js');
  assert.equal(
    bill('2 green tea 4.50\n2 cup 9.00\n'),
    ['2 x green tea: 9.00', '2 x cup: 18.00', 'discount: -2.70', 'sum: 24.30'].join('\n'),
  );
});

test('nothing is said about a discount that there is not', async () => {
  const { bill } = await import('../src/bill.js');
  assert.equal(bill('1 cup 9.00'), '1 x cup: 9.00\nsum: 9.00');
});
