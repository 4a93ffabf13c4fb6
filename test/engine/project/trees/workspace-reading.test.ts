import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { livenessOf } from '../../../../src/engine/files/process-id.ts';
import { commit, git, opened, scene, write } from '../../../support/project/project-scene.ts';

describe('between two trees', () => {
  test('changes say what became of each file', async () => {
    const { project, workspace } = scene();
    write(project, 'stays.ts', 'same');
    write(project, 'edited.ts', 'before');
    write(project, 'gone.ts', 'gone');
    write(project, 'old.ts', 'line\n'.repeat(30));
    const before = await workspace.tree();
    write(project, 'edited.ts', 'after');
    write(project, 'new.ts', 'brand new content');
    rmSync(join(project, 'gone.ts'));
    renameSync(join(project, 'old.ts'), join(project, 'moved.ts'));
    const changes = await workspace.changes(before, await workspace.tree());
    expect(changes.sort((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: 'edited.ts', change: 'modified' },
      { path: 'gone.ts', change: 'deleted' },
      { path: 'moved.ts', change: 'renamed', from: 'old.ts' },
      { path: 'new.ts', change: 'added' },
    ]);
  });

  test('added lines are numbered as in the file of now; lines that look like a patch are lines', async () => {
    const { project, workspace } = scene();
    write(project, 'a.ts', 'one\ntwo\nthree\n');
    const before = await workspace.tree();
    write(project, 'a.ts', 'zero\none\n+++ b/evil.ts\n@@ -1 +1 @@\nthree\nlast');
    const lines = await workspace.addedLines(before, await workspace.tree());
    expect(lines).toEqual([
      { path: 'a.ts', line: 1, text: 'zero' },
      { path: 'a.ts', line: 3, text: '+++ b/evil.ts' },
      { path: 'a.ts', line: 4, text: '@@ -1 +1 @@' },
      { path: 'a.ts', line: 6, text: 'last' },
    ]);
  });

  test('endless lines are left out, the lines after them are not', async () => {
    const { project, workspace } = scene();
    const before = await workspace.tree();
    write(project, 'a.js', `first\n${'x'.repeat(300_000)}\n${'y'.repeat(2_001)}\nlast\n`);
    const lines = await workspace.addedLines(before, await workspace.tree());
    expect(lines.map((line) => [line.line, line.text])).toEqual([
      [1, 'first'],
      [4, 'last'],
    ]);
  });

  test('a file that a tree does not have is undefined; a tree that is lost is an error', async () => {
    const { project, workspace } = scene();
    write(project, 'src/a.ts', 'a');
    const tree = await workspace.tree();
    expect(await workspace.contentAt(tree, 'b.ts')).toBeUndefined();
    expect(await workspace.contentAt(tree, 'src')).toBeUndefined();
    await expect(workspace.contentAt('0123456789'.repeat(4), 'b.ts')).rejects.toThrow(/lost/);
    await expect(workspace.changes('0123456789'.repeat(4), tree)).rejects.toThrow(/diff-tree/);
    await expect(workspace.changes('--output=x', tree)).rejects.toThrow(/does not name a tree/);
  });

  test('a start whose content was thrown away with the repository is an error, not an empty file', async () => {
    const { project, workspace } = scene();
    write(project, 'a.ts', 'a');
    commit(project);
    const before = await workspace.tree();
    rmSync(join(project, '.git'), { recursive: true });
    git(project, 'init', '--quiet');
    await expect(workspace.contentAt(before, 'a.ts')).rejects.toThrow(/lost/);
  });
});

describe('reading files of now', () => {
  test('paths that lead out of the project are refused', async () => {
    const { folder, project, workspace } = scene();
    write(folder, 'outside.txt', 'secret');
    symlinkSync(join(folder, 'outside.txt'), join(project, 'link'));
    symlinkSync(folder, join(project, 'up'));
    for (const path of [
      '../outside.txt',
      join(folder, 'outside.txt'),
      'link',
      'up/outside.txt',
      'a/../../outside.txt',
    ]) {
      await expect(workspace.read(path)).rejects.toThrow(/out of the project/);
    }
  });

  test('links inside the project are followed; folders and missing files are undefined', async () => {
    const { project, workspace } = scene();
    write(project, 'src/a.ts', 'a');
    symlinkSync('src/a.ts', join(project, 'link'));
    expect(await workspace.read('link')).toBe('a');
    expect(await workspace.read('..a')).toBeUndefined();
    expect(await workspace.read('src')).toBeUndefined();
    expect(await workspace.read('src/a.ts/b')).toBeUndefined();
  });

  test('only the first 4 MiB are read', async () => {
    const { project, workspace } = scene();
    write(project, 'big.txt', 'x'.repeat(5 * 1024 * 1024));
    expect((await workspace.read('big.txt'))?.length).toBe(4 * 1024 * 1024);
  });
});

