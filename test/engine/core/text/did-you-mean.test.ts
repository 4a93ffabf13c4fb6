import { expect, test } from 'vitest';
import { didYouMean } from '../../../../src/engine/core/text/did-you-mean.ts';

const WORDS = ['run', 'features', 'tests_intact', 'timeout', 'on_unproven', 'iterations', 'all', 'any'];

test.each([
  ['runn', 'run'],
  ['rnu', 'run'],
  ['timout', 'timeout'],
  ['tiemout', 'timeout'],
  ['testsIntact', 'tests_intact'],
  ['on-unproven', 'on_unproven'],
  ['RUN', 'run'],
  ['max_iterations', 'iterations'],
  ['feature', 'features'],
  ['anny', 'any'],
])('%s was meant to be %s', (word, meant) => {
  expect(didYouMean(word, WORDS)).toBe(meant);
});

test.each(['', '_', 'x', 'zebra', 'database', 'a'.repeat(10_000)])('%j is near to nothing', (word) => {
  expect(didYouMean(word, WORDS)).toBeUndefined();
});

test('the nearest word wins, and of two equally near ones the first', () => {
  expect(didYouMean('tests', ['text', 'test'])).toBe('test');
  expect(didYouMean('lists', ['listx', 'listy'])).toBe('listx');
});
