import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throwAway } from '../../../../src/engine/project/room/trash.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';

let root: string;
let trash: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'untildone-trash-test-'));
  trash = join(root, 'trash');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

function folder(name: string): string {
  const path = join(root, name);
  mkdirSync(join(path, 'a/b'), { recursive: true });
  writeFileSync(join(path, 'a/b/file'), 'text');
  return path;
}

const namesIn = (path: string) => (existsSync(path) ? readdirSync(path) : []);
const isEmpty = () => expect.poll(() => namesIn(trash), { timeout: PATIENCE_MS }).toEqual([]);

test('is gone at once from its place, and soon from the disk', async () => {
  const [one, two] = [folder('one'), folder('two')];
  chmodSync(join(two, 'a/b'), 0o500);
  chmodSync(join(two, 'a'), 0o500);
  await throwAway([one, two, join(root, 'missing')], trash);
  expect(readdirSync(root).filter((name) => name !== 'trash')).toEqual([]);
  await isEmpty();
});

test('what a killed process left there goes with it', async () => {
  mkdirSync(trash);
  mkdirSync(join(trash, '1-1-1'));
  writeFileSync(join(trash, '1-1-1/file'), '');
  await throwAway([folder('one')], trash);
  await isEmpty();
});

test('where much waits, it is removed before anything goes on', async () => {
  for (let n = 0; n < 12; n++) mkdirSync(join(trash, String(n), 'inside'), { recursive: true });
  await throwAway([folder('one')], trash);
  expect(existsSync(trash)).toBe(false);
});

test('a link in place of the trash is removed, and what it leads to stays', async () => {
  const mine = folder('mine');
  symlinkSync(mine, trash);
  await throwAway([folder('one')], trash);
  expect(existsSync(join(mine, 'a/b/file'))).toBe(true);
  expect(lstatSync(trash, { throwIfNoEntry: false })).toBeUndefined();
});

test('a link is thrown away itself', async () => {
  const mine = folder('mine');
  symlinkSync(mine, join(root, 'link'));
  await throwAway([join(root, 'link')], trash);
  await isEmpty();
  expect(existsSync(join(mine, 'a/b/file'))).toBe(true);
});

test('programs that somebody put on PATH do not remove it', async () => {
  const bin = join(root, 'bin');
  mkdirSync(bin);
  for (const name of ['rm', 'sh', 'chmod'])
    writeFileSync(join(bin, name), `#!/bin/sh\n: >'${root}/was-run'\n`, { mode: 0o755 });
  vi.stubEnv('PATH', bin);
  await throwAway([folder('one')], trash);
  await isEmpty();
  expect(existsSync(join(root, 'was-run'))).toBe(false);
});
