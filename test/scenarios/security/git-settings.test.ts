import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/files/workers.ts';
import { filledIn, isClassified, PROGRAMS } from '../../support/project/git-settings.ts';

/** What a repository's own configuration of git can start, before anybody trusted anything of it: nothing. */

const PROGRAM = resolve(import.meta.dirname, '../../../dist/untildone.cjs');

/** Commands that a person types in a folder that they do not trust yet. */
const BEFORE_TRUST = [
  ['status'],
  ['trust', '--show'],
  ['doctor'],
  ['start', '--session', 's1'],
  ['status'],
  ['install'],
  ['setup', '--yes'],
  ['holdout', 'list'],
];
/** A hook of a session, whose loop waits for trust. */
const STOP = {
  hook_event_name: 'Stop',
  session_id: 's1',
  stop_hook_active: false,
  transcript_path: '/nowhere',
};

let folder: string;
let project: string;
let env: Record<string, string>;

beforeEach(() => {
  folder = temporaryFolder();
  project = join(folder, 'project');
  mkdirSync(join(folder, 'ran'));
  env = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home'), GIT_CONFIG_NOSYSTEM: '1' };
  mkdirSync(env.HOME ?? '');
  makeRepository(project);
});

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function makeRepository(at: string): void {
  mkdirSync(at, { recursive: true });
  git(at, 'init', '--quiet');
  write(
    join(at, 'untildone.yaml'),
    'task: x\ngates:\n  tests: { run: npm test }\n  clean: { git: [clean] }\n',
  );
  write(join(at, 'package.json'), '{ "scripts": { "test": "true" } }\n');
  write(join(at, 'test/a.test.js'), 'test("a", () => {})\n');
  git(at, 'add', '--all');
  git(at, 'commit', '--quiet', '-m', 'one');
}

/** A program that leaves a file with this name behind. */
function trap(name: string): string {
  const path = join(folder, `${name.replaceAll('/', '_')}.sh`);
  write(path, `#!/bin/sh\n: >'${join(folder, 'ran', name.replaceAll('/', '_'))}'\ncat\n`);
  chmodSync(path, 0o755);
  return path;
}

const ran = () => readdirSync(join(folder, 'ran')).sort();

/** Makes every file look changed, so that git reads it again. */
function touchFiles(at: string): void {
  for (const path of ['package.json', 'test/a.test.js', 'untildone.yaml'])
    if (existsSync(join(at, path))) utimesSync(join(at, path), new Date(), new Date(Date.now() - 9000));
}

function untildone(...args: string[]) {
  return spawnSync(process.execPath, [PROGRAM, ...args], { cwd: project, env, encoding: 'utf8', input: '' });
}

function playAll(): void {
  for (const args of BEFORE_TRUST) {
    touchFiles(project);
    expect(untildone(...args).stderr, args.join(' ')).not.toMatch(/\n\s+at /);
  }
  touchFiles(project);
  const input = JSON.stringify({ ...STOP, cwd: project });
  spawnSync(process.execPath, [PROGRAM, 'hook'], { cwd: project, env, encoding: 'utf8', input });
}

test('every setting that git knows is known to the test', () => {
  const listed = git(project, 'help', '--config')
    .split('\n')
    .filter((line) => /^[\w-]+\.\S+$/.test(line));
  expect(listed.length).toBeGreaterThan(500);
  expect(listed.map(filledIn).filter((name) => !isClassified(name))).toEqual([]);
});

