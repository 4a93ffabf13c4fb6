import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene, git } from '../../support/live/contract.ts';
import { withRemote } from '../../support/live/parallel.ts';
import { waitFor } from '../../support/live/processes.ts';
import { startRun } from '../../support/live/run.ts';
import type { Scene } from '../../support/live/scene.ts';
import { bash, loopOf } from '../../support/live/untildone.ts';
import { longTest } from '../../support/long.ts';
import { fakeGh } from '../../support/project/git-scene.ts';

const MODEL = ['--model', 'claude-opus-5-5', '--allow', 'Bash'];

async function project(): Promise<Scene> {
  return contractScene({
    'untildone.yaml': 'gates:\n  first: { run: test -f first }\n  second: { run: test -f second }\n',
    '.gitignore': '.claude/\n',
  });
}

const SCRIPT = {
  turns: [
    { tools: [bash('touch first')] },
    { text: 'one' },
    { tools: [bash('touch second')] },
    { text: 'two' },
  ],
};

longTest('--branch commits what makes progress on a branch of its own', async () => {
  const scene = await project();
  const run = await startRun(scene, ['Make both', '--branch', ...MODEL], SCRIPT).ended;
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  const { id } = await loopOf(scene);
  expect(git(scene, 'branch', '--show-current')).toContain(id);
  const log = git(scene, 'log', '--format=%s%n%b', 'main..HEAD');
  expect(log.match(new RegExp(`Untildone-Run: ${id}`, 'g'))).toHaveLength(2);
  expect(git(scene, 'ls-tree', '--name-only', 'HEAD').split('\n')).toEqual(
    expect.arrayContaining(['first', 'second']),
  );
});

longTest('--worktree works beside the tree of the person, which stays as it is, dirty or not', async () => {
  const scene = await project();
  const mine = join(scene.project, 'mine.txt');
  git(scene, 'config', 'core.autocrlf', 'false');
  await writeFile(mine, 'not committed');
  const before = git(scene, 'status', '--porcelain=v2', '--branch');
  const run = await startRun(scene, ['Make both', '--worktree', ...MODEL], SCRIPT).ended;
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
  expect(git(scene, 'status', '--porcelain=v2', '--branch')).toBe(before);
  expect(readFileSync(mine, 'utf8')).toBe('not committed');
  expect(existsSync(join(scene.project, 'first'))).toBe(false);
  const { id, status } = await loopOf(scene);
  expect(status).toBe('verified_done');
  const branch = git(scene, 'branch', '--list', `*${id}`, '--format=%(refname:short)').trim();
  expect(git(scene, 'ls-tree', '--name-only', branch).split('\n')).toEqual(
    expect.arrayContaining(['first', 'second']),
  );
});

test('--branch over uncommitted work is refused, and nothing is touched', async () => {
  const scene = await project();
  await writeFile(join(scene.project, 'mine.txt'), 'not committed');
  const run = await startRun(scene, ['Make both', '--branch', ...MODEL], SCRIPT).ended;
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('untildone: ');
  expect(git(scene, 'branch', '--show-current').trim()).toBe('main');
  expect(run.requests).toEqual([]);
});

longTest('a runner that is killed while it pushes pushes when it goes on, once', async () => {
  const scene = await project();
  withRemote(scene);
  const calls = fakeGh(scene.root, [
    { to: 'pr create', stdout: 'https://github.com/someone/project/pull/7\n' },
    { to: '--version', stdout: 'gh version 2.0.0\n' },
  ]);
  const env = { PATH: `${join(scene.root, 'bin')}:${process.env.PATH}` };
  const pushes = join(scene.root, 'pushes');
  const hook = join(scene.project, '.git/hooks/pre-push');
  await writeFile(hook, `#!/bin/sh\n[ -e '${pushes}' ] || { touch '${pushes}'; sleep 3; exit 1; }\n`);
  await chmod(hook, 0o755);
  const first = startRun(scene, ['Make both', '--worktree', '--pr', ...MODEL], SCRIPT, env);
  await waitFor(() => existsSync(pushes));
  first.child.kill('SIGKILL');
  await first.ended;
  const { id, status } = await loopOf(scene);
  expect({ status, calls: calls() }).toEqual({ status: 'verified_done', calls: [] });
  for (let again = 0; again < 2; again++)
    expect(await startRun(scene, ['--resume', id], {}, env).ended).toMatchObject({ code: 0, stderr: '' });
  expect(calls().map(({ args }) => args.slice(0, 2))).toEqual([['pr', 'create']]);
});