describe('the user’s own repository', () => {
  test('tells commit and branch, or the commit alone when detached', async () => {
    const { project, workspace } = scene();
    expect(await workspace.head()).toBeUndefined();
    write(project, 'a.ts', 'a');
    commit(project);
    const sha = git(project, 'rev-parse', 'HEAD');
    expect(await workspace.head()).toEqual({ commit: sha, branch: 'main' });
    git(project, 'checkout', '--quiet', '--detach');
    expect(await workspace.head()).toEqual({ commit: sha });
    expect(await scene({ git: false }).workspace.head()).toBeUndefined();
  });

  test('is asked without its hooks, monitors and external diffs', async () => {
    const { folder, project, workspace } = scene();
    const ran = join(folder, 'ran');
    write(project, 'a.ts', 'a\n');
    commit(project);
    write(project, 'a.ts', 'b\n');
    git(project, 'config', 'core.fsmonitor', `touch ${ran}; false`);
    git(project, 'config', 'diff.external', `touch ${ran}`);
    git(project, 'config', 'core.worktree', folder);
    const { exitCode, stdout } = await workspace.git(['diff', 'HEAD']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('+b');
    expect((await workspace.git(['status', '--porcelain'])).stdout).toBe(' M a.ts\n');
    expect(existsSync(ran)).toBe(false);
  });

  test('does not see the client’s variables', async () => {
    const { project, workspace } = scene();
    vi.stubEnv('ANTHROPIC_API_KEY', 'secret-key');
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', 'session');
    onTestFinished(() => void vi.unstubAllEnvs());
    git(project, 'config', 'alias.env', '!env');
    const { stdout } = await workspace.git(['env']);
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toMatch(/ANTHROPIC|CLAUDE/);
  });

  test('is not one that a stranger placed above the project', async () => {
    const { folder, project } = scene({ git: false, project: 'shared/project' });
    const { workspace } = opened(folder, project);
    git(join(folder, 'shared'), 'init', '--quiet');
    expect((await workspace.git(['status'])).exitCode).toBe(0);
    if (process.getuid?.() !== 0) return;
    execFileSync('chown', ['-R', '65534', join(folder, 'shared', '.git')]);
    expect((await workspace.git(['status'])).stderr).toContain('not a git repository');
  });

  test('an aborted call ends, with every process it started', async () => {
    const { folder, project, workspace } = scene();
    const pidFile = join(folder, 'pid');
    git(
      project,
      'config',
      'alias.wait',
      `!echo $$ > ${pidFile}.part; mv ${pidFile}.part ${pidFile}; exec sleep 600`,
    );
    const abort = new AbortController();
    const waiting = workspace.git(['wait'], abort.signal);
    await vi.waitUntil(() => existsSync(pidFile));
    abort.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
    await vi.waitUntil(
      () =>
        livenessOf({ pid: Number(readFileSync(pidFile, 'utf8')), started: '', host: hostname() }) === 'dead',
    );
    await expect(workspace.git(['status'], abort.signal)).rejects.toThrow(/abort/i);
  });
});

test('files are found by a glob as they are now, the newest first, tracked or not', async () => {
  const { project, workspace } = scene();
  for (const [at, name] of ['docs/a/PLAN.md', 'docs/b/PLAN.md', 'docs/c/other.md'].entries()) {
    write(project, name, 'x');
    utimesSync(join(project, name), 1000 + at, 1000 + at);
  }
  expect(await workspace.find('docs/*/PLAN.md')).toEqual(['docs/b/PLAN.md', 'docs/a/PLAN.md']);
  expect(await workspace.find('../*')).toEqual([]);
});
