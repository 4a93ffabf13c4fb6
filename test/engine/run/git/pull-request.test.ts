import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { freshLoop } from '../../../support/core/samples.ts';
import { few, longTest } from '../../../support/long.ts';
import {
  BRANCH,
  fails,
  fakeGh,
  type GitScene,
  gitScene,
  hook,
  LOOP,
  origin,
  passes,
  withoutGh,
} from '../../../support/project/git-scene.ts';
import { commit, git, write } from '../../../support/project/project-scene.ts';

const URL = 'https://github.com/someone/project/pull/7';
const CREATED = { to: 'pr create', stdout: `${URL}\n` };
const done = freshLoop({ loop: LOOP, status: 'verified_done' });
const stalled = freshLoop({
  loop: LOOP,
  status: 'stalled',
  ending: { cause: 'same_message', detail: '3 times', at: 0 },
});
const RECEIPT = '# Receipt\n\n`rm -rf /` $(whoami) "quoted"\n';

/** One kept commit on the branch of a run that was asked for a pull request. */
async function kept(
  scene: GitScene,
  options: { merge?: boolean; beside?: boolean } = {},
  pause = () => Promise.resolve(),
) {
  const notes: string[] = [];
  const runGit = await scene.open({ mode: 'pr', ...options }, { pause, note: (line) => notes.push(line) });
  write(runGit.folder, 'b.txt', 'two\n');
  await runGit.keep(done, [passes('tests')]);
  return { runGit, notes };
}

const onRemote = (remote: string, ref: string) => git(remote, 'rev-parse', ref);
const words = (calls: { args: string[] }[]) => calls.map(({ args }) => args.slice(0, 2).join(' '));

