import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import type { RunGit } from '../../../../src/engine/run/git/commit-progress.ts';
import type { ChildWork } from '../../../../src/engine/run/git/record.ts';
import { longTest } from '../../../support/long.ts';
import {
  fails,
  type GitScene,
  gitScene,
  hook,
  passes,
  plainGit,
} from '../../../support/project/git-scene.ts';
import { commit, git, write } from '../../../support/project/project-scene.ts';

const CHILD = '20260101-000001-def456';

interface Family {
  scene: GitScene;
  parent: RunGit;
  /** A commit of a child that begins where the parent stands. */
  child(loop: string, files: Record<string, string>): Promise<{ runGit: RunGit; commit: string }>;
  merge(commit: string, more?: Partial<ChildWork>): ReturnType<RunGit['merge']>;
}

/** A run in a worktree of its own whose gate `tests` passes, and children beside it. */
async function family(): Promise<Family> {
  const scene = gitScene();
  write(scene.project, 'list.json', '[\n  {"id":1},\n  {"id":2}\n]\n');
  commit(scene.project, 'list');
  const parent = await scene.open({ mode: 'worktree' });
  parent.startsFrom([passes('tests')]);
  return {
    scene,
    parent,
    async child(loop, files) {
      const runGit = await scene.open(
        {
          mode: 'worktree',
          loop,
          from: { commit: git(parent.folder, 'rev-parse', 'HEAD'), branch: parent.branch },
        },
        { setups: parent.setups },
      );
      for (const [path, text] of Object.entries(files)) write(runGit.folder, path, text);
      commit(runGit.folder, `work of ${loop}`);
      return { runGit, commit: git(runGit.folder, 'rev-parse', 'HEAD') };
    },
    merge: (commit, more) =>
      parent.merge({
        commit,
        message: 'Merge it\n\nUntildone-Child: x\n',
        resolveConflict: () => undefined,
        judge: async () => [passes('tests')],
        ...more,
      }),
  };
}

const contentOf = (runGit: RunGit, path: string) => readFileSync(join(runGit.folder, path), 'utf8');

