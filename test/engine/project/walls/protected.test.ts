import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withinWalls } from '../../../../src/engine/project/room/in-place.ts';
import { reachIn } from '../../../../src/engine/project/walls/protected.ts';
import { profileFor } from '../../../../src/engine/project/walls/sandbox-exec.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { SecretiveHome } from '../../../support/project/walls.ts';

/** What commands within walls cannot make in a project, although it is not there. */

let home: SecretiveHome;
let project: string;

beforeEach(() => {
  home = new SecretiveHome();
  project = join(home.root, 'project');
  mkdirSync(project);
});
afterEach(() => home.remove());

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home.root },
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();

function run(command: string) {
  const caches = join(home.untildone, 'caches');
  const { shell } = withinWalls({ dir: project, env: home.env, walls: home.walls(), caches });
  return shell.run({ command, cwd: project, timeoutMs: PATIENCE_MS });
}

/** Writes to a path by every way that a shell has. */
const make = (path: string) =>
  `mkdir -p "$(dirname '${path}')"; echo x >'${path}'; echo x >made; mv -f made '${path}'; ln -sfn /etc '${path}'; mkdir '${path}'; :`;

const OF_GIT = ['.git/hooks/pre-commit', '.git/config.worktree', '.git/info/attributes', '.git/commondir'];
const OF_PROJECT = [
  '.mcp.json',
  'CLAUDE.md',
  'CLAUDE.local.md',
  '.claude/settings.json',
  '.husky/pre-commit',
  '.envrc',
  '.vscode/tasks.json',
  '.devcontainer/devcontainer.json',
  'untildone.yaml',
];

const contentOf = (path: string) =>
  existsSync(join(project, path)) && lstatSync(join(project, path)).isFile()
    ? readFileSync(join(project, path), 'utf8')
    : '';

describe('a command cannot make', () => {
  test.each(OF_GIT)('%s', async (path) => {
    git(project, 'init', '--quiet', '--template=');
    const { exitCode } = await run(make(path));
    expect(exitCode).toBe(0);
    expect(contentOf(path)).toBe('');
    expect(git(project, 'status', '--porcelain')).toMatch(/^(?:\?\? made)?$/);
  });

  test.each(OF_PROJECT)('%s', async (path) => {
    git(project, 'init', '--quiet', '--template=');
    const { exitCode, output } = await run(make(path));
    expect(exitCode).toBe(0);
    expect(contentOf(path)).toBe('');
    if (!path.startsWith('.claude/'))
      expect(output).toContain(`untildone: taken back: ${path.split('/')[0]}`);
    expect(git(project, 'status', '--porcelain')).toMatch(/^(?:\?\? made)?$/);
  });

  test('a repository of git where there is none', async () => {
    await run('git init --quiet; echo x >.git/hooks/post-commit; echo x >work');
    expect(existsSync(join(project, '.git'))).toBe(false);
    expect(readFileSync(join(project, 'work'), 'utf8')).toBe('x\n');
  });

  test('hooks of a submodule, also of one with a name like a path, nor lead its checkout elsewhere', async () => {
    const part = join(home.root, 'part');
    mkdirSync(part);
    git(part, 'init', '--quiet', '--template=');
    git(part, 'commit', '--quiet', '--allow-empty', '-m', 'one');
    git(project, 'init', '--quiet', '--template=');
    git(project, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part, 'libs/part');
    const pointer = readFileSync(join(project, 'libs/part/.git'), 'utf8');
    const path = '.git/modules/libs/part/hooks/pre-commit';
    await run(`${make(path)}; ${make('libs/part/.git')}; ${make('.git/modules/libs/part/commondir')}`);
    expect(contentOf(path)).toBe('');
    expect(existsSync(join(project, '.git/modules/libs/part/commondir'))).toBe(false);
    expect(readFileSync(join(project, 'libs/part/.git'), 'utf8')).toBe(pointer);
  });

  test('hooks in the folder that the settings of git name', async () => {
    git(project, 'init', '--quiet', '--template=');
    git(project, 'config', 'core.hooksPath', 'tools/hooks');
    await run(make('tools/hooks/pre-commit'));
    expect(existsSync(join(project, 'tools/hooks'))).toBe(false);
  });

  test('another folder of a link that leads to the settings', async () => {
    const real = join(home.root, 'settings');
    mkdirSync(real);
    git(project, 'init', '--quiet', '--template=');
    symlinkSync(real, join(project, '.claude'));
    await run('rm .claude; mkdir .claude; echo x >.claude/settings.json');
    expect(readlinkSync(join(project, '.claude'))).toBe(real);
    expect(existsSync(join(real, 'settings.json'))).toBe(false);
  });
});

test('what was there stays as it is, and everything else can be written', async () => {
  git(project, 'init', '--quiet', '--template=');
  for (const path of OF_PROJECT) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), 'mine');
  }
  const { output } = await run(`${OF_PROJECT.map(make).join('; ')}; echo x >src.js; git add src.js`);
  for (const path of OF_PROJECT) expect(contentOf(path), path).toBe('mine');
  expect(output).not.toContain('taken back');
  expect(git(project, 'ls-files')).toBe('src.js');
});

test('the profile for macOS denies what is not there by its path', () => {
  const { writable, readOnly, absent } = reachIn(project, []);
  const within = { cwd: project, writable, readOnly, absent, hidden: [], network: false };
  expect(profileFor(within)).toContain(`(deny file-write* (subpath "${join(project, '.mcp.json')}"))`);
  expect(profileFor(within)).toContain(`(deny file-write* (subpath "${join(project, '.git')}"))`);
});
