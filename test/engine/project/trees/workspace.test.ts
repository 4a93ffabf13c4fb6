import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { longTest } from '../../../support/long.ts';
import {
  commit,
  EMPTY_TREE,
  expectedTree,
  git,
  pathsOf,
  scene,
  write,
} from '../../../support/project/project-scene.ts';

const changedInSecond = (file: string) => Math.floor(statSync(file).ctimeMs / 1000);

describe('a tree names the whole work', () => {
  test('of a clean checkout it is the tree of the commit', async () => {
    const { project, workspace } = scene();
    write(project, 'a.txt', 'one\n');
    write(project, 'src/b.ts', 'two\n');
    commit(project);
    expect(await workspace.tree()).toBe(expectedTree(project));
  });

  test('staged or not, committed or not, the same content has the same name', async () => {
    const { project, workspace } = scene();
    write(project, 'a.txt', 'one\n');
    const untracked = await workspace.tree();
    git(project, 'add', 'a.txt');
    const staged = await workspace.tree();
    commit(project);
    expect([staged, await workspace.tree()]).toEqual([untracked, untracked]);
  });

  test('an edit of the same length with the same time of change is seen', async () => {
    const { project, workspace } = scene();
    const file = join(project, 'a.txt');
    write(project, 'a.txt', 'one\n');
    const times = statSync(file);
    const trees = new Set([await workspace.tree()]);
    for (const text of ['two\n', 'six\n', 'ten\n']) {
      const before = changedInSecond(file);
      // Git compares whole seconds: until the next one, nothing but the content tells them apart.
      do {
        writeFileSync(file, text);
        utimesSync(file, times.atime, times.mtime);
      } while (changedInSecond(file) === before);
      trees.add(await workspace.tree());
    }
    expect(trees.size).toBe(4);
  });

  test('modes, links and deletions count', async () => {
    const { project, workspace } = scene();
    write(project, 'run.sh', '#!/bin/sh\n');
    symlinkSync('run.sh', join(project, 'link'));
    const first = await workspace.tree();
    chmodSync(join(project, 'run.sh'), 0o755);
    const second = await workspace.tree();
    rmSync(join(project, 'link'));
    symlinkSync('elsewhere', join(project, 'link'));
    const third = await workspace.tree();
    rmSync(join(project, 'run.sh'));
    expect(await pathsOf(workspace, await workspace.tree())).toEqual(['link']);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(await workspace.contentAt(third, 'link')).toBe('elsewhere');
  });

  test('an empty folder has the empty tree', async () => {
    expect(await scene().workspace.tree()).toBe(EMPTY_TREE);
    expect(await scene({ git: false }).workspace.tree()).toBe(EMPTY_TREE);
  });

  test('a folder outside git is seen the same way, without what tools install', async () => {
    const { project, workspace } = scene({ git: false });
    write(project, 'a.txt', 'one\n');
    write(project, 'node_modules/x/index.js', 'x');
    const tree = await workspace.tree();
    expect(await pathsOf(workspace, tree)).toEqual(['a.txt']);
    git(project, 'init', '--quiet');
    write(project, '.git/info/exclude', '');
    expect(await workspace.tree()).toBe(tree);
    expect(existsSync(join(project, '.git', 'index'))).toBe(false);
  });

  longTest('of a file over 100 MB too', async () => {
    const { project, workspace } = scene();
    write(project, 'big.bin', 'x');
    truncateSync(join(project, 'big.bin'), 110 * 1024 * 1024);
    const first = await workspace.tree();
    const fd = openSync(join(project, 'big.bin'), 'r+');
    writeSync(fd, 'y', 105 * 1024 * 1024);
    closeSync(fd);
    const second = await workspace.tree();
    expect(second).not.toBe(first);
    expect((await workspace.contentAt(second, 'big.bin'))?.length).toBe(4 * 1024 * 1024);
    expect(await workspace.addedLines(first, second)).toEqual([]);
  });

  test('a project in a folder of a larger repository obeys the ignore files above it', async () => {
    const { folder, project, workspace } = scene({ git: false, project: 'mono/packages/a' });
    git(join(folder, 'mono'), 'init', '--quiet');
    write(folder, 'mono/.gitignore', 'dist/\n');
    write(folder, 'mono/packages/b/other.ts', 'other');
    expect(await workspace.tree()).toBe(EMPTY_TREE);
    write(project, 'src/a.ts', 'a');
    write(project, 'dist/a.js', 'built');
    const tree = await workspace.tree();
    expect(await pathsOf(workspace, tree)).toEqual(['src/a.ts']);
    write(folder, 'mono/packages/b/other.ts', 'changed');
    expect(await workspace.tree()).toBe(tree);
    expect(await workspace.contentAt(tree, 'src/a.ts')).toBe('a');
  });

  test('a project that becomes a repository of its own keeps its name', async () => {
    const { folder, project, workspace, indexFile } = scene({ git: false, project: 'mono/packages/a' });
    git(join(folder, 'mono'), 'init', '--quiet');
    write(project, 'a.ts', 'a');
    const tree = await workspace.tree();
    git(project, 'init', '--quiet');
    rmSync(indexFile);
    expect(await workspace.tree()).toBe(tree);
  });
});