describe('a pull request', () => {
  test.each(few([{ beside: true }, { beside: false }], 1))(
    'is opened with the receipt as its text (%o)',
    async (where) => {
      const scene = gitScene();
      const remote = origin(scene);
      const calls = fakeGh(scene.folder, [CREATED]);
      const { runGit } = await kept(scene, where);
      const lines = await runGit.finish(done, RECEIPT);
      expect(lines.at(-1)).toBe(`Pull request: ${URL}`);
      expect(calls()).toEqual([
        {
          args: [
            'pr',
            'create',
            '--head',
            BRANCH,
            '--base',
            'main',
            '--title',
            'Build it',
            '--body-file',
            '-',
          ],
          stdin: RECEIPT,
        },
      ]);
      expect(onRemote(remote, BRANCH)).toBe(git(runGit.folder, 'rev-parse', 'HEAD'));
      expect(git(runGit.folder, 'rev-parse', '--abbrev-ref', '@{upstream}')).toBe(`origin/${BRANCH}`);
      expect(git(remote, 'branch', '--list').split('\n')).toHaveLength(2);
    },
  );

  test('is aimed at the default branch when the one it began at is not on the remote', async () => {
    const scene = gitScene();
    origin(scene);
    git(scene.project, 'checkout', '--quiet', '-b', 'only-here');
    const calls = fakeGh(scene.folder, [CREATED]);
    const { runGit } = await kept(scene);
    await runGit.finish(done, RECEIPT);
    expect(calls()[0]?.args).not.toContain('--base');
  });

  test('of a run that is not done is a draft and says so', async () => {
    const scene = gitScene();
    origin(scene);
    const calls = fakeGh(scene.folder, [CREATED]);
    const { runGit } = await kept(scene, { merge: true });
    const lines = await runGit.finish(stalled, undefined);
    expect(lines.slice(-2)).toEqual([
      `Pull request (draft): ${URL}`,
      'Not merged: only what was verified whole is.',
    ]);
    const [create] = calls();
    expect(create?.args).toEqual(expect.arrayContaining(['--draft', '[not done] Build it']));
    expect(create?.stdin).toContain('NOT done: no progress');
    expect(calls()).toHaveLength(1);
  });

  longTest('of a done run whose last work could not be committed is a draft, too', async () => {
    const scene = gitScene();
    origin(scene);
    const calls = fakeGh(scene.folder, [CREATED]);
    const { runGit } = await kept(scene, { merge: true });
    write(scene.project, 'late.txt', 'x');
    const lines = await runGit.finish(done, RECEIPT);
    expect(lines[0]).toBe(`1 file is not committed: it stays in ${scene.project}.`);
    expect(calls().map(({ args }) => args.at(-1))).toEqual(['--draft']);
  });

  test.each(
    few(
      [
        [
          'a paused run',
          freshLoop({ loop: LOOP, status: 'paused' }),
          'Nothing is pushed while the run is paused',
        ],
        [
          'a cancelled run',
          freshLoop({ loop: LOOP, status: 'cancelled' }),
          'The run was cancelled: nothing is pushed',
        ],
      ],
      1,
    ),
  )('is not opened for %s', async (_, state, line) => {
    const scene = gitScene();
    const remote = origin(scene);
    const calls = fakeGh(scene.folder, [CREATED]);
    const { runGit } = await kept(scene);
    expect((await runGit.finish(state, undefined)).at(-1)).toContain(line);
    expect(calls()).toEqual([]);
    expect(git(remote, 'branch', '--list')).toBe('* main');
  });

  longTest('is not opened for a run without a commit', async () => {
    const scene = gitScene();
    origin(scene);
    const calls = fakeGh(scene.folder, [CREATED]);
    const runGit = await scene.open({ mode: 'pr' });
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toBe('There is nothing to open a pull request for.');
    expect(calls()).toEqual([]);
  });

  test('that is open already gets the new text, and is no draft any more once it is done', async () => {
    const scene = gitScene();
    origin(scene);
    const calls = fakeGh(scene.folder, [CREATED]);
    const { runGit } = await kept(scene);
    await runGit.finish(stalled, undefined);
    const again = await scene.open({ mode: 'pr', resume: { folder: runGit.folder, branch: BRANCH } });
    expect((await again.finish(done, RECEIPT)).at(-1)).toBe(`Pull request: ${URL}`);
    expect(words(calls())).toEqual(['pr create', 'pr edit', 'pr ready']);
    expect(calls()[1]).toEqual({
      args: ['pr', 'edit', URL, '--title', 'Build it', '--body-file', '-'],
      stdin: RECEIPT,
    });
  });

  longTest('that the session opened itself is found', async () => {
    const scene = gitScene();
    origin(scene);
    fakeGh(scene.folder, [
      {
        to: 'pr create',
        exit: 1,
        stderr: `a pull request for branch "x" into branch "main" already exists:\n${URL}\n`,
      },
    ]);
    const { runGit } = await kept(scene);
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toBe(`Pull request: ${URL}`);
  });
});

