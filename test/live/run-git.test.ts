import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractScene, git } from './support/contract.ts';
import { startRun } from './support/run.ts';
import type { Scene } from './support/scene.ts';
import { bash, loopOf } from './support/untildone.ts';

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

test('--branch commits what makes progress on a branch of its own', async () => {
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

test('--worktree works beside the tree of the person, which stays as it is, dirty or not', async () => {
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
