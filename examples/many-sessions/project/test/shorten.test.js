import assert from 'node:assert/strict';
import { test } from 'node:test';

test('a text is never longer than asked for', async () => {
  const { shorten } = await import('../src/shorten.js');
  assert.equal(shorten('short', 10), 'short');
  assert.equal(shorten('much too long', 6), 'much …');
});