describe('before trust, nothing is started', () => {
  const plantPrograms = (at: string) => {
    for (const [name, planted] of Object.entries(PROGRAMS)) git(at, 'config', name, planted(trap(name)));
    write(join(at, '.gitattributes'), '* filter=trap diff=trap merge=trap\n');
  };

  test('by any setting that names a program', () => {
    plantPrograms(project);
    git(project, 'config', 'commit.gpgSign', 'true');
    git(project, 'config', 'log.showSignature', 'true');
    playAll();
    expect(ran()).toEqual([]);
    // What is planted does start when a person calls git: otherwise this test would show nothing.
    touchFiles(project);
    spawnSync('git', ['diff', 'HEAD'], { cwd: project, env });
    expect(ran()).toEqual(expect.arrayContaining(['core.fsmonitor', 'filter.trap.process']));
  });

  test.each([
    ['a file that the configuration includes', ['include.path', '../more.config']],
    ['a file that it includes for this folder', ['includeIf.gitdir:**.path', '../more.config']],
  ])('by %s', (_, [name = '', value = '']) => {
    git(project, 'config', '--file', 'more.config', 'filter.trap.process', trap('included'));
    git(project, 'config', '--file', 'more.config', 'filter.odd name.clean', trap('included'));
    write(join(project, '.git/info/attributes'), '* filter=trap\n*.json filter="odd name"\n');
    git(project, 'config', name, value);
    playAll();
    expect(ran()).toEqual([]);
  });

  test('by the configuration of one worktree', () => {
    git(project, 'config', 'extensions.worktreeConfig', 'true');
    const other = join(folder, 'other');
    git(project, 'worktree', 'add', '--quiet', other);
    git(other, 'config', '--worktree', 'filter.trap.process', trap('worktree'));
    write(join(other, '.gitattributes'), '* filter=trap\n');
    project = other;
    playAll();
    expect(ran()).toEqual([]);
  });

  test('by a submodule, whose repository has filters and a monitor of its own', () => {
    makeRepository(join(folder, 'part'));
    git(
      project,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      join(folder, 'part'),
      'part',
    );
    git(project, 'commit', '--quiet', '-m', 'two');
    const part = join(project, 'part');
    for (const name of ['filter.trap.process', 'filter.trap.clean', 'core.fsmonitor'])
      git(part, 'config', name, trap(`submodule ${name}`));
    write(join(part, '.gitattributes'), '* filter=trap\n');
    git(project, 'config', '--file', '.gitmodules', 'submodule.part.ignore', 'none');
    git(project, 'config', 'diff.ignoreSubmodules', 'none');
    touchFiles(part);
    playAll();
    touchFiles(part);
    playAll();
    expect(ran()).toEqual([]);
  });

  test('by a name of a filter that looks like a setting', () => {
    git(project, 'config', 'filter.a=b.process', trap('odd'));
    write(join(project, '.gitattributes'), '* filter=a=b\n');
    playAll();
    expect(ran()).toEqual([]);
  });

  test('by hooks, templates, another working tree or other transports', () => {
    const places = [join(project, '.git/hooks'), join(folder, 'hooks'), join(folder, 'template/hooks')];
    for (const place of places)
      for (const name of [
        'post-index-change',
        'post-checkout',
        'reference-transaction',
        'fsmonitor-watchman',
        'pre-auto-gc',
      ]) {
        write(join(place, name), `#!/bin/sh\n: >'${join(folder, 'ran', name)}'\n`);
        chmodSync(join(place, name), 0o755);
      }
    git(project, 'config', 'core.hooksPath', join(folder, 'hooks'));
    git(project, 'config', 'init.templateDir', join(folder, 'template'));
    makeRepository(join(folder, 'elsewhere'));
    git(project, 'config', 'core.worktree', join(folder, 'elsewhere'));
    playAll();
    expect(ran()).toEqual([]);
  });

  test.each([
    ['a program of the remote', 'file:///nowhere'],
    ['a transport that is a program', 'ext::sh -c "touch %s"'],
  ])('to fetch what a partial clone lacks: by %s', (_, url) => {
    const id = git(project, 'rev-parse', 'HEAD:test/a.test.js').trim();
    rmSync(join(project, '.git/objects', id.slice(0, 2), id.slice(2)));
    write(join(project, 'test/a.test.js'), 'changed\n');
    for (const [name, value] of [
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', url.replace('%s', join(folder, 'ran/transport'))],
      ['remote.origin.uploadpack', trap('uploadpack')],
      ['protocol.allow', 'always'],
      ['protocol.ext.allow', 'always'],
    ])
      git(project, 'config', name ?? '', value ?? '');
    playAll();
    expect(ran()).toEqual([]);
  });
});
