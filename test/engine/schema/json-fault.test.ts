import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFault } from '../../../src/engine/schema/json-fault.ts';
import { longTest } from '../../support/long.ts';

test.each([
  ['', 1, 1],
  ['{', 1, 2],
  ['{"a": x}', 1, 7],
  ['{\n  "a": 1,\n}', 3, 1],
  ['[1, 2,]', 1, 7],
  ['{"a" 1}', 1, 6],
  ['{"a": 1} x', 1, 10],
  ['[\n  {"id": 1},\n  {"id": 2}\n  {"id": 3}\n]', 4, 3],
  ['{"a": "unfinished', 1, 7],
  ["{'a': 1}", 1, 2],
  ['[1}', 1, 3],
])('%j is no JSON from line %i, column %i on', (text, line, column) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(jsonFault(text)).toEqual({ line, column });
});

test('JSON that is followed by something else breaks where that begins', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(jsonFault(`${json}\n?`)).toEqual({ line: json.split('\n').length + 1, column: 1 });
    }),
  );
});

longTest.each([
  ['a string', `{"a": "${'x'.repeat(15_000_000)}`, 7],
  ['space', `[${' '.repeat(15_000_000)}?`, 15_000_002],
])('%s of fifteen million characters is not too long to be looked at', (_, text, column) => {
  expect(jsonFault(text)).toEqual({ line: 1, column });
});

test.each([
  ['["a\\x"]', 2],
  ['["a\tb"]', 2],
  ['["\\u12G4"]', 2],
  ['["\\u1234\\\\\\"" x]', 15],
])('a string ends where JSON ends it: %j', (text, column) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(jsonFault(text)).toEqual({ line: 1, column });
});

test('a text whose lists are too deep to be followed has its place at the beginning', () => {
  expect(jsonFault('['.repeat(200_000))).toEqual({ line: 1, column: 1 });
});

test('a word that JSON does not know breaks where the word begins', () => {
  expect(jsonFault('{"a": nulls}')).toEqual({ line: 1, column: 7 });
});
