import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renderProcessId } from '../../../../src/engine/files/process-id.ts';
import type { Scratch, Workspace } from '../../../../src/engine/ports/ports.ts';
import { scratchAt } from '../../../../src/engine/project/trees/scratch.ts';
import { openWorkspace } from '../../../../src/engine/project/trees/workspace.ts';
import { initRepository } from '../../../support/repository.ts';

let root: string;
let project: string;
let temporary: string;
let workspace: Workspace;
let scratch: Scratch;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'untildone-scratch-test-'));
  [project, temporary] = [join(root, 'my project'), join(root, 'tmp')];
  await mkdir(project);
  await mkdir(temporary);
  initRepository(project);
  const shadowDir = join(root, 'home', 'shadow');
  workspace = openWorkspace({ project, shadowDir, indexFile: join(root, 'home', 'index') });
  scratch = scratchAt({ shadowDir, folder: temporary });
});

afterEach(() => rm(root, { recursive: true, force: true }));

const write = (path: string, text: string) => writeFile(join(project, path), text);

function git(dir: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: dir, encoding: 'utf8' });
}

test('a checkout holds the files of the tree, byte for byte, and nothing that git ignores', async () => {
  await mkdir(join(project, 'bin'));
  await write('.gitignore', 'node_modules/\n');
  await write('.gitattributes', '*.txt text eol=crlf\n*.dat filter=lfs\n');
  await write('a.txt', 'one\ntwo\r\n');
  await write('b.dat', '\u0000\u0001');
  await write('bin/run', '#!/bin/sh\necho runs\n');
  await chmod(join(project, 'bin/run'), 0o755);
  await symlink('a.txt', join(project, 'link'));
  await mkdir(join(project, 'node_modules'));
  await write('node_modules/x.js', 'x');

  const copy = await scratch.checkout(await workspace.tree());
  expect(await readFile(join(copy.dir, 'a.txt'), 'utf8')).toBe('one\ntwo\r\n');
  expect(await readFile(join(copy.dir, 'b.dat'), 'utf8')).toBe('\u0000\u0001');
  expect(execFileSync(join(copy.dir, 'bin/run'), { encoding: 'utf8' })).toBe('runs\n');
  expect(await readlink(join(copy.dir, 'link'))).toBe('a.txt');
  expect(existsSync(join(copy.dir, 'node_modules'))).toBe(false);
  expect(git(copy.dir, 'status', '--porcelain')).toBe('');
});

test('git diff HEAD shows the work: changed, new and deleted files', async () => {
  await write('changed', 'before\n');
  await write('deleted', 'x\n');
  const base = await workspace.tree();
  await write('changed', 'after\n');
  await write('new', 'y\n');
  await rm(join(project, 'deleted'));

  const copy = await scratch.checkout(await workspace.tree(), { base });
  expect(git(copy.dir, 'diff', 'HEAD', '--name-status').trim().split('\n')).toEqual([
    'M\tchanged',
    'D\tdeleted',
    'A\tnew',
  ]);
  expect(git(copy.dir, 'diff')).toBe('');
});

test('what is done in a checkout does not reach the project or its trees', async () => {
  await write('a.txt', 'mine\n');
  const tree = await workspace.tree();
  const copy = await scratch.checkout(tree);
  await writeFile(join(copy.dir, 'a.txt'), 'theirs\n');
  git(copy.dir, '-c', 'user.name=x', '-c', 'user.email=x@localhost', 'commit', '-qam', 'theirs');
  expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('mine\n');
  expect(await workspace.tree()).toBe(tree);
  expect(await workspace.contentAt(tree, 'a.txt')).toBe('mine\n');
});

test('disposing removes everything, twice if need be, also what nobody may write to', async () => {
  await write('a.txt', 'x\n');
  const copy = await scratch.checkout(await workspace.tree());
  await mkdir(join(copy.dir, 'cache/sealed'), { recursive: true });
  await writeFile(join(copy.dir, 'cache/sealed/file'), 'x');
  await chmod(join(copy.dir, 'cache/sealed'), 0o500);
  await chmod(join(copy.dir, 'cache'), 0o500);
  await copy.dispose();
  await copy.dispose();
  expect(await readdir(temporary)).toEqual([]);
});

test('a tree that is not known, and one that is no name of a tree, leave no folder behind', async () => {
  await write('a.txt', 'x\n');
  await workspace.tree();
  await expect(scratch.checkout('0123456789'.repeat(4))).rejects.toThrow(/read-tree/);
  await expect(scratch.checkout('--help')).rejects.toThrow('does not name a tree');
  expect(await readdir(temporary)).toEqual([]);
});

test('a checkout that is called off leaves no folder behind', async () => {
  await write('a.txt', 'x\n');
  const tree = await workspace.tree();
  await expect(scratch.checkout(tree, { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(await readdir(temporary)).toEqual([]);
});

test('folders of a process that died go with the next checkout; those of a living one stay', async () => {
  await write('a.txt', 'x\n');
  const tree = await workspace.tree();
  const dead = join(temporary, 'untildone-scratch-dead');
  const foreign = join(temporary, 'untildone-scratch-foreign');
  for (const folder of [dead, foreign]) await mkdir(join(folder, 'project'), { recursive: true });
  await writeFile(join(dead, 'owner'), renderProcessId({ pid: 2 ** 22 + 1, started: '1', host: hostname() }));
  const living = await scratch.checkout(tree);
  const next = await scratch.checkout(tree);
  expect([dead, foreign, living.dir, next.dir].map(existsSync)).toEqual([false, true, true, true]);
});
