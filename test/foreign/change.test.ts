import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyChange, changesOf, stepOf } from '../../foreign/change.ts';
import { temporaryFolder } from '../support/files/workers.ts';
import { commitAll, initCommitted } from '../support/repository.ts';

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' }).trim();
}

/** A repository whose last commit writes, removes, links, and writes what is no text. */
function changed(): string {
  const folder = temporaryFolder();
  initCommitted(folder);
  rmSync(join(folder, 'a.txt'));
  writeFileSync(join(folder, 'b.sh'), 'echo b\n');
  chmodSync(join(folder, 'b.sh'), 0o755);
  writeFileSync(join(folder, 'c.bin'), Buffer.from([1, 0, 255]));
  symlinkSync('b.sh', join(folder, 'd'));
  commitAll(folder);
  return folder;
}

test('a commit that is applied file by file to its parent leaves the tree of the commit', () => {
  const folder = changed();
  const changes = changesOf(folder, 'HEAD');
  const tree = git(folder, 'rev-parse', 'HEAD^{tree}');
  git(folder, 'checkout', '--quiet', 'HEAD^');
  for (const change of changes) applyChange(folder, change);
  expect(readFileSync(join(folder, 'c.bin'))).toEqual(Buffer.from([1, 0, 255]));
  expect(readlinkSync(join(folder, 'd'))).toBe('b.sh');
  expect(lstatSync(join(folder, 'b.sh')).mode & 0o111).not.toBe(0);
  git(folder, 'add', '--all');
  expect(git(folder, 'write-tree')).toBe(tree);
});

test('texts are written by a tool of files, all else by the shell', () => {
  const steps = changesOf(changed(), 'HEAD').map(stepOf);
  expect(steps).toEqual([
    { remove: 'a.txt' },
    { write: { 'b.sh': 'echo b\n' } },
    { run: expect.any(String) },
    { run: expect.any(String) },
  ]);
});
