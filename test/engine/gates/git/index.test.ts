import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GitCheck } from '../../../../src/engine/core/contract/gate-options.ts';
import { gitGate } from '../../../../src/engine/gates/git/index.ts';
import { contextOf, type WorkScene, workScene } from '../../../support/gates/work-scene.ts';
import { git, scene, write } from '../../../support/project/project-scene.ts';

const judged = (work: WorkScene, ...checks: GitCheck[]) => work.judge(gitGate, { checks });

/** A remote beside the project, with main pushed to it. */
function pushedOnce({ folder, project }: WorkScene): void {
  git(folder, 'init', '--quiet', '--bare', 'remote.git');
  git(project, 'remote', 'add', 'origin', join(folder, 'remote.git'));
  git(project, 'push', '--quiet', '--set-upstream', 'origin', 'main');
}

describe('outside a repository', () => {
  test('every check fails and says why', async () => {
    const place = scene({ git: false });
    const signal = new AbortController().signal;
    for (const check of ['clean', 'committed', 'pushed', 'branch'] as const) {
      const judgement = await gitGate.judge({ checks: [check] }, contextOf(place, {}), signal);
      expect(judgement).toEqual({ outcome: 'fail', summary: 'the project is not in a git repository' });
    }
  });
});

describe('clean', () => {
  test('passes when nothing is changed or untracked; ignored files do not count', async () => {
    const work = await workScene({ 'a.ts': 'a', '.gitignore': '*.log\n' });
    work.change({ 'x.log': 'x' });
    expect(await judged(work, 'clean')).toEqual({ outcome: 'pass', summary: 'the working tree is clean' });
  });

  test('names what is modified, staged, deleted, renamed and untracked', async () => {
    const long = 'line\n'.repeat(20);
    const work = await workScene({ 'a.ts': 'a', 'b.ts': 'b', 'c.ts': 'c', 'old name.ts': long });
    work.change({ 'a.ts': 'changed', 'b.ts': 'staged', 'c.ts': undefined, 'new\nname.ts': 'n' });
    git(work.project, 'add', 'b.ts');
    git(work.project, 'mv', 'old name.ts', 'moved.ts');
    const judgement = await judged(work, 'clean');
    expect(judgement).toMatchObject({ outcome: 'fail', summary: 'the working tree is not clean: 5 files' });
    expect(judgement.evidence).toEqual([
      'modified, not committed: a.ts',
      'modified, staged, not committed: b.ts',
      'deleted, not committed: c.ts',
      'renamed, staged, not committed: moved.ts',
      'untracked: new\nname.ts',
    ]);
  });

  test('names at most twenty files', async () => {
    const work = await workScene();
    for (let i = 0; i < 30; i++) write(work.project, `f${i}`, 'x');
    const { evidence } = await judged(work, 'clean');
    expect(evidence).toHaveLength(21);
    expect(evidence?.at(-1)).toBe('and 10 more');
  });

  test('a setting that hides untracked files is of no use', async () => {
    const work = await workScene();
    git(work.project, 'config', 'status.showUntrackedFiles', 'no');
    work.change({ 'a.ts': 'a' });
    expect(await judged(work, 'clean')).toMatchObject({ outcome: 'fail', evidence: ['untracked: a.ts'] });
  });

  test.each([
    ['--assume-unchanged', 'assume-unchanged'],
    ['--skip-worktree', 'skip-worktree'],
  ])('a change behind %s is found', async (flag, how) => {
    const work = await workScene({ 'a.ts': 'a', 'b.ts': 'b' });
    git(work.project, 'update-index', flag, 'a.ts', 'b.ts');
    expect(await judged(work, 'clean')).toMatchObject({ outcome: 'pass' });
    work.change({ 'a.ts': 'changed' });
    expect(await judged(work, 'clean')).toMatchObject({
      outcome: 'fail',
      evidence: [`not committed, hidden from git status by ${how}: a.ts`],
    });
  });

  test('a file hidden by .git/info/exclude is found', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    work.change({ 'b.ts': 'b', '.git/info/exclude': 'b.ts\n' });
    expect(await judged(work, 'clean')).toMatchObject({
      outcome: 'fail',
      evidence: ['not committed, hidden from git status by an exclude file outside the project: b.ts'],
    });
  });

  test('looks at the project’s own folder of a larger repository', async () => {
    const place = scene({ git: false, project: 'mono/packages/a' });
    const mono = join(place.folder, 'mono');
    git(mono, 'init', '--quiet');
    write(mono, 'other/x.ts', 'not ours');
    const context = contextOf(place, {});
    const judge = () => gitGate.judge({ checks: ['clean'] }, context, new AbortController().signal);
    expect(await judge()).toMatchObject({ outcome: 'pass' });
    write(place.project, 'src/a.ts', 'ours');
    expect(await judge()).toMatchObject({ outcome: 'fail', evidence: ['untracked: src/a.ts'] });
  });
});

