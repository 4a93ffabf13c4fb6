import { expect, test } from 'vitest';
import { GateTurns } from '../../../src/engine/judging/gate-turns.ts';

/** Lets gates ask for their turn in this order; returns who has it after each end. */
async function turnsOf(asks: readonly string[], ends: readonly string[], quick: readonly string[] = []) {
  const turns = new GateTurns((gate) => quick.includes(gate));
  const running: string[] = [];
  for (const gate of asks) void turns.take(gate).then(() => running.push(gate));
  const seen: string[][] = [];
  const look = async () => {
    await new Promise(setImmediate);
    seen.push(running.splice(0));
  };
  await look();
  for (const gate of ends) {
    turns.end(gate);
    await look();
  }
  return seen;
}

test('one gate at a time, in the order in which they ask', async () => {
  expect(await turnsOf(['a', 'b', 'c'], ['a', 'b'])).toEqual([['a'], ['b'], ['c']]);
});

test('a gate that asks again goes on; one that never had its turn keeps nobody', async () => {
  expect(await turnsOf(['a', 'a', 'b'], ['other', 'a'])).toEqual([['a', 'a'], [], ['b']]);
});

test('a gate that gave up while it waited is left out', async () => {
  expect(await turnsOf(['a', 'b', 'c'], ['b', 'a'])).toEqual([['a'], [], ['c']]);
});

test('a gate that is known to be quick waits for nobody', async () => {
  expect(await turnsOf(['a', 'b', 'quick'], ['a'], ['quick'])).toEqual([['a', 'quick'], ['b']]);
});
