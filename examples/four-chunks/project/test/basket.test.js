import assert from 'node:assert/strict';
import { test } from 'node:test';

test('a line is a count, an article and a price', async () => {
  const { readBasket } = await import('../src/basket.js');
  assert.deepEqual(readBasket('2 green tea 4.50\n1 cup 9.00\n'), [
    { count: 2, article: 'green tea', cents: 450 },
    { count: 1, article: 'cup', cents: 900 },
  ]);
});
