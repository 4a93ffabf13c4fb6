import { mkdirSync, readdirSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fallbackCounts } from '../../../src/engine/home/fallback-counts.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

const own = (folder: string) => join(folder, `untildone-${process.getuid?.() ?? 'counts'}`);

test('each name is counted by itself, across processes, in files that hold nothing', () => {
  const folder = realpathSync(temporaryFolder());
  expect([1, 2, 3].map(() => fallbackCounts(folder).next('s1', 'x'))).toEqual([1, 2, 3]);
  expect(fallbackCounts(folder).next('s1', 'y')).toBe(1);
  expect(fallbackCounts(folder).next('s2', 'x')).toBe(1);
  const files = readdirSync(own(folder)).map((name) => join(own(folder), name));
  expect(files.map((file) => statSync(file).size)).toEqual([0, 0, 0, 0, 0]);
});

test('an hour later it begins anew', () => {
  const folder = realpathSync(temporaryFolder());
  fallbackCounts(folder).next('s1', 'x');
  expect(fallbackCounts(folder, () => Date.now() + 3_500_000).next('s1', 'x')).toBe(2);
  expect(fallbackCounts(folder, () => Date.now() + 3_700_000).next('s1', 'x')).toBe(1);
});

test('a count never begins anew because it got large', () => {
  const folder = realpathSync(temporaryFolder());
  const counts = Array.from({ length: 70 }, () => fallbackCounts(folder).next('s1', 'x') ?? 0);
  expect(counts.slice(0, 64)).toEqual(Array.from({ length: 64 }, (_, i) => i + 1));
  expect(counts.slice(64)).toEqual([65, 65, 65, 65, 65, 65]);
});

test('what cannot be kept, or is not ours, counts nothing', () => {
  const folder = realpathSync(temporaryFolder());
  expect(fallbackCounts(join(folder, 'is not there')).next('s1', 'x')).toBeUndefined();
  mkdirSync(join(folder, 'elsewhere'));
  symlinkSync(join(folder, 'elsewhere'), own(folder));
  expect(fallbackCounts(folder).next('s1', 'x')).toBeUndefined();
});