describe('committed', () => {
  test('passes when the work is in commits, and counts them', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    expect(await judged(work, 'committed')).toMatchObject({
      outcome: 'pass',
      summary: 'nothing has changed since the start',
    });
    work.change({ 'a.ts': 'changed', 'b.ts': 'new' });
    work.commit();
    expect(await judged(work, 'committed')).toMatchObject({
      outcome: 'pass',
      summary: 'everything is committed (1 commit since the start)',
    });
  });

  test('a changed tracked file fails, and so does a new file in no commit', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    work.change({ 'b.ts': 'new' });
    expect(await judged(work, 'committed')).toMatchObject({
      outcome: 'fail',
      summary: '1 changed file not committed',
      evidence: ['untracked: b.ts'],
      next: 'commit the work',
    });
    work.commit();
    work.change({ 'a.ts': 'changed' });
    expect(await judged(work, 'committed')).toMatchObject({
      outcome: 'fail',
      evidence: ['modified, not committed: a.ts'],
    });
  });

  test('an untracked file that was there before the start and did not change is no work', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    work.change({ 'notes.txt': 'old' });
    const baseTree = await work.workspace.tree();
    work.change({ 'a.ts': 'changed' });
    git(work.project, 'commit', '--quiet', '-am', 'work');
    expect(await work.judge(gitGate, { checks: ['committed'] }, { baseTree })).toMatchObject({
      outcome: 'pass',
    });
    work.change({ 'notes.txt': 'new' });
    expect(await work.judge(gitGate, { checks: ['committed'] }, { baseTree })).toMatchObject({
      outcome: 'fail',
    });
  });

  test('a change hidden from git is not committed', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    git(work.project, 'update-index', '--assume-unchanged', 'a.ts');
    work.change({ 'a.ts': 'changed' });
    expect(await judged(work, 'committed')).toMatchObject({ outcome: 'fail' });
  });

  test('submodules that were committed are', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    git(work.folder, 'init', '--quiet', 'library');
    write(work.folder, 'library/lib.ts', 'lib');
    git(join(work.folder, 'library'), 'add', '.');
    git(join(work.folder, 'library'), 'commit', '--quiet', '-m', 'lib');
    git(
      work.project,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      join(work.folder, 'library'),
      'lib',
    );
    work.commit();
    expect(await judged(work, 'clean', 'committed')).toMatchObject({ outcome: 'pass' });
    work.change({ 'lib/lib.ts': 'changed' });
    expect(await judged(work, 'clean')).toMatchObject({
      outcome: 'fail',
      evidence: ['modified, not committed: lib'],
    });
  });
});

