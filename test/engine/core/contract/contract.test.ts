import { describe, expect, test } from 'vitest';
import {
  type Contract,
  DEFAULT_LIMITS,
  foreignContract,
  type GateSpec,
  promiseContract,
  promiseOf,
  withPromise,
} from '../../../../src/engine/core/contract/contract.ts';

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

test('phases of an approved contract hold a foreign loop, too, without the promises that cannot be stated beside its own', () => {
  const promise = (text: string): GateSpec => ({ kind: 'promise', options: { text } });
  const tests: GateSpec = { kind: 'run', options: { command: 'npm test' } };
  const approved: Contract = {
    ...promiseContract('OLD', DEFAULT_LIMITS),
    gates: { tests, said: promise('OLD') },
    done: ['tests', 'said'],
    phases: [{ name: 'make', instruction: 'Make it', entry: ['said'], exit: ['tests', 'said'] }],
  };
  const contract = foreignContract({ promise: promise('NEW') }, approved);
  expect(contract.done).toEqual(['tests', 'promise']);
  expect(contract.phases).toEqual([{ name: 'make', instruction: 'Make it', entry: [], exit: ['tests'] }]);
  expect(foreignContract({}, approved).phases).toBe(approved.phases);
});
