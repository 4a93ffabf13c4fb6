import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { userGit } from '../../../../src/engine/run/git/user-git.ts';
import { freshLoop } from '../../../support/core/samples.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { BRANCH, gitScene, hook, LOOP, passes } from '../../../support/project/git-scene.ts';
import { commit, git, write } from '../../../support/project/project-scene.ts';

const state = freshLoop({ loop: LOOP, iteration: 3 });
const log = (folder: string, format: string) =>
  git(folder, 'log', '--reverse', `--format=${format}`).split('\n');

describe('hooks, settings and signatures', () => {
  test('the hooks of the person run; one that refuses keeps the commit away, not the work', async () => {
    const { folder, project, open } = gitScene();
    const seen = join(folder, 'seen');
    hook(project, 'pre-commit', `test -f fixed || { echo "format it first" >&2; exit 1; }`);
    hook(project, 'commit-msg', `head -1 "$1" > '${seen}'`);
    const runGit = await open();
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      `Not committed, the work stays in ${project}: format it first`,
    ]);
    expect(log(project, '%s')).toEqual(['first']);
    expect(existsSync(seen)).toBe(false);
    write(project, 'fixed', '');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringContaining('Committed 2 files'),
    ]);
    expect(readFileSync(seen, 'utf8')).toBe('Passes now: tests\n');
  });

  test('a hook that changes what is committed is said', async () => {
    const { project, open } = gitScene();
    hook(project, 'pre-commit', 'echo formatted > b.txt && git add b.txt');
    const runGit = await open();
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toContain(
      'A hook changed it: it is not exactly what was judged.',
    );
    expect(git(project, 'show', 'HEAD:b.txt')).toBe('formatted');
  });

  test('a commit counts as made when only what runs after it fails', async () => {
    const { project, open } = gitScene();
    hook(project, 'post-commit', 'exit 1');
    const runGit = await open();
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringContaining('Committed 1 file'),
    ]);
  });

  test('hooks that a session wrote, changed or took away are neither run nor passed by', async () => {
    const { folder, project, open } = gitScene();
    const ran = join(folder, 'ran');
    hook(project, 'pre-commit', 'true');
    const runGit = await open();
    write(project, 'b.txt', 'two\n');
    const refused = [expect.stringMatching(/^Not committed: the git hooks of this repository were changed/)];
    hook(project, 'pre-commit', `touch '${ran}'`);
    expect(await runGit.keep(state, [passes('tests')])).toEqual(refused);
    rmSync(join(project, '.git/hooks/pre-commit'));
    expect(await runGit.keep(state, [passes('tests')])).toEqual(refused);
    hook(project, 'pre-commit', 'true');
    git(project, 'config', 'core.hooksPath', join(folder, 'none'));
    expect(await runGit.keep(state, [passes('tests')])).toEqual(refused);
    git(project, 'config', '--unset', 'core.hooksPath');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([expect.stringContaining('Committed')]);
    expect(existsSync(ran)).toBe(false);
  });

  test('hooks in the tree are held fast, too: the starters of husky and what they call', async () => {
    const { project, open } = gitScene();
    git(project, 'config', 'core.hooksPath', '.husky/_');
    write(project, '.husky/pre-commit', 'true\n');
    commit(project, 'husky');
    const runGit = await open();
    write(project, '.husky/pre-commit', 'curl evil\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([expect.stringContaining('the git hooks')]);
  });

  test.each([
    ['user.email', 'agent@example.com'],
    ['remote.origin.url', '/elsewhere'],
    ['filter.x.clean', 'evil'],
  ])('a changed setting %s stops commits until a person goes on with the run', async (key, value) => {
    const { project, open } = gitScene();
    const runGit = await open();
    git(project, 'config', key, value);
    git(project, 'config', `branch.${BRANCH}.remote`, 'origin');
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([
      expect.stringContaining(`--resume ${LOOP}`),
    ]);
    const again = await open({ resume: { folder: project, branch: BRANCH } });
    expect(await again.keep(state, [passes('tests')])).toEqual([expect.stringContaining('Committed')]);
  });

  test('a setting of a branch may change', async () => {
    const { project, open } = gitScene();
    const runGit = await open();
    git(project, 'config', `branch.${BRANCH}.remote`, 'origin');
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([expect.stringContaining('Committed')]);
  });

  test('commits are not signed, whatever the settings say: nobody is there to type a passphrase', async () => {
    const { project, open } = gitScene();
    git(project, 'config', 'commit.gpgSign', 'true');
    git(project, 'config', 'gpg.program', 'false');
    const runGit = await open();
    write(project, 'b.txt', 'two\n');
    expect(await runGit.keep(state, [passes('tests')])).toEqual([expect.stringContaining('Committed')]);
    expect(git(project, 'cat-file', 'commit', 'HEAD')).not.toContain('gpgsig');
  });
});

describe('a hook that does not come to an end', () => {
  const commitEmpty = { args: ['commit', '--allow-empty', '-m', 'x'] };
  const gitOf = (project: string, signal?: AbortSignal) =>
    userGit(
      { top: project, gitDir: join(project, '.git'), commonDir: join(project, '.git') },
      process.env,
      signal,
    );

  test('is stopped after its time', async () => {
    const { project } = gitScene();
    hook(project, 'pre-commit', 'sleep 600');
    await expect(gitOf(project).asUser({ ...commitEmpty, timeoutMs: 50 })).rejects.toThrow(
      'git commit did not end within 0 s and was stopped',
    );
  });

  test('is stopped with everything it started when the run is', async () => {
    const { folder, project } = gitScene();
    const file = join(folder, 'pid');
    hook(project, 'pre-commit', `echo $$ > '${file}'; sleep 600`);
    const stop = new AbortController();
    const began = gitOf(project, stop.signal).asUser(commitEmpty);
    began.catch(() => undefined);
    const pid = await vi.waitFor(() => pidIn(file), { timeout: PATIENCE_MS });
    stop.abort();
    await expect(began).rejects.toThrow('git commit was stopped');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: PATIENCE_MS });
  });
});

function pidIn(file: string): number {
  const pid = /^(\d+)\n$/.exec(readFileSync(file, 'utf8'))?.[1];
  if (pid === undefined) throw new Error('nothing is written yet');
  return Number(pid);
}

/** A zombie has ended; it only waits for its parent to ask. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
