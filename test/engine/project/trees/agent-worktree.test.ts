import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createHome, homeAt } from '../../../../src/engine/home/layout.ts';
import { shadowOfWorktree, worktreeAt } from '../../../../src/engine/project/trees/user-repository.ts';
import { openWorkspace } from '../../../../src/engine/project/trees/workspace.ts';
import { commit, git, scene, write } from '../../../support/project/project-scene.ts';

function repository() {
  const place = scene();
  write(place.project, 'a.ts', 'one\n');
  write(place.project, 'pkg/b.ts', 'two\n');
  commit(place.project, 'start');
  const add = (folder: string) => {
    git(place.project, 'worktree', 'add', '--quiet', folder, '-b', `at-${folder.split('/').at(-1)}`);
    return folder;
  };
  return { ...place, add };
}

test('another checkout of the same repository, also from a folder deep in it', () => {
  const { project, folder, add } = repository();
  const inside = add(join(project, '.claude/worktrees/agent-1'));
  const beside = add(join(folder, 'beside'));
  for (const top of [inside, beside]) {
    expect(worktreeAt(project, top)).toEqual({ top, project: top });
    expect(worktreeAt(project, join(top, 'pkg'))).toEqual({ top, project: top });
    expect(worktreeAt(join(project, 'pkg'), top)).toEqual({ top, project: join(top, 'pkg') });
  }
});

test('the project itself, other repositories and no repository are no worktree of it', () => {
  const { project, folder } = repository();
  const other = scene().project;
  for (const none of [project, join(project, 'pkg'), other, folder, join(folder, 'nothing')])
    expect(worktreeAt(project, none)).toBeUndefined();
  expect(worktreeAt(scene({ git: false }).project, project)).toBeUndefined();
});

test('a link in the place of the project leads nowhere', () => {
  const { project, folder, add } = repository();
  const top = add(join(folder, 'beside'));
  git(top, 'rm', '-rq', 'pkg');
  symlinkSync(join(project, 'pkg'), join(top, 'pkg'));
  expect(worktreeAt(join(project, 'pkg'), top)).toBeUndefined();
  mkdirSync(join(top, 'other'));
  expect(worktreeAt(join(project, 'gone'), top)).toBeUndefined();
});

test('its trees are made in the shadow of the project, and compare with a commit', async () => {
  const { project, folder, add } = repository();
  const found = worktreeAt(project, add(join(folder, 'beside')));
  if (!found) throw new Error('no worktree');
  const home = homeAt(join(folder, 'home'));
  createHome(home);
  const shadow = shadowOfWorktree(home, project, found);
  const workspace = openWorkspace({ project: found.project, ...shadow });
  write(found.project, 'c.ts', 'three\n');
  const before = git(project, 'rev-parse', 'HEAD:./');
  expect(await workspace.changes(before, await workspace.tree())).toEqual([
    { path: 'c.ts', change: 'added' },
  ]);

  const old = join(dirname(shadow.indexFile), 'old');
  writeFileSync(old, '');
  utimesSync(old, 1, 1);
  shadowOfWorktree(home, project, found);
  expect([existsSync(old), existsSync(shadow.indexFile)]).toEqual([false, true]);
});
