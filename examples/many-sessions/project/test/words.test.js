import assert from 'node:assert/strict';
import { test } from 'node:test';

test('words are counted, blanks are not', async () => {
  const { words } = await import('../src/words.js');
  assert.equal(words('  one two  three '), 3);
  assert.equal(words(''), 0);
});