describe('pushed', () => {
  test('passes when the upstream has every commit', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    pushedOnce(work);
    expect(await judged(work, 'pushed')).toMatchObject({
      outcome: 'pass',
      summary: 'main is pushed to origin/main',
    });
  });

  test('names the commits that are not pushed', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    pushedOnce(work);
    work.change({ 'a.ts': 'b' });
    work.commit('the change');
    const judgement = await judged(work, 'pushed');
    expect(judgement).toMatchObject({
      outcome: 'fail',
      summary: '1 commit of main not pushed to origin/main',
      next: 'git push',
    });
    expect(judgement.evidence).toEqual([expect.stringMatching(/^[0-9a-f]+ the change$/)]);
  });

  test('without a remote, without an upstream, or detached it says what is missing', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    expect(await judged(work, 'pushed')).toMatchObject({
      summary: 'main cannot be pushed: the repository has no remote',
    });
    git(work.project, 'remote', 'add', 'origin', join(work.folder, 'remote.git'));
    expect(await judged(work, 'pushed')).toMatchObject({
      outcome: 'fail',
      summary: 'main has no upstream',
      next: 'git push --set-upstream origin main',
    });
    git(work.project, 'checkout', '--quiet', '--detach');
    expect(await judged(work, 'pushed')).toMatchObject({
      summary: 'HEAD is detached: there is no branch to push',
    });
  });

  test('a local branch is no upstream', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    git(work.project, 'branch', 'copy');
    git(work.project, 'branch', '--quiet', '--set-upstream-to=copy');
    expect(await judged(work, 'pushed')).toMatchObject({
      outcome: 'fail',
      summary: expect.stringContaining('not of a remote'),
    });
  });

  test('an upstream that is gone is not pushed to', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    pushedOnce(work);
    git(work.project, 'update-ref', '-d', 'refs/remotes/origin/main');
    expect(await judged(work, 'pushed')).toMatchObject({
      outcome: 'fail',
      summary: expect.stringContaining('is gone'),
    });
  });
});

describe('branch', () => {
  test('is the named one, or any', async () => {
    const work = await workScene({ 'a.ts': 'a' });
    const judge = (branch?: string) =>
      work.judge(gitGate, { checks: ['branch'], ...(branch ? { branch } : {}) });
    expect(await judge()).toMatchObject({ outcome: 'pass', summary: 'on the branch main' });
    expect(await judge('main')).toMatchObject({ outcome: 'pass' });
    expect(await judge('feature')).toMatchObject({
      outcome: 'fail',
      summary: 'on the branch main, not on feature',
    });
    git(work.project, 'checkout', '--quiet', '--detach');
    expect(await judge('main')).toMatchObject({ outcome: 'fail', summary: 'HEAD is detached, not on main' });
  });
});

test('several checks are judged together, failing ones are all named', async () => {
  const work = await workScene({ 'a.ts': 'a' });
  work.change({ 'a.ts': 'b' });
  const judgement = await work.judge(gitGate, { checks: ['clean', 'committed', 'branch'], branch: 'other' });
  expect(judgement.summary).toBe(
    'the working tree is not clean: 1 file; 1 changed file not committed; on the branch main, not on other',
  );
  expect(judgement.evidence).toEqual(['modified, not committed: a.ts']);
});

test('before the first commit nothing is committed or pushed', async () => {
  const place = scene();
  write(place.project, 'a.ts', 'a');
  const judge = (check: GitCheck) =>
    gitGate.judge({ checks: [check] }, contextOf(place, {}), new AbortController().signal);
  expect(await judge('pushed')).toMatchObject({ outcome: 'fail', summary: 'there is no commit to push' });
  expect(await judge('clean')).toMatchObject({ outcome: 'fail' });
  expect(await judge('branch')).toMatchObject({ outcome: 'pass', summary: 'on the branch main' });
});

test('a call that is aborted does not go on', async () => {
  const work = await workScene({ 'a.ts': 'a' });
  const judging = gitGate.judge({ checks: ['clean'] }, contextOf(work, {}), AbortSignal.abort());
  await expect(judging).rejects.toThrow(/abort/i);
});
