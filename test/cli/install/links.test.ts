import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { replaceSettings, writeRecord } from '../../../src/engine/client/settings/files.ts';
import { addHooks } from '../../../src/engine/client/settings/our-hooks.ts';
import {
  home,
  ODD_BYTES,
  output,
  project,
  put,
  root,
  runInstall,
  runUninstall,
  shared,
  snapshot,
  useInstallScene,
} from '../../support/cli/install-scene.ts';

useInstallScene();

describe('your own settings, which may be a link to where you keep them', () => {
  const mine = () => join(root(), 'user', '.claude', 'settings.json');
  const user = { scope: 'user' } as const;

  test('the link stays a link; its target is changed and restored', async () => {
    put(join(root(), 'dotfiles', 'claude.json'), ODD_BYTES, 0o600);
    mkdirSync(dirname(mine()), { recursive: true });
    symlinkSync('../../dotfiles/claude.json', mine());
    await runInstall(user);
    expect(readlinkSync(mine())).toBe('../../dotfiles/claude.json');
    expect(readFileSync(join(root(), 'dotfiles', 'claude.json'), 'utf8')).toContain('hook.sh');
    expect(output()).toContain(`${join(root(), 'dotfiles', 'claude.json')} (which ${mine()} leads to)`);
    await runUninstall(user);
    expect(readlinkSync(mine())).toBe('../../dotfiles/claude.json');
    expect(readFileSync(join(root(), 'dotfiles', 'claude.json'))).toEqual(ODD_BYTES);
    expect(readdirSync(join(root(), 'dotfiles'))).toEqual(['claude.json']);
  });

  test('a link inside a linked folder is followed from where the folder really is', async () => {
    put(join(root(), 'far', 'files', 'real.json'), '{}');
    mkdirSync(join(root(), 'far', 'claude'));
    mkdirSync(join(root(), 'user'));
    symlinkSync(join(root(), 'far', 'claude'), dirname(mine()));
    symlinkSync('../files/real.json', join(root(), 'far', 'claude', 'settings.json'));
    expect(await runInstall(user)).toBe(0);
    expect(readFileSync(join(root(), 'far', 'files', 'real.json'), 'utf8')).toContain('hook.sh');
  });

  test('a link to a file that is not there makes that file, and uninstall removes it', async () => {
    mkdirSync(join(root(), 'dotfiles'));
    mkdirSync(dirname(mine()), { recursive: true });
    symlinkSync(join(root(), 'dotfiles', 'new.json'), mine());
    expect(await runInstall(user)).toBe(0);
    expect(existsSync(join(root(), 'dotfiles', 'new.json'))).toBe(true);
    await runUninstall(user);
    expect(readdirSync(join(root(), 'dotfiles'))).toEqual([]);
    expect(lstatSync(mine()).isSymbolicLink()).toBe(true);
  });
});

describe('links in a project', () => {
  const out = () => join(root(), 'elsewhere');
  const inProject = (path: string) => join(project(), path);

  test.each<[string, Record<string, string>]>([
    ['a linked folder', { '.claude': '../elsewhere' }],
    ['a chain of links', { a: '../elsewhere', '.claude': 'a' }],
    ['a linked file', { '.claude/settings.json': '../../elsewhere/settings.json' }],
    ['a link to a file that is not there', { '.claude/settings.json': '../../elsewhere/new.json' }],
    ['a folder whose name begins like the project', { '.claude': '../project-2' }],
  ])('%s that leads out of it is refused, with where it leads and what to do', async (_, links) => {
    put(join(out(), 'settings.json'), '{"theirs": 1}');
    mkdirSync(`${project()}-2`);
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(dirname(inProject(path)), { recursive: true });
      symlinkSync(target, inProject(path));
    }
    const before = snapshot(root());
    for (const dryRun of [false, true]) {
      expect(await runInstall({ dryRun })).toBe(2);
      expect(output()).toMatch(/leads out of the project, to .* --scope user$/);
    }
    expect(await runUninstall()).toBe(2);
    expect(snapshot(root())).toEqual(before);
  });

  test('links that stay inside of it are followed', async () => {
    mkdirSync(inProject('tools/claude'), { recursive: true });
    symlinkSync('tools/claude', inProject('.claude'));
    expect(await runInstall()).toBe(0);
    expect(readFileSync(inProject('tools/claude/settings.json'), 'utf8')).toContain('hook.sh');
    await runUninstall();
    expect(readdirSync(inProject('tools/claude'))).toEqual([]);
  });

  test('a project that is reached by a link is where it really is', async () => {
    symlinkSync('project', join(root(), 'link'));
    expect(await runInstall({ project: join(root(), 'link') })).toBe(0);
    expect(readFileSync(shared(), 'utf8')).toContain('hook.sh');
  });

  test('what an older version wrote out of the project can be taken back', async () => {
    const target = join(out(), 'settings.json');
    put(target, addHooks('{}').text);
    mkdirSync(join(home(), 'installs'), { recursive: true });
    const record = { version: 1, path: target, original: '{}', written: '', createdFolder: null } as const;
    writeRecord(home(), record);
    symlinkSync(out(), inProject('.claude'));
    expect(await runInstall()).toBe(2);
    expect(await runUninstall()).toBe(0);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({});
  });

  test.each([
    ['to nothing', 'nowhere', 'is a link to nowhere, which does not exist; correct the link'],
    ['to itself', '.claude', 'is a link that leads to itself; correct the link'],
  ])('a folder that is a link %s is refused', async (_, target, message) => {
    symlinkSync(target, inProject('.claude'));
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(message);
    expect(readlinkSync(inProject('.claude'))).toBe(target);
  });

  test.each([
    ['into a folder that is not there', '../../nowhere/x.json', 'whose folder does not exist'],
    ['to itself', 'settings.json', 'leads to itself'],
    ['to a folder', '.', 'not a regular file'],
  ])('a link %s is refused', async (_name, target, message) => {
    mkdirSync(join(project(), '.claude'));
    symlinkSync(target, shared());
    const before = snapshot(root());
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(message);
    expect(snapshot(root())).toEqual(before);
  });
});

test('a link to a pipe is refused, and the pipe stays one', async () => {
  const pipe = join(project(), 'pipe');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  mkdirSync(join(project(), '.claude'));
  symlinkSync(pipe, shared());
  expect(await runInstall()).toBe(2);
  expect(output()).toContain(`${pipe} is not a regular file`);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  expect(() => replaceSettings({ path: pipe, text: undefined, missingFolder: undefined }, '{}')).toThrow(
    'not a regular file',
  );
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});
