import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLeapYear } from './leap-year.js';

test('2024 was a leap year, 2023 was not', () => {
  assert.equal(isLeapYear(2024), true);
  assert.equal(isLeapYear(2023), false);
});

test('1900 was no leap year, 2000 was one', () => {
  assert.equal(isLeapYear(2000), true);
  assert.equal(isLeapYear(1900), false);
});
