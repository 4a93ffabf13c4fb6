import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installationAt, installHooks, settingsTexts } from '../../../src/cli/install/settings-change.ts';
import {
  readSettings,
  replaceSettings,
  type Scope,
  settingsPath,
  writeRecord,
} from '../../../src/engine/client/settings/files.ts';
import { addHooks } from '../../../src/engine/client/settings/our-hooks.ts';
import { sha256 } from '../../../src/engine/files/digest.ts';
import { HOOK_LINE } from '../../../src/engine/home/hook-line.ts';
import {
  home,
  ODD_BYTES,
  options,
  output,
  printed,
  put,
  root,
  runInstall,
  runUninstall,
  shared,
  snapshot,
  useInstallScene,
} from '../../support/cli/install-scene.ts';

useInstallScene();

const OLD_SETTINGS = join(import.meta.dirname, '../../fixtures/settings/0.1.0.json');

describe('install', () => {
  test('makes the settings, the home and the scripts, and says what this means and what is next', async () => {
    expect(await runInstall()).toBe(0);
    expect(readFileSync(shared(), 'utf8')).toBe(addHooks(undefined).text);
    expect(readFileSync(join(home(), 'hook.sh'), 'utf8')).toContain(
      join(root(), 'package', 'dist', 'hook.cjs'),
    );
    expect(readdirSync(home()).sort()).toEqual(['active', 'hold.sh', 'hook.sh', 'installs', 'sessions']);
    expect(printed[0]).toBe(`Installed in ${shared()}.`);
    expect(output()).toContain('  Gates are checked at: Stop, SubagentStop,');
    expect(output()).toContain(`  Every hook runs ${join(home(), 'hook.sh')}`);
    expect(output()).toContain('untildone start');
    expect(printed.length).toBeLessThan(10);
    expect(output()).not.toContain('command');
    expect(printed.at(-1)).toBe('To undo this: untildone uninstall');
  });

  test.each([
    ['2.1.84', ''],
    ['2.1.83', 'does not know TaskCreated, and takes no hook'],
  ])('says whether Claude Code %s would take them', async (clientVersion, said) => {
    expect(await runInstall({ clientVersion })).toBe(0);
    if (said === '') expect(output()).not.toContain('Warning');
    else expect(output()).toContain(`Warning: Claude Code ${clientVersion} ${said}`);
  });

  test('shows every line when it is asked to', async () => {
    await runInstall({ diff: true });
    expect(printed.slice(0, 3)).toEqual([
      '--- /dev/null',
      `+++ ${shared()}`,
      expect.stringMatching(/^@@ -0,0 \+1,\d+ @@$/),
    ]);
    await runUninstall({ diff: true });
    expect(printed.slice(0, 2)).toEqual([`--- ${shared()}`, '+++ /dev/null']);
  });

  test.each<Scope>(['project', 'local', 'user'])('in scope %s sets no cap', async (scope) => {
    put(settingsPath(scope, options()), '{"model": "opus"}');
    await runInstall({ scope });
    const settings = JSON.parse(readFileSync(settingsPath(scope, options()), 'utf8')) as object;
    expect(Object.keys(settings)).toEqual(['model', 'hooks']);
  });

  test.each([true, false])(
    'repairs what an older version wrote, whether its record is there (%s) or not',
    async (recorded) => {
      const original = '{\n  "model": "opus"\n}\n';
      const old = JSON.stringify(
        { model: 'opus', ...JSON.parse(readFileSync(OLD_SETTINGS, 'utf8')) },
        null,
        2,
      );
      put(shared(), old);
      mkdirSync(join(home(), 'installs'), { recursive: true });
      const record = {
        version: 1,
        path: shared(),
        original,
        written: sha256(old),
        createdFolder: null,
      } as const;
      if (recorded) writeRecord(home(), record);
      expect(await runInstall()).toBe(0);
      expect(output()).toContain(
        'Removed CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=0, which an older version of untildone wrote',
      );
      const text = readFileSync(shared(), 'utf8');
      expect(text).not.toContain('BLOCK_CAP');
      expect(JSON.parse(text)).toEqual({ model: 'opus', ...JSON.parse(addHooks(undefined).text) });
      await runUninstall();
      expect(JSON.parse(readFileSync(shared(), 'utf8'))).toEqual({ model: 'opus' });
    },
  );

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
    put(hookEntry, "process.stdout.write('{}'); process.exitCode = Number(process.env.UNTILDONE_ANSWERED);");
    await runInstall({ hookEntry });
    writeFileSync(join(home(), 'active', 's1'), '');
    const { hooks } = JSON.parse(readFileSync(shared(), 'utf8')) as {
      hooks: { Stop: { hooks: { command: string }[] }[] };
    };
    const command = hooks.Stop[0]?.hooks[0]?.command ?? '';
    const env = { UNTILDONE_HOME: home(), CLAUDE_CODE_SESSION_ID: 's1' };
    expect(spawnSync('/bin/sh', ['-c', command], { env, encoding: 'utf8' }).stdout).toBe('{}\n');
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
    await runInstall({ diff: true });
    expect(output()).toContain('"KEY":"***"');
    expect(output()).not.toContain('sk-secret');
    await runUninstall({ diff: true });
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
    await runInstall({ diff: true });
    expect(output()).not.toMatch(/[\u007f-\u009f]/);
  });
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
      ...installationAt(options(), { program: { ...options(), version: '0.1.0' }, chosen: true }),
      replace: () => {
        throw new Error('killed');
      },
    };
    expect(() => installHooks(dying, (text) => addHooks(text), settingsTexts, { dryRun: false })).toThrow(
      'killed',
    );
    expect(await runUninstall()).toBe(0);
    expect(readFileSync(shared())).toEqual(ODD_BYTES);
    await runInstall();
    await runUninstall();
    expect(readFileSync(shared())).toEqual(ODD_BYTES);
  });
});
