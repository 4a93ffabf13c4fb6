import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readRunGitRecord } from '../../../../src/engine/run/git/record.ts';
import { freshLoop } from '../../../support/core/samples.ts';
import { BRANCH, fails, gitScene, LOOP, passes, snapshot } from '../../../support/project/git-scene.ts';
import { commit, git, write } from '../../../support/project/project-scene.ts';

const state = freshLoop({ loop: LOOP, iteration: 3 });
const done = freshLoop({ loop: LOOP, status: 'verified_done' });
const log = (folder: string, format: string) =>
  git(folder, 'log', '--reverse', `--format=${format}`).split('\n');

describe('opening a branch', () => {
  test('begins at HEAD, in the project itself', async () => {
    const { project, open } = gitScene();
    const before = git(project, 'rev-parse', 'HEAD');
    const runGit = await open();
    expect(runGit).toMatchObject({ folder: project, branch: BRANCH });
    expect(git(project, 'symbolic-ref', '--short', 'HEAD')).toBe(BRANCH);
    expect(git(project, 'rev-parse', 'HEAD', 'main')).toBe(`${before}\n${before}`);
    expect(runGit.notes.join()).toContain('begins at main');
  });

  test.each([
    ['a changed file', (project: string) => write(project, 'a.txt', 'mine\n')],
    ['a new file', (project: string) => write(project, 'mine.txt', 'mine\n')],
    [
      'a staged file',
      (project: string) => {
        write(project, 'a.txt', 'mine\n');
        git(project, 'add', 'a.txt');
      },
    ],
    ['a deleted file', (project: string) => rmSync(join(project, 'a.txt'))],
  ])('is refused with %s, which stays as it is', async (_, dirty) => {
    const { project, open } = gitScene();
    dirty(project);
    const before = snapshot(project);
    await expect(open()).rejects.toThrow(/1 file is not committed .*git stash.*--worktree/);
    expect(snapshot(project)).toEqual(before);
    expect(git(project, 'branch', '--list')).toBe('* main');
    expect(git(project, 'stash', 'list')).toBe('');
  });

  test('is not refused because of what git ignores', async () => {
    const { project, open } = gitScene();
    write(project, '.gitignore', 'built/\n');
    commit(project);
    write(project, 'built/x', 'x');
    expect((await open()).branch).toBe(BRANCH);
  });

  test('is refused without a name to commit with, before anything is changed', async () => {
    const { folder, project, open } = gitScene();
    rmSync(join(folder, 'person', '.gitconfig'));
    await expect(open()).rejects.toThrow(/git config --global user.name/);
    expect(git(project, 'branch', '--list')).toBe('* main');
    vi.stubEnv('GIT_AUTHOR_NAME', 'By Environment');
    vi.stubEnv('GIT_AUTHOR_EMAIL', 'env@example.com');
    vi.stubEnv('GIT_COMMITTER_NAME', 'By Environment');
    vi.stubEnv('GIT_COMMITTER_EMAIL', 'env@example.com');
    const runGit = await open();
    write(project, 'b.txt', 'two\n');
    await runGit.keep(state, [passes('tests')]);
    expect(log(project, '%an <%ae>').at(-1)).toBe('By Environment <env@example.com>');
  });

  test('is refused outside git, before the first commit, and in the middle of a merge', async () => {
    const { project, open } = gitScene();
    git(project, 'checkout', '--quiet', '-b', 'other');
    write(project, 'a.txt', 'other\n');
    commit(project);
    git(project, 'checkout', '--quiet', 'main');
    git(project, 'merge', '--quiet', '--no-ff', '--no-commit', '-s', 'ours', 'other');
    await expect(open()).rejects.toThrow('a merge is under way');
    rmSync(join(project, '.git'), { recursive: true });
    await expect(open()).rejects.toThrow('is not in a git repository');
    git(project, 'init', '--quiet');
    await expect(open()).rejects.toThrow('there is no commit yet');
  });

  test('says what is in the way of the name', async () => {
    const { project, open } = gitScene();
    git(project, 'branch', 'untildone');
    await expect(open()).rejects.toThrow(/untildone/);
    expect(git(project, 'symbolic-ref', '--short', 'HEAD')).toBe('main');
  });

  test('is taken back when the run does not begin', async () => {
    const { project, open, home } = gitScene();
    const runGit = await open();
    write(project, 'left-by-a-gate.txt', 'x');
    expect(await runGit.takeBack()).toEqual([]);
    expect(git(project, 'branch', '--list')).toBe('* main');
    expect(existsSync(join(project, 'left-by-a-gate.txt'))).toBe(true);
    expect(readRunGitRecord(home, LOOP)).toBeUndefined();
  });

  test('is not taken back once there is a commit on it', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    write(project, 'b.txt', 'two\n');
    await runGit.keep(state, [passes('tests')]);
    expect(await runGit.takeBack()).toEqual([`Branch ${BRANCH} stays: there is work on it.`]);
    expect(git(project, 'symbolic-ref', '--short', 'HEAD')).toBe(BRANCH);
  });
});

