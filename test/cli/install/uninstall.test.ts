import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addHooks } from '../../../src/engine/client/settings/our-hooks.ts';
import {
  home,
  ODD_BYTES,
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

describe('uninstall', () => {
  test.each([
    ODD_BYTES,
    Buffer.from('{}'),
    Buffer.from('{ "hooks": { }, "env": {\n} }'),
    Buffer.from(''),
    Buffer.from('\n'),
  ])('restores the exact bytes that were there (%#)', async (bytes) => {
    put(shared(), bytes);
    await runInstall();
    expect(readFileSync(shared())).not.toEqual(bytes);
    expect(await runUninstall()).toBe(0);
    expect(readFileSync(shared())).toEqual(bytes);
    expect(output()).toContain(`Restored ${shared()} to what it was before install.`);
    expect(readdirSync(join(home(), 'installs'))).toEqual([]);
  });

  test('removes a file and a folder that install made', async () => {
    await runInstall();
    expect(await runUninstall()).toBe(0);
    expect(readdirSync(project())).toEqual([]);
    expect(output()).toContain(`Removed ${shared()}, which install had made.`);
  });

  test('removes what install made even if it was installed again, or only formatted anew, since', async () => {
    await runInstall();
    await runInstall({ judgeTimeout: 7200 });
    await runUninstall();
    expect(readdirSync(project())).toEqual([]);
    await runInstall();
    writeFileSync(shared(), JSON.stringify(JSON.parse(readFileSync(shared(), 'utf8')), null, 8));
    await runUninstall();
    expect(readdirSync(project())).toEqual([]);
  });

  test('keeps a folder that was there, and one that others use by now', async () => {
    mkdirSync(join(project(), '.claude'));
    await runInstall();
    await runUninstall();
    expect(snapshot(project())).toEqual({ '.claude': expect.any(String) });
    rmSync(join(project(), '.claude'), { recursive: true });
    await runInstall();
    put(join(project(), '.claude', 'agents', 'a.md'), 'x');
    await runUninstall();
    expect(readdirSync(join(project(), '.claude'))).toEqual(['agents']);
  });

  test('makes and removes the whole of a user folder that was not there', async () => {
    const claudeConfigDir = join(root(), 'user', 'deep', 'er', '.claude');
    mkdirSync(join(root(), 'user'));
    await runInstall({ scope: 'user', claudeConfigDir });
    await runUninstall({ scope: 'user', claudeConfigDir });
    expect(readdirSync(join(root(), 'user'))).toEqual(['.untildone']);
  });

  test('takes out only ours from a file that was edited since', async () => {
    put(shared(), '{\n  "model": "opus",\n  "env": {}\n}\n');
    await runInstall();
    writeFileSync(shared(), readFileSync(shared(), 'utf8').replace('"opus"', '"sonnet"'));
    expect(await runUninstall()).toBe(0);
    expect(readFileSync(shared(), 'utf8')).toBe('{\n  "model": "sonnet",\n  "env": {}\n}\n');
    expect(output()).toContain("Removed untildone's hooks from");
  });

  test('keeps what was added since to a file that install made', async () => {
    await runInstall();
    writeFileSync(shared(), readFileSync(shared(), 'utf8').replace('{', '{\n  "model": "opus",'));
    await runUninstall();
    expect(JSON.parse(readFileSync(shared(), 'utf8'))).toEqual({ model: 'opus' });
  });

  test('restores the first original after any number of installs', async () => {
    put(shared(), ODD_BYTES);
    await runInstall();
    await runInstall({ judgeTimeout: 7200 });
    await runInstall({ judgeTimeout: 60 });
    await runUninstall();
    expect(readFileSync(shared())).toEqual(ODD_BYTES);
  });

  test('an edit between two installs survives the uninstall', async () => {
    await runInstall();
    writeFileSync(shared(), readFileSync(shared(), 'utf8').replace('{', '{\n  "model": "opus",'));
    await runInstall({ judgeTimeout: 7200 });
    await runUninstall();
    expect(JSON.parse(readFileSync(shared(), 'utf8'))).toEqual({ model: 'opus' });
  });

  test('without a record, or with a broken one, takes out only ours', async () => {
    put(shared(), '{\n  "model": "opus"\n}\n');
    for (const breakRecord of [
      (path: string) => rmSync(path),
      (path: string) => writeFileSync(path, '{"version":1,'),
    ]) {
      await runInstall();
      for (const name of readdirSync(join(home(), 'installs'))) breakRecord(join(home(), 'installs', name));
      expect(await runUninstall()).toBe(0);
      expect(readFileSync(shared(), 'utf8')).toBe('{\n  "model": "opus"\n}\n');
    }
  });

  test('a record of another file is not believed', async () => {
    put(shared(), '{\n  "model": "opus"\n}\n');
    await runInstall();
    const [name = ''] = readdirSync(join(home(), 'installs'));
    const path = join(home(), 'installs', name);
    const record = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...record, path: '/elsewhere', original: '{"evil":1}' }));
    await runUninstall();
    expect(readFileSync(shared(), 'utf8')).toBe('{\n  "model": "opus"\n}\n');
  });

  test('where nothing is installed, nothing happens', async () => {
    expect(await runUninstall()).toBe(0);
    expect(output()).toBe(`Nothing of untildone is installed in ${shared()}.`);
    put(shared(), ODD_BYTES);
    const before = snapshot(root());
    expect(await runUninstall()).toBe(0);
    expect(snapshot(root())).toEqual(before);
  });

  test('a dry run shows the diff and writes nothing at all', async () => {
    put(shared(), ODD_BYTES);
    await runInstall();
    const before = snapshot(root());
    expect(await runUninstall({ dryRun: true })).toBe(0);
    expect(snapshot(root())).toEqual(before);
    expect(output()).toContain('Dry run, nothing was written.');
    expect(printed.some((line) => line.startsWith('-') && line.includes('"Stop"'))).toBe(true);
  });

  test('one scope does not touch the other', async () => {
    await runInstall();
    await runInstall({ scope: 'local' });
    await runUninstall({ scope: 'local' });
    expect(readFileSync(shared(), 'utf8')).toBe(addHooks(undefined).text);
    expect(readdirSync(dirname(shared()))).toEqual(['settings.json']);
  });
});
