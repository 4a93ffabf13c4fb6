import assert from 'node:assert/strict';
import { test } from 'node:test';

test('a slug is made of letters, digits and single dashes', async () => {
  const { slug } = await import('../src/slug.js');
  assert.equal(slug('Hello, World!'), 'hello-world');
});
