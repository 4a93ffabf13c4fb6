// @ts-expect-error: the types of Node are not installed.
import assert from 'node:assert/strict';
// @ts-expect-error: the types of Node are not installed.
import { test } from 'node:test';
import { parseDuration } from '../src/duration.js';

test('seconds and minutes', () => {
  assert.equal(parseDuration('90s'), 90);
  assert.equal(parseDuration('1m 30s'), 90);
});

test('hours', () => {
  assert.equal(parseDuration('1h 1m'), 3660);
});

test('what is no time is refused', () => {
  assert.throws(() => parseDuration('soon'), /no time/);
});
