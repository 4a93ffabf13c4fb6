import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  commit,
  EMPTY_TREE,
  expectedTree,
  git,
  opened,
  pathsOf,
  scene,
  write,
} from '../../../support/project/project-scene.ts';

describe('settings of the repository do not bend what is seen', () => {
  test('assume-unchanged and skip-worktree hide nothing', async () => {
    const { project, workspace } = scene();
    write(project, 'a.ts', 'a');
    write(project, 'b.ts', 'b');
    commit(project);
    const before = await workspace.tree();
    git(project, 'update-index', '--assume-unchanged', 'a.ts');
    git(project, 'update-index', '--skip-worktree', 'b.ts');
    write(project, 'a.ts', 'changed a');
    write(project, 'b.ts', 'changed b');
    expect(git(project, 'status', '--porcelain')).toBe('');
    const paths = (await workspace.changes(before, await workspace.tree())).map((change) => change.path);
    expect(paths).toEqual(['a.ts', 'b.ts']);
  });

  test('filters, hooks, monitors and attributes of the project neither run nor convert', async () => {
    const { folder, project, workspace } = scene();
    const ran = join(folder, 'ran');
    write(
      project,
      '.gitattributes',
      '*.ts filter=x text eol=lf ident -diff\n*.txt working-tree-encoding=UTF-16\n',
    );
    write(project, 'a.ts', 'const id = "$Id: 1$";\r\n');
    write(project, 'plain.txt', 'not UTF-16\n');
    for (const [name, value] of [
      ['filter.x.clean', `touch ${ran}; echo same`],
      ['filter.x.required', 'true'],
      ['core.fsmonitor', `touch ${ran}`],
      ['core.autocrlf', 'input'],
      ['diff.external', `touch ${ran}`],
    ]) {
      git(project, 'config', name as string, value as string);
    }
    const before = await workspace.tree();
    expect(await workspace.contentAt(before, 'a.ts')).toBe('const id = "$Id: 1$";\r\n');
    write(project, 'a.ts', 'const id = "$Id: 1$";\r\nadded();\r\n');
    const after = await workspace.tree();
    expect(await workspace.addedLines(before, after)).toEqual([{ path: 'a.ts', line: 2, text: 'added();' }]);
    expect(existsSync(ran)).toBe(false);
  });

  test('variables that lead git elsewhere are not passed on', async () => {
    const { folder, project, workspace } = scene();
    write(project, 'a.ts', 'a');
    vi.stubEnv('GIT_INDEX_FILE', join(folder, 'other-index'));
    vi.stubEnv('GIT_DIR', join(folder, 'nowhere'));
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'core.worktree');
    vi.stubEnv('GIT_CONFIG_VALUE_0', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await pathsOf(workspace, await workspace.tree())).toEqual(['a.ts']);
  });

  test('the repository itself is not written to', async () => {
    const { project, workspace } = scene();
    write(project, 'a.ts', 'a');
    commit(project);
    write(project, 'b.ts', 'b');
    git(project, 'status');
    const listing = () => readdirSync(join(project, '.git'), { recursive: true }).sort();
    const [before, index] = [listing(), readFileSync(join(project, '.git', 'index'))];
    await workspace.changes(EMPTY_TREE, await workspace.tree());
    await workspace.git(['status']);
    expect(listing()).toEqual(before);
    expect(readFileSync(join(project, '.git', 'index'))).toEqual(index);
  });

  test('blobs that the repository has are not stored a second time', async () => {
    const { project, workspace, shadowDir } = scene();
    for (let i = 0; i < 20; i++) write(project, `f${i}.ts`, `content ${i}`);
    commit(project);
    await workspace.tree();
    const stored = readdirSync(join(shadowDir, 'objects')).filter((name) => name.length === 2);
    expect(stored).toEqual([]);
  });
});