describe('taking in the work of a child', () => {
  test('makes a merge commit in the name of the person, and leaves their tree alone', async () => {
    const { scene, parent, child, merge } = await family();
    const before = git(scene.project, 'rev-parse', 'HEAD');
    const { commit: work } = await child(CHILD, { 'b.txt': 'two\n' });
    const merged = await merge(work);
    expect(merged).toMatchObject({ kind: 'merged' });
    expect(plainGit(parent.folder, 'log', '-1', '--format=%an %s %P').split(' ').slice(0, 4)).toEqual([
      'A',
      'Person',
      'Merge',
      'it',
    ]);
    expect(git(parent.folder, 'rev-parse', 'HEAD^2')).toBe(work);
    expect(git(scene.project, 'rev-parse', 'HEAD')).toBe(before);
    expect(existsSync(join(scene.project, 'b.txt'))).toBe(false);
  });
  longTest('is done once: a second try finds it there', async () => {
    const { child, merge } = await family();
    const { commit: work } = await child(CHILD, { 'b.txt': 'two\n' });
    await merge(work);
    expect(await merge(work)).toEqual({ kind: 'in_already' });
  });
  test('is judged before it is kept: what stops passing is not taken in, and nothing of it stays', async () => {
    const { parent, child, merge } = await family();
    const before = git(parent.folder, 'rev-parse', 'HEAD');
    const { commit: work } = await child(CHILD, { 'a.txt': 'broken\n', 'new.txt': 'new\n' });
    const seen: string[] = [];
    const judge = async (): Promise<Verdict[]> => {
      seen.push(contentOf(parent, 'a.txt'));
      write(parent.folder, 'a.txt', 'a gate wrote this\n');
      return [fails('tests')];
    };
    expect(await merge(work, { judge })).toEqual({ kind: 'regressed', lost: ['tests'] });
    expect(seen).toEqual(['broken\n']);
    expect(git(parent.folder, 'rev-parse', 'HEAD')).toBe(before);
    expect(git(parent.folder, 'status', '--porcelain')).toBe('');
    expect(contentOf(parent, 'a.txt')).toBe('one\n');
  });
  test('with a conflict names the files and leaves everything as it was, the branch of the child too', async () => {
    const { parent, child, merge } = await family();
    const first = await child(CHILD, { 'a.txt': 'first\n' });
    const second = await child('20260101-000002-aaa111', { 'a.txt': 'second\n' });
    expect(await merge(first.commit)).toMatchObject({ kind: 'merged' });
    expect(await merge(second.commit)).toEqual({ kind: 'conflict', files: ['a.txt'] });
    expect(contentOf(parent, 'a.txt')).toBe('first\n');
    expect(git(parent.folder, 'status', '--porcelain')).toBe('');
    expect(git(parent.folder, 'rev-parse', second.runGit.branch)).toBe(second.commit);
  });
  test('resolves a file whose two sides are known, and only that one', async () => {
    const { parent, child, merge } = await family();
    const first = await child(CHILD, { 'list.json': '[\n  {"id":1,"passes":true},\n  {"id":2}\n]\n' });
    const second = await child('20260101-000002-aaa111', {
      'list.json': '[\n  {"id":1},\n  {"id":2,"passes":true}\n]\n',
    });
    await merge(first.commit);
    const both = '[\n  {"id":1,"passes":true},\n  {"id":2,"passes":true}\n]\n';
    const sides: string[] = [];
    const resolveConflict: ChildWork['resolveConflict'] = (path, { base, ours, theirs }) => {
      sides.push(path, base, ours, theirs);
      return both;
    };
    expect(await merge(second.commit, { resolveConflict })).toMatchObject({ kind: 'merged' });
    expect(sides[0]).toBe('list.json');
    expect(sides[2]).toContain('"id":1,"passes":true');
    expect(sides[3]).toContain('"id":2,"passes":true');
    expect(contentOf(parent, 'list.json')).toBe(both);
    expect(git(parent.folder, 'status', '--porcelain')).toBe('');
  });
  longTest('takes away what a child has left whose runner was killed right after the merge', async () => {
    const { scene, parent, child, merge } = await family();
    const { runGit, commit: work } = await child(CHILD, { 'b.txt': 'two\n' });
    await merge(work);
    await parent.clearAwayOf(CHILD, false);
    expect(existsSync(runGit.folder)).toBe(false);
    expect(git(scene.project, 'branch', '--list', runGit.branch)).toBe('');
    await parent.clearAwayOf(CHILD, false);
  });
  test('takes up a merge that was cut off in the middle', async () => {
    const { parent, child, merge } = await family();
    const { commit: work } = await child(CHILD, { 'b.txt': 'two\n' });
    plainGit(parent.folder, 'merge', '--no-ff', '--no-commit', work);
    expect(await merge(work)).toMatchObject({ kind: 'merged' });
    expect(git(parent.folder, 'rev-list', '--merges', '--count', 'HEAD')).toBe('1');
  });
  longTest('is refused by a hook of the person, and nothing of it stays', async () => {
    const { scene, parent, child, merge } = await family();
    const { commit: work } = await child(CHILD, { 'b.txt': 'two\n' });
    hook(scene.project, 'pre-commit', 'echo not today >&2; exit 1');
    // As the person's: it was there when the run began.
    const again = await scene.open({
      mode: 'worktree',
      resume: { folder: parent.folder, branch: parent.branch },
    });
    const result = await again.merge({
      commit: work,
      message: 'Merge it\n',
      resolveConflict: () => undefined,
      judge: async () => [passes('tests')],
    });
    expect(result).toEqual({ kind: 'refused', why: 'not today' });
    expect(git(parent.folder, 'status', '--porcelain')).toBe('');
    expect(await merge(work)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('the git hooks'),
    });
  });
  test('is refused when settings were changed that name programs, before git could run one', async () => {
    const { scene, child, merge } = await family();
    const { commit: work } = await child(CHILD, { 'b.txt': 'two\n' });
    plainGit(scene.project, 'config', 'merge.evil.driver', 'touch evil');
    expect(await merge(work)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('git settings'),
    });
    await expect(child('20260101-000003-bbb222', {})).rejects.toThrow('were changed since the run began');
  });
});

describe('the worktree of a child', () => {
  test('goes with its branch when its work is in, and the record of what passes goes on', async () => {
    const { scene, parent, child, merge } = await family();
    const { runGit, commit: work } = await child(CHILD, { 'b.txt': 'two\n' });
    await merge(work, { judge: async () => [passes('tests'), passes('types')] });
    expect(parent.passing).toEqual(['tests', 'types']);
    const owned = await scene.open(
      { mode: 'worktree', loop: CHILD, resume: { folder: runGit.folder, branch: runGit.branch } },
      { setups: parent.setups },
    );
    expect(await owned.clearAway(true)).toBe(true);
    expect(existsSync(runGit.folder)).toBe(false);
    expect(git(scene.project, 'branch', '--list', runGit.branch)).not.toBe('');
  });
  test('that was cut off while it was made is made anew', async () => {
    const { parent, child, scene } = await family();
    const { runGit } = await child(CHILD, { 'b.txt': 'two\n' });
    const anew = await scene.open({ mode: 'worktree', loop: CHILD, anew: true }, { setups: parent.setups });
    expect(anew.folder).toBe(runGit.folder);
    expect(await anew.standing()).toMatchObject({ commits: 0, left: 0 });
  });
});
