import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathMatcher } from '../../../../src/engine/core/text/globs.ts';
import type { Workspace } from '../../../../src/engine/ports/ports.ts';
import { composeTree, filesOf } from '../../../../src/engine/project/trees/compose.ts';
import { openWorkspace } from '../../../../src/engine/project/trees/workspace.ts';
import { initRepository } from '../../../support/repository.ts';

let root: string;
let workspace: Workspace;
const shadowDir = () => join(root, 'home/shadow');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'untildone-compose-'));
  mkdirSync(join(root, 'project'));
  initRepository(join(root, 'project'));
  workspace = openWorkspace({
    project: join(root, 'project'),
    shadowDir: shadowDir(),
    indexFile: join(root, 'home/index'),
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, 'project', path)), { recursive: true });
  writeFileSync(join(root, 'project', path), text);
}

const remove = (path: string) => rmSync(join(root, 'project', path), { recursive: true });

test('the tests of one tree with the code of another: changed, deleted and added tests are as they were', async () => {
  write('src/a.js', 'old code');
  write('test/changed.js', 'old');
  write('test/deleted.js', 'old');
  const start = await workspace.tree();
  write('src/a.js', 'new code');
  write('test/changed.js', 'new');
  remove('test/deleted.js');
  write('test/added.js', 'new');
  const now = await workspace.tree();

  const takes = pathMatcher(['test/**']);
  const tree = await composeTree(
    { rest: now, from: start, takes, texts: { 'package.json': '{}' } },
    shadowDir(),
  );
  const files = (await filesOf(tree, shadowDir())).map(({ path }) => path);
  expect(files).toEqual(['package.json', 'src/a.js', 'test/changed.js', 'test/deleted.js']);
  expect(await workspace.contentAt(tree, 'src/a.js')).toBe('new code');
  expect(await workspace.contentAt(tree, 'test/changed.js')).toBe('old');
  expect(await workspace.contentAt(tree, 'package.json')).toBe('{}');
});

test('the same choice of the same tree is the same tree', async () => {
  write('a', 'a');
  write('dir/b', 'b');
  const tree = await workspace.tree();
  expect(await composeTree({ rest: tree, from: tree, takes: (path) => path === 'a' }, shadowDir())).toBe(
    tree,
  );
});

test('a file that is a folder in the other tree gives way to it', async () => {
  write('test', 'a file');
  const start = await workspace.tree();
  remove('test');
  write('test/a', 'in a folder');
  const now = await workspace.tree();
  const tree = await composeTree({ rest: now, from: start, takes: (path) => path === 'test' }, shadowDir());
  expect((await filesOf(tree, shadowDir())).map(({ path }) => path)).toEqual(['test/a']);
});
