import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installHooks } from '../../../src/cli/install/install-hooks.ts';
import { installationAt, settingsTexts } from '../../../src/cli/install/settings-change.ts';
import { readSettings, replaceSettings, type Scope } from '../../../src/client/settings/files.ts';
import { addHooks } from '../../../src/client/settings/our-hooks.ts';
import { HOOK_LINE } from '../../../src/home/hook-line.ts';
import {
  home,
  ODD_BYTES,
  options,
  output,
  printed,
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

describe('install', () => {
  test('makes the settings, the home and the script, shows the diff and says what is next', async () => {
    expect(await runInstall()).toBe(0);
    expect(readFileSync(shared(), 'utf8')).toBe(addHooks(undefined).text);
    expect(readFileSync(join(home(), 'hook.sh'), 'utf8')).toContain(
      join(root(), 'package', 'dist', 'hook.cjs'),
    );
    expect(readdirSync(home()).sort()).toEqual(['active', 'hook.sh', 'installs', 'sessions']);
    expect(printed.slice(0, 3)).toEqual([
      '--- /dev/null',
      `+++ ${shared()}`,
      expect.stringMatching(/^@@ -0,0 \+1,\d+ @@$/),
    ]);
    expect(output()).toContain(`Installed in ${shared()}.`);
    expect(output()).toContain('untildone start');
    expect(printed.at(-1)).toBe('To undo this: untildone uninstall');
  });

  test('keeps the home for its user alone', async () => {
    await runInstall();
    for (const name of ['.', 'active', 'sessions', 'installs']) {
      expect(statSync(join(home(), name)).mode & 0o777).toBe(0o700);
    }
    const [record] = readdirSync(join(home(), 'installs'));
    expect(statSync(join(home(), 'installs', record ?? '')).mode & 0o777).toBe(0o600);
    expect(statSync(join(home(), 'hook.sh')).mode & 0o777).toBe(0o600);
  });

  test.each<[Scope, string, string]>([
    ['project', 'project/.claude/settings.json', 'untildone uninstall'],
    ['local', 'project/.claude/settings.local.json', 'untildone uninstall --scope local'],
    ['user', 'user/.claude/settings.json', 'untildone uninstall --scope user'],
  ])('in scope %s writes %s', async (scope, file, undo) => {
    expect(await runInstall({ scope })).toBe(0);
    expect(readFileSync(join(root(), file), 'utf8')).toContain('hook.sh');
    expect(printed.at(-1)).toBe(`To undo this: ${undo}`);
    const settings = readdirSync(root(), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /settings/.test(name),
    );
    expect(settings).toEqual([file]);
  });

  test('a line installed by it holds a session', async () => {
    const hookEntry = join(root(), "it's here", 'hook.cjs');
    put(hookEntry, "process.stdout.write('held')");
    await runInstall({ hookEntry });
    writeFileSync(join(home(), 'active', 's1'), '');
    const { hooks } = JSON.parse(readFileSync(shared(), 'utf8')) as {
      hooks: { Stop: { hooks: { command: string }[] }[] };
    };
    const command = hooks.Stop[0]?.hooks[0]?.command ?? '';
    const env = { UNTILDONE_HOME: home(), CLAUDE_CODE_SESSION_ID: 's1' };
    expect(spawnSync('/bin/sh', ['-c', command], { env, encoding: 'utf8' }).stdout).toBe('held');
    expect(
      spawnSync('/bin/sh', ['-c', command], {
        env: { ...env, CLAUDE_CODE_SESSION_ID: 's2' },
        encoding: 'utf8',
      }).stdout,
    ).toBe('');
  });

  test('a second time changes nothing and says so', async () => {
    put(shared(), ODD_BYTES);
    await runInstall();
    const before = snapshot(root());
    const { ino, mtimeMs } = statSync(shared());
    expect(await runInstall()).toBe(0);
    expect(snapshot(root())).toEqual(before);
    expect(statSync(shared())).toMatchObject({ ino, mtimeMs });
    expect(printed[0]).toBe(`Already installed in ${shared()}.`);
  });

  test('a second time from another place renews the script', async () => {
    await runInstall();
    await runInstall({ hookEntry: '/moved/dist/hook.cjs' });
    expect(readFileSync(join(home(), 'hook.sh'), 'utf8')).toContain("entry='/moved/dist/hook.cjs'");
  });

  test('a dry run shows the diff and writes nothing at all', async () => {
    put(shared(), ODD_BYTES);
    const before = snapshot(root());
    expect(await runInstall({ dryRun: true })).toBe(0);
    expect(snapshot(root())).toEqual(before);
    expect(output()).toContain(HOOK_LINE.slice(0, 20));
    expect(output()).toContain('Dry run, nothing was written.');
    expect(await runInstall({ dryRun: true, scope: 'local' })).toBe(0);
    expect(snapshot(root())).toEqual(before);
  });

  test('never prints the values of env', async () => {
    put(shared(), ODD_BYTES);
    await runInstall();
    expect(output()).toContain('"KEY":"***"');
    expect(output()).not.toContain('sk-secret');
    await runUninstall();
    expect(output()).not.toContain('sk-secret');
  });

  test('keeps the mode of the file and leaves no other file beside it', async () => {
    for (const mode of [0o640, 0o666, 0o755]) {
      put(shared(), '{}', mode);
      await runInstall();
      expect(statSync(shared()).mode & 0o7777).toBe(mode);
      expect(readdirSync(dirname(shared()))).toEqual(['settings.json']);
      await runUninstall();
      expect(statSync(shared()).mode & 0o7777).toBe(mode);
      expect(readdirSync(dirname(shared()))).toEqual(['settings.json']);
    }
  });

  test('reports a cap that stays and hooks that are switched off', async () => {
    put(shared(), '{"disableAllHooks": true, "env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "12"}}');
    await runInstall();
    expect(output()).toContain('Kept your CLAUDE_CODE_STOP_HOOK_BLOCK_CAP of "12"');
    expect(output()).toContain('"disableAllHooks" is true');
  });

  test('control characters of a settings file do not reach the terminal', async () => {
    put(shared(), '{\n  "a": "\u009b31m\u007f"\n}\n');
    await runInstall();
    expect(output()).not.toMatch(/[\u007f-\u009f]/);
  });
});

describe('links', () => {
  test('a linked settings file stays a link; its target is changed and restored', async () => {
    put(join(root(), 'dotfiles', 'claude.json'), ODD_BYTES, 0o600);
    mkdirSync(join(project(), '.claude'));
    symlinkSync('../../dotfiles/claude.json', shared());
    await runInstall();
    expect(readlinkSync(shared())).toBe('../../dotfiles/claude.json');
    expect(readFileSync(join(root(), 'dotfiles', 'claude.json'), 'utf8')).toContain('hook.sh');
    expect(output()).toContain(`${join(root(), 'dotfiles', 'claude.json')} (which ${shared()} leads to)`);
    await runUninstall();
    expect(readlinkSync(shared())).toBe('../../dotfiles/claude.json');
    expect(readFileSync(join(root(), 'dotfiles', 'claude.json'))).toEqual(ODD_BYTES);
    expect(readdirSync(join(root(), 'dotfiles'))).toEqual(['claude.json']);
  });

  test('a link inside a linked folder is followed from where the folder really is', async () => {
    put(join(root(), 'far', 'files', 'real.json'), '{}');
    mkdirSync(join(root(), 'far', 'claude'));
    symlinkSync(join(root(), 'far', 'claude'), join(project(), '.claude'));
    symlinkSync('../files/real.json', join(root(), 'far', 'claude', 'settings.json'));
    expect(await runInstall()).toBe(0);
    expect(readFileSync(join(root(), 'far', 'files', 'real.json'), 'utf8')).toContain('hook.sh');
  });

  test('a link to a file that is not there makes that file, and uninstall removes it', async () => {
    mkdirSync(join(root(), 'dotfiles'));
    mkdirSync(join(project(), '.claude'));
    symlinkSync(join(root(), 'dotfiles', 'new.json'), shared());
    expect(await runInstall()).toBe(0);
    expect(existsSync(join(root(), 'dotfiles', 'new.json'))).toBe(true);
    await runUninstall();
    expect(readdirSync(join(root(), 'dotfiles'))).toEqual([]);
    expect(lstatSync(shared()).isSymbolicLink()).toBe(true);
  });

  test.each([
    ['into a folder that is not there', '../../nowhere/x.json', 'whose folder does not exist'],
    ['to itself', 'settings.json', 'leads to itself'],
    ['to a folder', '..', 'not a regular file'],
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
  const pipe = join(root(), 'pipe');
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

describe('meanwhile', () => {
  test('a file that another program changed after it was read is left to that program', () => {
    put(shared(), '{}');
    const file = readSettings(shared());
    writeFileSync(shared(), '{"theirs": 1}');
    expect(() => replaceSettings(file, '{"ours": 1}')).toThrow(/another program changed .* just now/);
    expect(readFileSync(shared(), 'utf8')).toBe('{"theirs": 1}');
    expect(readdirSync(dirname(shared()))).toEqual(['settings.json']);
  });

  test('an install that dies before its last step leaves nothing that misleads the next call', async () => {
    put(shared(), ODD_BYTES);
    const dying = {
      ...installationAt(options(), 'script'),
      replace: () => {
        throw new Error('killed');
      },
    };
    expect(() => installHooks(dying, addHooks, settingsTexts, { dryRun: false })).toThrow('killed');
    expect(await runUninstall()).toBe(0);
    expect(readFileSync(shared())).toEqual(ODD_BYTES);
    await runInstall();
    await runUninstall();
    expect(readFileSync(shared())).toEqual(ODD_BYTES);
  });
});