describe('what git ignores', () => {
  test('does not count, unless the repository tracks it', async () => {
    const { project, workspace } = scene();
    write(project, '.gitignore', '*.log\nkept/\n');
    write(project, 'a.log', 'log');
    write(project, 'kept/data', 'tracked');
    git(project, 'add', '--force', 'kept/data');
    const tree = await workspace.tree();
    expect(await pathsOf(workspace, tree)).toEqual(['.gitignore', 'kept/data']);
    write(project, 'kept/data', 'changed');
    write(project, 'a.log', 'changed');
    const after = await workspace.tree();
    expect(await workspace.changes(tree, after)).toEqual([{ path: 'kept/data', change: 'modified' }]);
  });

  test('is judged by the rules of now: a folder that is ignored later leaves the tree', async () => {
    const { project, workspace } = scene();
    write(project, 'a.ts', 'a');
    write(project, 'coverage/report', '1');
    await workspace.tree();
    write(project, '.gitignore', 'coverage/\n');
    const tree = await workspace.tree();
    expect(await pathsOf(workspace, tree)).toEqual(['.gitignore', 'a.ts']);
    write(project, 'coverage/report', '2');
    expect(await workspace.tree()).toBe(tree);
  });

  test('includes what loops of foreign formats write about themselves', async () => {
    const { project, workspace } = scene();
    write(project, '.claude/ralph-loop.local.md', 'iteration: 1');
    write(project, '.claude/runtime/metrics/stop_hook_metrics.jsonl', '{}');
    write(project, '.claude/data/ralph-loops/todo/progress.txt', '- Iteration: 1');
    expect(await workspace.tree()).toBe(EMPTY_TREE);
    write(project, '.claude/data/ralph-loops/todo/feature_list.json', '{}');
    expect(await workspace.tree()).not.toBe(EMPTY_TREE);
  });

  test('includes what the person ignores everywhere', async () => {
    const { folder, project, workspace } = scene();
    write(folder, 'xdg/git/ignore', '*.swp\n');
    vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'xdg'));
    onTestFinished(() => void vi.unstubAllEnvs());
    write(project, 'a.swp', 'x');
    expect(await workspace.tree()).toBe(EMPTY_TREE);
  });

  test('includes what the repository excluded when the work began, and nothing it excludes later', async () => {
    const { project, workspace } = scene();
    write(project, '.git/info/exclude', 'private/\n');
    write(project, 'private/x', 'x');
    expect(await workspace.tree()).toBe(EMPTY_TREE);
    write(project, '.git/info/exclude', '*\n');
    git(project, 'config', 'core.excludesFile', join(project, '.git/info/exclude'));
    write(project, 'hidden.ts', 'x');
    expect(await pathsOf(workspace, await workspace.tree())).toEqual(['hidden.ts']);
  });
});

describe('names and kinds of files', () => {
  const NAMES = [
    'with space.ts',
    'new\nline.ts',
    'quote".ts',
    "apostrophe'.ts",
    'tab\t.ts',
    'ünï.ts',
    '-dash',
    '\\b',
  ];

  test('every name is kept as it is', async () => {
    const { project, workspace } = scene();
    const before = await workspace.tree();
    for (const name of NAMES) write(project, name, `in ${name.length}\n`);
    const after = await workspace.tree();
    expect(await pathsOf(workspace, after)).toEqual([...NAMES].sort());
    const added = await workspace.addedLines(before, after);
    expect(added.map((line) => line.path).sort()).toEqual([...NAMES].sort());
    for (const name of NAMES) {
      expect(await workspace.contentAt(after, name)).toBe(`in ${name.length}\n`);
      expect(await workspace.read(name)).toBe(`in ${name.length}\n`);
    }
  });

  test('a name that is no UTF-8 can be turned back into its file', async () => {
    const { project, workspace } = scene();
    const before = await workspace.tree();
    writeFileSync(
      Buffer.concat([Buffer.from(`${project}/`), Buffer.from([0x61, 0xff, 0x2e, 0x74, 0x73])]),
      'x\n',
    );
    const after = await workspace.tree();
    const [change] = await workspace.changes(before, after);
    expect(change?.path).toBe('a\udcff.ts');
    expect(await workspace.contentAt(after, 'a\udcff.ts')).toBe('x\n');
    expect(await workspace.read('a\udcff.ts')).toBe('x\n');
    expect(await workspace.addedLines(before, after)).toEqual([{ path: 'a\udcff.ts', line: 1, text: 'x' }]);
  });

  test('pipes and sockets are passed over and never waited for', async () => {
    const { project, workspace } = scene();
    write(project, 'was-a-file', 'x');
    write(project, 'a.ts', 'a');
    await workspace.tree();
    rmSync(join(project, 'was-a-file'));
    execFileSync('mkfifo', [join(project, 'was-a-file'), join(project, 'pipe')]);
    const server = createServer().listen(join(project, 'socket'));
    onTestFinished(() => void server.close());
    expect(await pathsOf(workspace, await workspace.tree())).toEqual(['a.ts']);
    expect(await workspace.read('pipe')).toBeUndefined();
    expect(await workspace.read('socket')).toBeUndefined();
  });

  test('a NUL in a source file does not hide its lines; a binary file has none', async () => {
    const { project, workspace } = scene();
    const before = await workspace.tree();
    write(project, 'a.ts', 'const a = 1;\n// \0\nhidden();\n');
    write(project, 'b.bin', 'a\0b\nline\n');
    const lines = await workspace.addedLines(before, await workspace.tree());
    expect(lines.map((line) => `${line.path}:${line.line}`)).toEqual(['a.ts:1', 'a.ts:2', 'a.ts:3']);
  });
});
