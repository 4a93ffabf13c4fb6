import assert from 'node:assert/strict';
import { test } from 'node:test';

test('every word of a title begins with a capital', async () => {
  const { title } = await import('../src/title.js');
  assert.equal(title('a tale of two cities'), 'A Tale Of Two Cities');
});
