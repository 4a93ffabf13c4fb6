import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  home,
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

describe('refusals write nothing, name the file and give exit code 2:', () => {
  test.each([
    ['comments', '{\n  // mine\n  "a": 1\n}', ':2:3: not JSON: a comment; remove it and run this again'],
    ['a trailing comma', '{"a": 1,}', ':1:9: not JSON: a comma with nothing after it; remove it'],
    ['wrong types', '{"hooks": {"Stop": "x"}}', ':1:20: hooks.Stop must be an array'],
    ['an array', '[]', ':1:1: the settings must be an object'],
  ])('%s', async (_name, text, message) => {
    put(shared(), text);
    const before = snapshot(root());
    expect(await runInstall()).toBe(2);
    expect(printed).toEqual([expect.stringContaining(`untildone: ${shared()}${message}`)]);
    expect(snapshot(root())).toEqual(before);
  });

  test('comments that were added since install', async () => {
    await runInstall();
    put(shared(), `// mine\n${readFileSync(shared(), 'utf8')}`);
    const before = snapshot(root());
    expect(await runUninstall()).toBe(2);
    expect(printed).toEqual([expect.stringContaining(`${shared()}:1:1: not JSON: a comment`)]);
    expect(snapshot(root())).toEqual(before);
  });

  test('bytes that are not UTF-8', async () => {
    put(shared(), Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await runInstall()).toBe(2);
    expect(output()).toBe(`untildone: ${shared()} is not UTF-8 text; save it as UTF-8 and run this again`);
  });

  test('a folder in place of the file', async () => {
    mkdirSync(shared(), { recursive: true });
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(`${shared()} is not a regular file`);
  });

  test('a pipe in place of the file, without waiting for its other end', async () => {
    mkdirSync(dirname(shared()));
    expect(spawnSync('mkfifo', [shared()]).status).toBe(0);
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(`${shared()} is not a regular file`);
  });

  test('a file in place of the folder', async () => {
    put(join(project(), '.claude'), 'x');
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(`${join(project(), '.claude')} is not a folder`);
  });

  test('a file that is write-protected', async () => {
    put(shared(), '{}', 0o444);
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(`${shared()} is read-only`);
    expect(readFileSync(shared(), 'utf8')).toBe('{}');
  });

  test('a project that does not exist', async () => {
    expect(await runInstall({ project: join(root(), 'nowhere') })).toBe(2);
    expect(existsSync(join(root(), 'nowhere'))).toBe(false);
    expect(existsSync(home())).toBe(false);
  });

  test('a home that cannot be made', async () => {
    put(join(root(), 'user'), 'a file');
    expect(await runInstall()).toBe(2);
    expect(existsSync(shared())).toBe(false);
    expect(printed).toHaveLength(1);
  });
});