describe('keeping an iteration', () => {
  test('commits everything that git does not ignore, in the name of the person', async () => {
    const { project, open } = gitScene();
    write(project, '.gitignore', 'built/\n');
    commit(project, 'second');
    const runGit = await open();
    write(project, 'built/x', 'x');
    write(project, 'src/b.txt', 'two\n');
    write(project, 'a.txt', 'changed\n');
    const lines = await runGit.keep(state, [passes('tests'), fails('lint')]);
    expect(lines).toEqual([expect.stringMatching(/^Committed 2 files as [0-9a-f]{10}: Passes now: tests$/)]);
    expect(git(project, 'status', '--porcelain')).toBe('');
    expect(git(project, 'ls-files')).toBe('.gitignore\na.txt\nsrc/b.txt');
    expect(log(project, '%s|%an <%ae>|%cn').at(-1)).toBe(
      'Passes now: tests|A Person <person@example.com>|A Person',
    );
    const trailer = (key: string) => git(project, 'log', '-1', `--format=%(trailers:key=${key},valueonly)`);
    expect([trailer('Untildone-Run'), trailer('Untildone-Iteration')]).toEqual([LOOP, '2']);
  });

  test('makes no commit without progress, and leaves the work where it is', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    runGit.startsFrom([passes('lint'), fails('tests')]);
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('lint'), fails('tests')])).toEqual([]);
    expect(log(project, '%s')).toEqual(['first']);
    expect(git(project, 'status', '--porcelain')).toBe('?? b.txt');
    await runGit.keep(state, [passes('lint'), passes('tests')]);
    write(project, 'c.txt', 'three\n');
    await runGit.keep(state, [passes('lint'), passes('tests')]);
    expect(log(project, '%s')).toEqual(['first', 'Passes now: tests']);
  });

  test('never commits what regressed, and says what did', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    runGit.startsFrom([passes('lint')]);
    write(project, 'b.txt', 'two\n');
    const lines = await runGit.keep(state, [fails('lint'), passes('tests')]);
    expect(lines).toEqual(['Not committed: passed at the last commit and does not pass now: lint']);
    expect(log(project, '%s')).toEqual(['first']);
    expect(await runGit.finish(state, undefined)).toEqual([
      `1 file is not committed: it stays in ${project}.`,
      `No commit was made on ${BRANCH}.`,
    ]);
  });

  test('commits what was found done, though nothing was gained since', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    write(project, 'b.txt', 'two\n');
    await runGit.keep(state, [passes('tests')]);
    write(project, 'b.txt', 'better\n');
    await runGit.keep(done, [passes('tests')]);
    expect(log(project, '%s')).toEqual(['first', 'Passes now: tests', 'All gates pass']);
    expect(await runGit.finish(done, undefined)).toEqual([
      `2 commits on ${BRANCH}. Look: git log main..${BRANCH}. Take it: git switch main && git merge ${BRANCH}`,
    ]);
  });

  test('takes what the session has committed itself as kept', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    write(project, 'b.txt', 'two\n');
    commit(project, 'by the agent');
    const short = git(project, 'rev-parse', 'HEAD').slice(0, 10);
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      `The session has committed itself: ${BRANCH} is at ${short}.`,
    ]);
    write(project, 'b.txt', 'worse\n');
    expect(await runGit.keep(state, [fails('tests'), passes('lint')])).toEqual([
      expect.stringContaining('tests'),
    ]);
    expect(log(project, '%s')).toEqual(['first', 'by the agent']);
  });

  test('leaves out the contract and the settings of the client, staged or not', async () => {
    const { project, open } = gitScene();
    write(project, 'untildone.yaml', 'gates: {}\n');
    commit(project, 'contract');
    const runGit = await open();
    write(project, 'untildone.yaml', 'done: []\n');
    git(project, 'add', 'untildone.yaml');
    write(project, '.claude/settings.json', '{"disableAllHooks":true}');
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringContaining('Committed 1 file'),
      'Left out, for you to look at: untildone.yaml, .claude/settings.json',
    ]);
    expect(git(project, 'show', 'HEAD:untildone.yaml')).toBe('gates: {}');
    expect(git(project, 'diff-tree', '-r', '--name-only', '--no-commit-id', 'HEAD')).toBe('b.txt');
    expect(readFileSync(join(project, 'untildone.yaml'), 'utf8')).toBe('done: []\n');
  });

  test('leaves out repositories inside this one, with and without commits', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    for (const name of ['empty', 'full']) git(project, 'init', '--quiet', name);
    write(project, 'full/x.txt', 'x');
    commit(join(project, 'full'));
    write(project, 'empty/x.txt', 'x');
    write(project, 'b.txt', 'two\n');
    const lines = await runGit.keep(state, [passes('tests')]);
    expect(lines).toEqual([
      expect.stringContaining('Committed 1 file'),
      'Left out, for you to look at: empty/, full/',
    ]);
    expect(git(project, 'ls-files')).toBe('a.txt\nb.txt');
  });

  test('takes files of any name, and links', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    const names = ['-rf', ':(exclude)a', 'with space', 'two\nlines', 'ünï', '*.txt'];
    for (const name of names) writeFileSync(join(project, name), name);
    writeFileSync(Buffer.concat([Buffer.from(`${project}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'bytes');
    symlinkSync('/nowhere', join(project, 'link'));
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringContaining(`Committed ${names.length + 2} files`),
    ]);
    expect(git(project, 'status', '--porcelain')).toBe('');
  });

  test('commits nothing when the session is on another branch, or in the middle of a merge', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    git(project, 'checkout', '--quiet', '-b', 'elsewhere');
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringMatching(/^Not committed: the session has left branch .* \(now on elsewhere/),
    ]);
    expect(await runGit.finish(done, 'r')).toEqual([expect.stringContaining('the session has left branch')]);
    commit(project);
    git(project, 'checkout', '--quiet', BRANCH);
    git(project, 'merge', '--quiet', '--no-ff', '--no-commit', 'elsewhere');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      'Not committed: the session has begun a merge and not ended it',
    ]);
    expect(log(project, '%s')).toEqual(['first']);
  });

  test('says what went wrong when the repository is gone, and does not throw', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    rmSync(join(project, '.git'), { recursive: true });
    for (const lines of [
      await runGit.keep(state, [passes('tests')]),
      await runGit.finish(done, 'r'),
      await runGit.takeBack(),
    ])
      expect(lines).toHaveLength(1);
  });
});
