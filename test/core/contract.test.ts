import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, promiseContract, promiseOf, withPromise } from '../../src/core/contract.ts';

const plain = promiseContract('DONE', DEFAULT_LIMITS);

test('a contract of nothing but a promise', () => {
  expect(plain).toMatchObject({
    v: 1,
    gates: { promise: { kind: 'promise', options: { text: 'DONE' } } },
    done: ['promise'],
    notify: [],
  });
  expect(promiseOf(plain)).toBe('DONE');
});

describe('a promise beside gates', () => {
  const gates = { tests: { kind: 'run' as const, options: { command: 'npm test' } } };
  const contract = { ...plain, gates, done: ['tests'] };
  test('both are required, and nothing of the contract is changed by it', () => {
    const both = withPromise(contract, 'ALL GREEN');
    expect(both.done).toEqual(['tests', 'promise']);
    expect(promiseOf(both)).toBe('ALL GREEN');
    expect(contract.done).toEqual(['tests']);
    expect(promiseOf(contract)).toBeUndefined();
  });
  test('another promise takes the place of the first', () => {
    const twice = withPromise(withPromise(contract, 'ONE'), 'TWO');
    expect(twice.done).toEqual(['tests', 'promise']);
    expect(promiseOf(twice)).toBe('TWO');
  });
  test('a gate of another kind that is called promise stays what it is', () => {
    const named = { ...contract, gates: { promise: gates.tests }, done: ['promise'] };
    const both = withPromise(named, 'ONE');
    expect(both.gates.promise).toEqual(gates.tests);
    expect(both.done).toEqual(['promise', 'promise-stated']);
    expect(promiseOf(both)).toBe('ONE');
  });
  test('a promise that no list leads to is not asked for', () => {
    expect(promiseOf({ ...plain, done: [] })).toBeUndefined();
  });
});
