import { expect, test } from 'vitest';
import { RunAccount } from '../../../src/fleet/worker/fleet-money.ts';

const AT = 1_000;

function account() {
  const told: [string, number, number][] = [];
  const tell = async (_repo: string, { of, usd, at }: { of: string; usd: number; at: number }) => {
    if (usd === 7) throw new Error('the store refuses it');
    told.push([of, usd, at]);
  };
  return { told, of: new RunAccount('r1', { tell }, () => false) };
}

test('each iteration is told once, however often all of them are said, and the end of each take by itself', async () => {
  const { told, of } = account();
  const first = { iteration: 1, usd: 2, at: AT };
  const end = { iteration: 1, usd: 0.5, at: AT + 1, end: true as const };
  of.spent('repo', [first]);
  of.spent('repo', [first, end]);
  of.spent('repo', [first, end, { iteration: 2, usd: 1, at: AT + 2 }]);
  await of.told();
  expect(told).toEqual([
    ['r1 1', 2, AT],
    ['r1 end after 1', 0.5, AT + 1],
    ['r1 2', 1, AT + 2],
  ]);
});

test('what no iteration has told is the rest of the total, never less than nothing', () => {
  const { of } = account();
  expect(of.untold(1.5)).toBe(1.5);
  of.spent('repo', [{ iteration: 1, usd: 1, at: AT }]);
  expect(of.untold(1.5)).toBe(0.5);
  of.spent('repo', undefined);
  expect(of.untold(0.5)).toBe(0);
});

test('an iteration that the store refuses keeps no other from being told', async () => {
  const { told, of } = account();
  of.spent('repo', [
    { iteration: 1, usd: 7, at: AT },
    { iteration: 2, usd: 1, at: AT },
  ]);
  await of.told();
  expect(told).toEqual([['r1 2', 1, AT]]);
});
