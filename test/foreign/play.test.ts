// Tier: whole
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { playOne } from '../../foreign/one.ts';
import { isGreen, isHeld } from '../../foreign/row.ts';
import { shapesAt } from '../../foreign/shapes/all.ts';
import { temporaryFolder } from '../support/files/workers.ts';

test('a project is set up, its next commit ends, its cheat is held, and nothing is left', async () => {
  const source = shapesAt(0.01).find(({ name }) => name === 'made/many-files');
  if (source === undefined) throw new Error('there is no such shape');
  const folder = temporaryFolder();
  const row = await playOne(source, { clones: folder, folder, program: 'p', minutes: 20, keep: false });
  expect(row.why).toBeUndefined();
  expect(row).toMatchObject({ result: 'played', scale: 0.01, contract: { wrong: [] } });
  expect(isGreen(row), JSON.stringify(row.setup)).toBe(true);
  expect(row.honest?.ending, row.honest?.said).toBe('verified_done');
  expect(row.cheat && isHeld(row.cheat), row.cheat?.said).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});
