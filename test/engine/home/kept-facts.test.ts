import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { keptFacts } from '../../../src/engine/home/kept-facts.ts';
import { temporaryFolder } from '../../support/files/workers.ts';

let folder: string;
beforeEach(() => {
  folder = join(temporaryFolder(), 'loop', 'kept');
});

const onlyFile = () => join(folder, readdirSync(folder)[0] ?? '');

test('a fact is found by the next process, under its name and the same contract', () => {
  keptFacts(folder, 'contract', 'key').write('run 1', { tests: [1, 2] });
  expect(keptFacts(folder, 'contract', 'key').read('run 1')).toEqual({ tests: [1, 2] });
  expect(keptFacts(folder, 'contract', 'key').read('run 2')).toBeUndefined();
  expect(keptFacts(folder, 'another', 'key').read('run 1')).toBeUndefined();
  expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
});

test.each([
  ['was changed', (text: string) => text.replace('[1,2]', '[1,3]')],
  ['was cut off', (text: string) => text.slice(0, 40)],
  ['is empty', () => ''],
])('a fact that %s is not found', (_, change) => {
  const kept = keptFacts(folder, 'contract', 'key');
  kept.write('run', { tests: [1, 2] });
  writeFileSync(onlyFile(), change(readFileSync(onlyFile(), 'utf8')));
  expect(kept.read('run')).toBeUndefined();
});

test('without a key nothing is kept', () => {
  const kept = keptFacts(folder, 'contract', '');
  kept.write('run', 1);
  expect(kept.read('run')).toBeUndefined();
  expect(existsSync(folder)).toBe(false);
});

test('a folder that cannot be written costs nothing but the fact', () => {
  writeFileSync(join(temporaryFolder(), 'file'), '');
  const kept = keptFacts('/dev/null/kept', 'contract', 'key');
  kept.write('run', 1);
  expect(kept.read('run')).toBeUndefined();
});

test('only the newest facts stay', () => {
  const kept = keptFacts(folder, 'contract', 'key');
  for (let i = 0; i < 70; i++) kept.write(`run ${i}`, i);
  expect(readdirSync(folder).length).toBeLessThanOrEqual(64);
  expect(kept.read('run 69')).toBe(69);
});