describe('repositories inside the project', () => {
  test('count with their files, committed or not, however deep', async () => {
    const { project, workspace } = scene();
    write(project, 'a.ts', 'a');
    git(project, 'init', '--quiet', 'empty');
    git(project, 'init', '--quiet', 'one');
    write(project, 'one/x.ts', 'x');
    commit(join(project, 'one'));
    git(project, 'init', '--quiet', 'one/two');
    write(project, 'one/two/y.ts', 'y');
    const first = await workspace.tree();
    expect(await pathsOf(workspace, first)).toEqual(['a.ts', 'one/two/y.ts', 'one/x.ts']);
    write(project, 'one/x.ts', 'changed');
    write(project, 'one/two/new.ts', 'new');
    const second = await workspace.tree();
    expect((await workspace.changes(first, second)).map((c) => c.path)).toEqual([
      'one/two/new.ts',
      'one/x.ts',
    ]);
    expect(await workspace.tree()).toBe(second);
  });

  test('made around files that were seen before hide nothing', async () => {
    const { project, workspace, indexFile } = scene();
    write(project, 'src/a.ts', 'a');
    const before = await workspace.tree();
    git(project, 'init', '--quiet', 'src');
    commit(join(project, 'src'));
    expect(await workspace.tree()).toBe(before);
    rmSync(indexFile);
    expect(await workspace.tree()).toBe(before);
  });

  test('submodules count with their files', async () => {
    const { folder, project, workspace } = scene();
    write(folder, 'library/lib.ts', 'lib');
    git(join(folder, 'library'), 'init', '--quiet');
    commit(join(folder, 'library'));
    git(
      project,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      join(folder, 'library'),
      'lib',
    );
    commit(project);
    const before = await workspace.tree();
    expect(await pathsOf(workspace, before)).toEqual(['.gitmodules', 'lib/lib.ts']);
    write(project, 'lib/lib.ts', 'changed');
    expect(await workspace.changes(before, await workspace.tree())).toEqual([
      { path: 'lib/lib.ts', change: 'modified' },
    ]);
  });

  test('other worktrees of the same repository are other work', async () => {
    const { project, workspace } = scene();
    write(project, 'a.ts', 'a');
    commit(project);
    const before = await workspace.tree();
    git(project, 'worktree', 'add', '--quiet', '.claude/work trees/[x]', '-b', 'x');
    expect(await workspace.tree()).toBe(before);
    write(project, '.claude/work trees/[x]/b.ts', 'b');
    write(project, '.claude/work trees/other.ts', 'counts');
    const after = await workspace.tree();
    expect((await workspace.changes(before, after)).map((c) => c.path)).toEqual([
      '.claude/work trees/other.ts',
    ]);
  });

  test('a folder of tracked files does not become another worktree by saying so', async () => {
    const { project, workspace } = scene();
    write(project, 'src/a.ts', 'a');
    commit(project);
    const before = await workspace.tree();
    git(project, 'worktree', 'add', '--quiet', 'elsewhere', '-b', 'x');
    rmSync(join(project, 'elsewhere'), { recursive: true });
    write(project, 'src/.git', `gitdir: ${join(project, '.git/worktrees/elsewhere')}\n`);
    write(project, '.git/worktrees/elsewhere/gitdir', `${join(project, 'src/.git')}\n`);
    write(project, 'src/hidden.ts', 'hidden');
    expect(await workspace.changes(before, await workspace.tree())).toEqual([
      { path: 'src/hidden.ts', change: 'added' },
    ]);
  });

  test('a project that is a worktree itself is seen, with its own branch', async () => {
    const { folder, project } = scene();
    write(project, 'a.ts', 'a');
    commit(project);
    git(project, 'worktree', 'add', '--quiet', join(folder, 'side'), '-b', 'side');
    const { workspace } = opened(folder, join(folder, 'side'));
    expect(await workspace.tree()).toBe(expectedTree(project));
    expect(await workspace.head()).toMatchObject({ branch: 'side' });
  });
});