describe('what keeps a pull request away leaves everything here', () => {
  const here = (scene: GitScene) => git(scene.project, 'log', '-1', '--format=%s', BRANCH);

  test('no remote', async () => {
    const scene = gitScene();
    fakeGh(scene.folder, [CREATED]);
    const { runGit } = await kept(scene);
    expect(runGit.notes.join()).toContain('There is no remote named origin yet');
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toBe(
      `Not pushed: there is no remote named origin. Type: git remote add origin URL && git push -u origin ${BRANCH}`,
    );
    expect(here(scene)).toContain('All gates pass');
  });

  test('no gh: said at the beginning, and at the end with the line to type', async () => {
    const scene = gitScene();
    const remote = origin(scene);
    withoutGh(scene.folder);
    const { runGit } = await kept(scene);
    expect(runGit.notes.join()).toContain('gh is not installed');
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toBe(
      `The branch is pushed, but no pull request was opened: gh is not installed (https://cli.github.com). Type: untildone receipt ${LOOP} --format md | gh pr create --head ${BRANCH} --base main --title 'Build it' --body-file -`,
    );
    expect(onRemote(remote, BRANCH)).toBe(git(scene.project, 'rev-parse', 'HEAD'));
  });

  test.each(
    few(
      [
        [
          { exit: 4, stderr: 'To get started with GitHub CLI, please run:  gh auth login\n' },
          'gh is not logged in: gh auth login',
        ],
        [
          {
            exit: 1,
            stderr: 'pull request create failed: GraphQL: Resource not accessible (createPullRequest)\n',
          },
          'Resource not accessible',
        ],
      ],
      1,
    ),
  )('no permission %#', async (answer, said) => {
    const scene = gitScene();
    origin(scene);
    fakeGh(scene.folder, [{ to: 'pr create', ...answer }]);
    const { runGit } = await kept(scene);
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toContain(said);
  });

  test('a branch on the remote that has gone another way is never overwritten', async () => {
    const scene = gitScene();
    const remote = origin(scene);
    const calls = fakeGh(scene.folder, [CREATED]);
    git(scene.project, 'checkout', '--quiet', '-b', 'theirs');
    write(scene.project, 'theirs.txt', 'theirs\n');
    commit(scene.project);
    git(scene.project, 'push', '--quiet', 'origin', `theirs:${BRANCH}`);
    git(scene.project, 'checkout', '--quiet', 'main');
    const theirs = onRemote(remote, BRANCH);
    const { runGit } = await kept(scene);
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toMatch(
      /^Not pushed: .*rejected.*git push -u origin/,
    );
    expect(onRemote(remote, BRANCH)).toBe(theirs);
    expect(calls()).toEqual([]);
  });

  longTest('a pre-push hook that refuses', async () => {
    const scene = gitScene();
    const remote = origin(scene);
    fakeGh(scene.folder, [CREATED]);
    hook(scene.project, 'pre-push', 'echo "not at night" >&2; exit 1');
    const { runGit } = await kept(scene);
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toContain('not at night');
    expect(git(remote, 'branch', '--list')).toBe('* main');
  });

  test('a remote that the session has put in the place of the real one', async () => {
    const scene = gitScene();
    origin(scene);
    const evil = join(scene.folder, 'evil.git');
    git(scene.folder, 'init', '--quiet', '--bare', evil);
    const calls = fakeGh(scene.folder, [CREATED]);
    const { runGit } = await kept(scene);
    git(scene.project, 'config', 'remote.origin.pushurl', evil);
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toMatch(/^Not pushed: git settings .* were changed/);
    expect(git(evil, 'branch', '--list')).toBe('');
    expect(calls()).toEqual([]);
  });

  longTest('being stopped', async () => {
    const scene = gitScene();
    const remote = origin(scene);
    fakeGh(scene.folder, [CREATED]);
    const stop = new AbortController();
    const runGit = await scene.open({ mode: 'pr' }, { signal: stop.signal });
    write(runGit.folder, 'b.txt', 'two\n');
    await runGit.keep(done, [passes('tests')]);
    stop.abort();
    expect(await runGit.finish(done, RECEIPT)).toEqual([expect.stringContaining('was stopped')]);
    expect(git(remote, 'branch', '--list')).toBe('* main');
  });
});

