import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../support/files/workers.ts';
import { addOrigin, initCommitted } from '../support/repository.ts';

/** The hook of docs/guides/pre-push.md, with a real push to a bare repository. */

const ROOT = resolve(import.meta.dirname, '../..');
const GUIDE = readFileSync(join(ROOT, 'docs/guides/pre-push.md'), 'utf8');
const [, HOOK = ''] = /```sh\n(#!\/bin\/sh\n[\s\S]*?)```/.exec(GUIDE) ?? [];

let folder: string;
let project: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = temporaryFolder();
  project = join(folder, 'a project');
  initCommitted(project);
  addOrigin(project, join(folder, 'origin.git'));
  // As in a clone.
  writeFileSync(join(project, '.git/refs/remotes/origin/HEAD'), 'ref: refs/remotes/origin/main\n');
  writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/work\n');
  cpSync(join(project, '.git/refs/heads/main'), join(project, '.git/refs/heads/work'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  program(
    join(bin, 'untildone'),
    `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/dist/untildone.cjs' "$@"\n`,
  );
  mkdirSync(join(project, '.git/hooks'), { recursive: true });
  program(join(project, '.git/hooks/pre-push'), HOOK);
  env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    UNTILDONE_HOME: join(folder, 'home'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
});

function program(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
    cwd: project,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
const write = (path: string, text: string) => writeFileSync(join(project, path), text);
function commit(): void {
  git('add', '--all');
  git('commit', '--quiet', '-m', 'work');
}

function push(...args: string[]) {
  const { status, stdout, stderr } = spawnSync('git', ['push', ...args], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

const arrived = () => git('ls-remote', 'origin', 'refs/heads/work').slice(0, 40) === git('rev-parse', 'HEAD');
const runs = () => (existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs'), 'utf8').length : 0);

test('a push is refused while the work is not done, and quick when no input changed', () => {
  const gate = 'printf x >> ../runs; grep -q good a.txt';
  write(
    'untildone.yaml',
    `gates:\n  tests: { run: "${gate}", inputs: [a.txt] }\n  tidy: { forbid: [todo] }\n`,
  );
  commit();
  const refused = push('-u', 'origin', 'work');
  expect(refused.said).toMatch(/fail +tests[\s\S]*untildone: NOT done/);
  expect({ status: refused.status, arrived: arrived() }).toEqual({ status: 1, arrived: false });

  write('a.txt', 'good\n');
  const unsaved = push('-u', 'origin', 'work');
  expect(unsaved.said).toContain('untildone judges the files that are here. Commit the rest');
  expect({ status: unsaved.status, runs: runs() }).toEqual({ status: 1, runs: 1 });
  commit();
  const done = push('-u', 'origin', 'work');
  expect(done.said).toContain('untildone: done, and verified');
  expect({ status: done.status, arrived: arrived(), runs: runs() }).toEqual({
    status: 0,
    arrived: true,
    runs: 2,
  });

  write('b.txt', 'more\n');
  commit();
  const quick = push('-u', 'origin', 'work');
  expect(quick.said).toContain('[as before: none of its inputs changed]');
  expect({ status: quick.status, arrived: arrived(), runs: runs() }).toEqual({
    status: 0,
    arrived: true,
    runs: 2,
  });
});

test('what is not checked out, and a branch that is deleted, are not judged', () => {
  write('untildone.yaml', 'gates:\n  never: { run: "printf x >> ../runs; false" }\n');
  commit();
  git('branch', 'other', 'HEAD~1');
  const other = push('origin', 'other');
  expect(other.said).toContain('is not checked out, so it is not judged');
  expect(other.status).toBe(0);
  expect(push('origin', '--delete', 'other').status).toBe(0);
  expect(runs()).toBe(0);
});
