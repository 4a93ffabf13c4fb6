import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { passingOf } from '../../../../src/engine/core/run/progress.ts';
import { traitsOf } from '../../../../src/engine/gates/traits.ts';
import { readRunGitRecord, writeRunGitRecord } from '../../../../src/engine/run/git/record.ts';
import { freshLoop } from '../../../support/core/samples.ts';
import { BRANCH, fails, gitScene, LOOP, passes, plainGit } from '../../../support/project/git-scene.ts';
import { commit, git, write } from '../../../support/project/project-scene.ts';

const state = freshLoop({ loop: LOOP, iteration: 3 });

describe('going on with a run', () => {
  const resume = (folder: string) => ({ resume: { folder, branch: BRANCH } });

  test('what passed at the last commit still counts', async () => {
    const { open } = gitScene();
    const first = await open({ mode: 'worktree' });
    write(first.folder, 'b.txt', 'two\n');
    await first.keep(state, [passes('tests')]);
    write(first.folder, 'b.txt', 'three\n');
    const runGit = await open({ mode: 'worktree', ...resume(first.folder) });
    expect(runGit).toMatchObject({ folder: first.folder, branch: BRANCH });
    expect(runGit.notes.join('\n')).toContain("1 file is not committed there; it counts as the run's work");
    expect(await runGit.keep(state, [passes('tests')])).toEqual([]);
    expect(await runGit.keep(state, [fails('tests'), passes('lint')])).toEqual([
      expect.stringContaining('tests'),
    ]);
    expect(await runGit.keep(state, [passes('tests'), passes('lint')])).toEqual([
      expect.stringContaining('Passes now: lint'),
    ]);
  });

  test('so it does when the runner was killed between the commit and its own record of it', async () => {
    const { project, home, open } = gitScene();
    const first = await open();
    const before = git(project, 'rev-parse', 'HEAD');
    write(project, 'b.txt', 'two\n');
    commit(project, 'the one that was about to be made');
    const record = readRunGitRecord(home, LOOP);
    if (!record) throw new Error('no record');
    writeRunGitRecord(home, {
      ...record,
      pending: { on: before, passing: passingOf([passes('tests')], traitsOf) },
    });
    const runGit = await open(resume(first.folder));
    write(project, 'c.txt', 'three\n');
    expect(await runGit.keep(state, [fails('tests'), passes('lint')])).toEqual([
      expect.stringContaining('tests'),
    ]);
  });

  test('and a commit that was not made before the kill does not', async () => {
    const { project, home, open } = gitScene();
    const first = await open();
    const record = readRunGitRecord(home, LOOP);
    if (!record) throw new Error('no record');
    const on = git(project, 'rev-parse', 'HEAD');
    writeRunGitRecord(home, { ...record, pending: { on, passing: passingOf([passes('tests')], traitsOf) } });
    const runGit = await open(resume(first.folder));
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringContaining('Passes now: tests'),
    ]);
  });

  test('is refused with what to type when the worktree is gone', async () => {
    const { project, open } = gitScene();
    const { folder } = await open({ mode: 'worktree' });
    rmSync(folder, { recursive: true });
    const refused = await open({ mode: 'worktree', ...resume(folder) }).catch(
      (error: Error) => error.message,
    );
    const typed = /put it back: (.*)$/.exec(String(refused))?.[1] ?? '';
    execFileSync('sh', ['-c', typed], { cwd: '/', stdio: 'pipe' });
    expect((await open({ mode: 'worktree', ...resume(folder) })).folder).toBe(folder);
    expect(plainGit(project, 'status', '--porcelain')).toBe('');
  });

  test('is refused on another branch', async () => {
    const { project, open } = gitScene();
    await open();
    git(project, 'checkout', '--quiet', 'main');
    await expect(open(resume(project))).rejects.toThrow(`git switch ${BRANCH}`);
  });

  test('a record that someone else wrote is none', async () => {
    const { project, home, open } = gitScene();
    await open();
    const file = join(home.root, 'git', `${LOOP}.json`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('Build it', 'Build that'));
    expect(readRunGitRecord(home, LOOP)).toBeUndefined();
    await expect(open(resume(project))).rejects.toThrow('the git record of run');
    expect(readRunGitRecord(home, '../../etc')).toBeUndefined();
  });
});
