import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { openRunGit } from '../../../../src/engine/run/git/run-git.ts';
import { freshLoop } from '../../../support/core/samples.ts';
import { few, longTest } from '../../../support/long.ts';
import { BRANCH, fails, gitScene, LOOP, passes, snapshot } from '../../../support/project/git-scene.ts';
import { commit, git, write } from '../../../support/project/project-scene.ts';

const state = freshLoop({ loop: LOOP, iteration: 3 });
const done = freshLoop({ loop: LOOP, status: 'verified_done' });

/** A git that fails whenever two of its calls make or remove worktrees at once, as the real one does now and then. */
function oneWorktreeAtATime(folder: string): void {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const busy = join(folder, 'busy');
  write(
    folder,
    'bin/git',
    `#!/bin/sh
case " $* " in
  *' worktree add '* | *' worktree remove '*)
    mkdir '${busy}' || exit 128
    '${real}' "$@"; code=$?
    sleep 0.05; rmdir '${busy}'; exit $code ;;
esac
exec '${real}' "$@"
`,
  );
  chmodSync(join(folder, 'bin/git'), 0o755);
  vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env.PATH}`);
}

describe('the folder for worktrees', () => {
  const place = ({ folder }: { folder: string }) => join(folder, 'project-untildone');

  test('is for this account alone', async () => {
    const scene = gitScene();
    await scene.open({ mode: 'worktree' });
    expect(statSync(place(scene)).mode & 0o777).toBe(0o700);
  });

  test.each<[string, (path: string) => void, RegExp]>([
    ['a link', (path) => symlinkSync(tmpdir(), path), /is a link.*UNTILDONE_WORKTREES=/],
    ['a file', (path) => writeFileSync(path, ''), /UNTILDONE_WORKTREES=/],
    [
      'a folder that everybody may write to',
      (path) => {
        mkdirSync(path);
        chmodSync(path, 0o777);
      },
      /every account may write to .*chmod o-w/,
    ],
  ])('is refused when it is %s', async (_, make, why) => {
    const scene = gitScene();
    make(place(scene));
    await expect(scene.open({ mode: 'worktree' })).rejects.toThrow(why);
    expect(git(scene.project, 'branch', '--list', 'untildone/*')).toBe('');
  });

  test('is refused when it is another account’s', async () => {
    const scene = gitScene();
    mkdirSync(place(scene), { mode: 0o755 });
    // As root the folder can be given away; otherwise this account is taken for another one.
    if (process.getuid?.() === 0) chownSync(place(scene), 12_345, 12_345);
    else vi.spyOn(process, 'getuid').mockReturnValue(12_345);
    await expect(scene.open({ mode: 'worktree' })).rejects.toThrow(/belongs to another account/);
  });

  longTest('may be shared when its sticky bit is set', async () => {
    const scene = gitScene();
    mkdirSync(place(scene));
    chmodSync(place(scene), 0o1777);
    await expect(scene.open({ mode: 'worktree' })).resolves.toBeDefined();
  });
});

describe('a worktree', () => {
  const beside = ({ folder }: { folder: string }) => join(folder, 'project-untildone', LOOP);

  test('leaves the tree and the index of the person as they are, byte for byte', async () => {
    const scene = gitScene();
    const { project, open } = scene;
    write(project, 'staged.txt', 'staged\n');
    git(project, 'add', 'staged.txt');
    write(project, 'a.txt', 'mine\n');
    write(project, 'new/mine.txt', 'mine\n');
    const before = snapshot(project);
    const status = git(project, '--no-optional-locks', 'status', '--porcelain');
    const runGit = await open({ mode: 'worktree' });
    expect(runGit.folder).toBe(beside(scene));
    expect(runGit.notes.join('\n')).toContain(
      '3 files are not committed in your tree, and so not in the worktree',
    );
    expect(readFileSync(join(runGit.folder, 'a.txt'), 'utf8')).toBe('one\n');
    write(runGit.folder, 'a.txt', 'two\n');
    await runGit.keep(state, [passes('tests')]);
    write(runGit.folder, 'a.txt', 'three\n');
    await runGit.keep(state, [fails('tests')]);
    const lines = await runGit.finish(freshLoop({ status: 'stalled' }), undefined);
    expect(lines).toEqual([
      `1 file is not committed: it stays in ${runGit.folder}.`,
      `1 commit on ${BRANCH}. Look: git log main..${BRANCH}. Take it: cd ${project} && git merge ${BRANCH}`,
      `The worktree stays in ${runGit.folder}. Remove it: git worktree remove ${runGit.folder}`,
    ]);
    expect(snapshot(project)).toEqual(before);
    expect(git(project, '--no-optional-locks', 'status', '--porcelain')).toBe(status);
    expect(git(project, 'show', `${BRANCH}:a.txt`)).toBe('two');
    expect(existsSync(runGit.folder)).toBe(true);
  });

  longTest('the lines it ends with can be typed', async () => {
    const scene = gitScene();
    const runGit = await scene.open({ mode: 'worktree' });
    write(runGit.folder, 'b.txt', 'two\n');
    await runGit.keep(done, [passes('tests')]);
    const typed = (await runGit.finish(done, undefined)).join('\n').match(/(?:Take it|Remove it): .*/g) ?? [];
    for (const line of typed) {
      execFileSync('sh', ['-c', line.replace(/^[^:]*: /, '')], { cwd: scene.project, stdio: 'pipe' });
    }
    expect(typed).toHaveLength(2);
    expect(existsSync(runGit.folder)).toBe(false);
    expect(readFileSync(join(scene.project, 'b.txt'), 'utf8')).toBe('two\n');
  });

  test('of a project in a folder of the repository has that folder', async () => {
    const scene = gitScene();
    write(scene.project, 'packages/one/x.txt', 'x\n');
    commit(scene.project);
    const runGit = await openRunGit(
      { mode: 'worktree', merge: false, loop: LOOP, task: 'Build it' },
      join(scene.project, 'packages/one'),
      { home: scene.home, env: process.env },
    );
    expect(runGit.folder).toBe(join(beside(scene), 'packages/one'));
    write(runGit.folder, 'untildone.yaml', 'x');
    write(dirname(runGit.folder), 'two/y.txt', 'y\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringContaining('Committed 1 file'),
      'Left out, for you to look at: packages/one/untildone.yaml',
    ]);
  });

  longTest('of a checkout inside another repository lies outside of both', async () => {
    const scene = gitScene();
    git(scene.project, 'worktree', 'add', '--quiet', '-b', 'side', join(scene.project, 'trees/side'));
    const runGit = await openRunGit(
      { mode: 'worktree', merge: false, loop: LOOP, task: 'Build it' },
      join(scene.project, 'trees/side'),
      { home: scene.home, env: process.env },
    );
    expect(runGit.folder).toBe(beside(scene));
    expect(runGit.notes.join()).toContain('begins at side');
    write(runGit.folder, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringContaining('Committed 1 file'),
    ]);
  });

  longTest('can be put elsewhere', async () => {
    const { folder, open } = gitScene();
    const runGit = await open({ mode: 'worktree' }, { worktrees: join(folder, 'else/where') });
    expect(runGit.folder).toBe(join(folder, 'else/where', LOOP));
  });

  test('is refused when there is no place for it', async () => {
    const { folder, project, open } = gitScene();
    writeFileSync(join(folder, 'taken'), '');
    await expect(open({ mode: 'worktree' }, { worktrees: join(folder, 'taken') })).rejects.toThrow(
      'UNTILDONE_WORKTREES=/some/folder',
    );
    expect(git(project, 'branch', '--list')).toBe('* main');
  });

  test('leaves nothing behind when it cannot be made', async () => {
    const { folder, project, open } = gitScene();
    write(project, '.gitattributes', '*.txt filter=broken\n');
    commit(project);
    git(project, 'config', 'filter.broken.smudge', 'false');
    git(project, 'config', 'filter.broken.clean', 'cat');
    git(project, 'config', 'filter.broken.required', 'true');
    await expect(open({ mode: 'worktree' })).rejects.toThrow(/git worktree add .* failed/);
    expect(git(project, 'branch', '--list')).toBe('* main');
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(existsSync(join(folder, 'project-untildone'))).toBe(false);
  });

  test('is made beside others that are made at the same time', async () => {
    const { folder, project, open } = gitScene();
    oneWorktreeAtATime(folder);
    const loops = Array.from({ length: 8 }, (_, index) => `20260101-00000${index}-abc123`);
    const flows = await Promise.all(
      loops.map((loop) => open({ mode: 'worktree', merge: false, loop, anew: true })),
    );
    expect(git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(9);
    await Promise.all(flows.map((runGit) => runGit.clearAway(false)));
    expect(git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(git(project, 'branch', '--list').trim()).toBe('* main');
  });

  test('is not made over something that is there', async () => {
    const { folder, project, open } = gitScene();
    write(folder, `project-untildone/${LOOP}/taken`, '');
    await expect(open({ mode: 'worktree' })).rejects.toThrow('exists already');
    expect(existsSync(join(folder, `project-untildone/${LOOP}/taken`))).toBe(true);
    rmSync(join(folder, 'project-untildone'), { recursive: true });
    git(project, 'branch', BRANCH);
    await expect(open({ mode: 'worktree' })).rejects.toThrow('there is a branch');
    expect(git(project, 'branch', '--list', BRANCH)).toContain(BRANCH);
  });

  test('is refused with a file that says what is to be done and is not committed', async () => {
    const { project, open } = gitScene();
    write(project, 'list of features.json', '[]\n');
    await expect(open({ mode: 'worktree', reads: ['list of features.json'] })).rejects.toThrow(
      "git add 'list of features.json' && git commit",
    );
  });

  test.each(few(['new', 'changed'], 1))(
    'is refused with a %s contract that is not committed',
    async (which) => {
      const { project, open } = gitScene();
      if (which === 'changed') {
        write(project, 'untildone.yaml', 'gates: {}\n');
        commit(project);
      }
      write(project, 'untildone.yaml', 'done: []\n');
      await expect(open({ mode: 'worktree' })).rejects.toThrow('git add untildone.yaml && git commit');
    },
  );

  test('runs the hooks of the repository there, installed later as they are in the tree of the person', async () => {
    const { project, open } = gitScene();
    write(project, '.gitignore', '.husky/_/\n');
    write(project, '.husky/pre-commit', 'true\n');
    commit(project, 'husky');
    git(project, 'config', 'core.hooksPath', '.husky/_');
    const starter = (folder: string, text: string) => write(folder, '.husky/_/pre-commit', text);
    starter(project, '#!/bin/sh\n');
    const runGit = await open({ mode: 'worktree' });
    write(runGit.folder, 'b.txt', 'two\n');
    starter(runGit.folder, '#!/bin/sh\necho something else\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([expect.stringContaining('the git hooks')]);
    starter(runGit.folder, '#!/bin/sh\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringContaining('Committed 1 file'),
    ]);
  });

  test('is taken back when the run does not begin, and stays when something lies in it', async () => {
    const scene = gitScene();
    const runGit = await scene.open({ mode: 'worktree' });
    write(runGit.folder, 'x.txt', 'x');
    expect(await runGit.takeBack()).toEqual([`The worktree ${runGit.folder} stays: there is work in it.`]);
    rmSync(join(runGit.folder, 'x.txt'));
    expect(await runGit.takeBack()).toEqual([]);
    expect(existsSync(dirname(runGit.folder))).toBe(false);
    expect(git(scene.project, 'branch', '--list')).toBe('* main');
    expect(git(scene.project, 'worktree', 'list').split('\n')).toHaveLength(1);
  });
});