describe('merging', () => {
  const GREEN = { to: 'pr checks', stdout: 'build\tpass\n' };

  test('happens only after every check passed, and only of this very commit', async () => {
    const scene = gitScene();
    origin(scene);
    const calls = fakeGh(scene.folder, [CREATED, GREEN]);
    const { runGit, notes } = await kept(scene, { merge: true });
    const commitId = git(scene.project, 'rev-parse', 'HEAD');
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toBe(
      `Merged: every check of ${commitId.slice(0, 10)} passed.`,
    );
    expect(notes).toEqual([`Waiting for the checks of ${URL}`]);
    expect(
      calls()
        .slice(1)
        .map(({ args }) => args),
    ).toEqual([
      ['pr', 'checks', URL, '--watch', '--interval', '30'],
      ['pr', 'merge', URL, '--merge', '--match-head-commit', commitId],
    ]);
  });

  test('never happens without being asked', async () => {
    const scene = gitScene();
    origin(scene);
    const calls = fakeGh(scene.folder, [CREATED, GREEN]);
    const { runGit } = await kept(scene);
    await runGit.finish(done, RECEIPT);
    expect(words(calls())).toEqual(['pr create']);
  });

  test('does not happen when a check fails', async () => {
    const scene = gitScene();
    origin(scene);
    const calls = fakeGh(scene.folder, [CREATED, { to: 'pr checks', exit: 1, stdout: 'build\tfail\n' }]);
    const { runGit } = await kept(scene, { merge: true });
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toMatch(
      /^Not merged: the checks are not green .*build/,
    );
    expect(words(calls())).toEqual(['pr create', 'pr checks']);
  });

  longTest('does not happen without any check, after a while of waiting for one', async () => {
    const scene = gitScene();
    origin(scene);
    const none = { to: 'pr checks', exit: 1, stderr: "no checks reported on the 'x' branch\n" };
    const calls = fakeGh(scene.folder, [CREATED, none]);
    const pause = vi.fn(() => Promise.resolve());
    const { runGit } = await kept(scene, { merge: true }, pause);
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toMatch(/^Not merged: there are no checks/);
    expect(words(calls())).not.toContain('pr merge');
    expect(pause).toHaveBeenCalledTimes(words(calls()).filter((w) => w === 'pr checks').length - 1);
  });

  test('waits for checks that are not there at once', async () => {
    const scene = gitScene();
    origin(scene);
    const none = { to: 'pr checks', exit: 1, stderr: "no checks reported on the 'x' branch\n", times: 2 };
    const calls = fakeGh(scene.folder, [CREATED, none, GREEN]);
    const { runGit } = await kept(scene, { merge: true });
    expect((await runGit.finish(done, RECEIPT)).at(-1)).toContain('Merged');
    expect(words(calls()).filter((w) => w === 'pr checks')).toHaveLength(3);
  });

  test('does not happen for what is only claimed', async () => {
    const scene = gitScene();
    origin(scene);
    const calls = fakeGh(scene.folder, [CREATED, GREEN]);
    const { runGit } = await kept(scene, { merge: true });
    const claimed = freshLoop({ loop: LOOP, status: 'claimed_done' });
    expect((await runGit.finish(claimed, RECEIPT)).at(-1)).toBe(
      'Not merged: only what was verified whole is.',
    );
    expect(words(calls())).toEqual(['pr create']);
  });
});

describe('checks of a service as a gate', () => {
  const ci = (outcome: 'fail' | 'pass') => passes('checks', { kind: 'ci', outcome });
  const active = freshLoop({ loop: LOOP, iteration: 2 });

  test('get something to check as soon as everything else passes, and every later commit', async () => {
    const scene = gitScene();
    const remote = origin(scene);
    const setting = ['config', 'remote.origin.gh-resolved', 'base'];
    const calls = fakeGh(scene.folder, [{ ...CREATED, git: setting }]);
    const runGit = await scene.open({ mode: 'pr', merge: true });
    write(scene.project, 'b.txt', 'two\n');
    await runGit.keep(active, [passes('lint'), fails('tests'), ci('fail')]);
    expect([git(remote, 'branch', '--list'), calls()]).toEqual(['* main', []]);
    write(scene.project, 'c.txt', 'three\n');
    const lines = await runGit.keep(active, [passes('lint'), passes('tests'), ci('fail')]);
    expect(lines.at(-1)).toBe(`Pull request: ${URL}`);
    expect(onRemote(remote, BRANCH)).toBe(git(scene.project, 'rev-parse', 'HEAD'));
    expect(await runGit.keep(active, [passes('lint'), passes('tests'), ci('fail')])).toEqual([]);
    write(scene.project, 'c.txt', 'fixed for the checks\n');
    await runGit.keep(active, [passes('lint'), passes('tests'), ci('fail')]);
    expect(onRemote(remote, BRANCH)).toBe(git(scene.project, 'rev-parse', 'HEAD'));
    expect(git(scene.project, 'status', '--porcelain')).toBe('');
    expect(words(calls())).toEqual(['pr create', 'pr edit']);
  });

  test('get nothing when the run was not asked for a pull request', async () => {
    const scene = gitScene();
    const remote = origin(scene);
    const calls = fakeGh(scene.folder, [CREATED]);
    const runGit = await scene.open({ mode: 'branch' });
    write(scene.project, 'b.txt', 'two\n');
    await runGit.keep(active, [passes('tests'), ci('fail')]);
    expect([git(remote, 'branch', '--list'), calls()]).toEqual(['* main', []]);
  });
});
