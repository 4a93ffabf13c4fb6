import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSettings, replaceSettings, type Scope } from '../../src/adapters/settings-files.ts';
import { installHooks } from '../../src/app/install.ts';
import { type InstallOptions, install } from '../../src/commands/install.ts';
import { installationAt, settingsTexts } from '../../src/commands/settings-change.ts';
import { uninstall } from '../../src/commands/uninstall.ts';
import { addHooks } from '../../src/wire/claude-settings.ts';
import { HOOK_LINE } from '../../src/wire/hook-line.ts';

let root: string;
let printed: string[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'untildone-install-')));
  mkdirSync(join(root, 'project'));
  printed = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const project = () => join(root, 'project');
const home = () => join(root, 'user', '.untildone');
const shared = () => join(project(), '.claude', 'settings.json');

function options(more: Partial<InstallOptions> = {}): InstallOptions {
  return {
    scope: 'project',
    dryRun: false,
    project: project(),
    home: home(),
    claudeConfigDir: join(root, 'user', '.claude'),
    hookEntry: join(root, 'package', 'dist', 'hook.cjs'),
    nodePath: process.execPath,
    ...more,
  };
}

async function runInstall(more: Partial<InstallOptions> = {}): Promise<number> {
  printed = [];
  return install(options(more), (line) => printed.push(line));
}

async function runUninstall(more: Partial<InstallOptions> = {}): Promise<number> {
  printed = [];
  return uninstall(options(more), (line) => printed.push(line));
}

function put(path: string, bytes: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  chmodSync(path, mode);
}

/** Every path under the folder with its kind, mode and bytes. */
function snapshot(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    const content = stat.isFile()
      ? readFileSync(path, 'latin1')
      : stat.isSymbolicLink()
        ? readlinkSync(path)
        : '';
    found[name] = `${stat.mode.toString(8)} ${content}`;
  }
  return found;
}

const output = () => printed.join('\n');
const ODD_BYTES = Buffer.from(
  '\uFEFF{\r\n\t"model": "opus",\r\n\t"env" : { "KEY":"sk-secret" }\r\n}\r\n\r\n',
);

describe('install', () => {
  test('makes the settings, the home and the script, shows the diff and says what is next', async () => {
    expect(await runInstall()).toBe(0);
    expect(readFileSync(shared(), 'utf8')).toBe(addHooks(undefined).text);
    expect(readFileSync(join(home(), 'hook.sh'), 'utf8')).toContain(
      join(root, 'package', 'dist', 'hook.cjs'),
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
    expect(readFileSync(join(root, file), 'utf8')).toContain('hook.sh');
    expect(printed.at(-1)).toBe(`To undo this: ${undo}`);
    const settings = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /settings/.test(name),
    );
    expect(settings).toEqual([file]);
  });

  test('a line installed by it holds a session', async () => {
    const hookEntry = join(root, "it's here", 'hook.cjs');
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
    const before = snapshot(root);
    const { ino, mtimeMs } = statSync(shared());
    expect(await runInstall()).toBe(0);
    expect(snapshot(root)).toEqual(before);
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
    const before = snapshot(root);
    expect(await runInstall({ dryRun: true })).toBe(0);
    expect(snapshot(root)).toEqual(before);
    expect(output()).toContain(HOOK_LINE.slice(0, 20));
    expect(output()).toContain('Dry run, nothing was written.');
    expect(await runInstall({ dryRun: true, scope: 'local' })).toBe(0);
    expect(snapshot(root)).toEqual(before);
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
    const claudeConfigDir = join(root, 'user', 'deep', 'er', '.claude');
    mkdirSync(join(root, 'user'));
    await runInstall({ scope: 'user', claudeConfigDir });
    await runUninstall({ scope: 'user', claudeConfigDir });
    expect(readdirSync(join(root, 'user'))).toEqual(['.untildone']);
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
    const before = snapshot(root);
    expect(await runUninstall()).toBe(0);
    expect(snapshot(root)).toEqual(before);
  });

  test('a dry run shows the diff and writes nothing at all', async () => {
    put(shared(), ODD_BYTES);
    await runInstall();
    const before = snapshot(root);
    expect(await runUninstall({ dryRun: true })).toBe(0);
    expect(snapshot(root)).toEqual(before);
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

describe('links', () => {
  test('a linked settings file stays a link; its target is changed and restored', async () => {
    put(join(root, 'dotfiles', 'claude.json'), ODD_BYTES, 0o600);
    mkdirSync(join(project(), '.claude'));
    symlinkSync('../../dotfiles/claude.json', shared());
    await runInstall();
    expect(readlinkSync(shared())).toBe('../../dotfiles/claude.json');
    expect(readFileSync(join(root, 'dotfiles', 'claude.json'), 'utf8')).toContain('hook.sh');
    expect(output()).toContain(`${join(root, 'dotfiles', 'claude.json')} (which ${shared()} leads to)`);
    await runUninstall();
    expect(readlinkSync(shared())).toBe('../../dotfiles/claude.json');
    expect(readFileSync(join(root, 'dotfiles', 'claude.json'))).toEqual(ODD_BYTES);
    expect(readdirSync(join(root, 'dotfiles'))).toEqual(['claude.json']);
  });

  test('a link inside a linked folder is followed from where the folder really is', async () => {
    put(join(root, 'far', 'files', 'real.json'), '{}');
    mkdirSync(join(root, 'far', 'claude'));
    symlinkSync(join(root, 'far', 'claude'), join(project(), '.claude'));
    symlinkSync('../files/real.json', join(root, 'far', 'claude', 'settings.json'));
    expect(await runInstall()).toBe(0);
    expect(readFileSync(join(root, 'far', 'files', 'real.json'), 'utf8')).toContain('hook.sh');
  });

  test('a link to a file that is not there makes that file, and uninstall removes it', async () => {
    mkdirSync(join(root, 'dotfiles'));
    mkdirSync(join(project(), '.claude'));
    symlinkSync(join(root, 'dotfiles', 'new.json'), shared());
    expect(await runInstall()).toBe(0);
    expect(existsSync(join(root, 'dotfiles', 'new.json'))).toBe(true);
    await runUninstall();
    expect(readdirSync(join(root, 'dotfiles'))).toEqual([]);
    expect(lstatSync(shared()).isSymbolicLink()).toBe(true);
  });

  test.each([
    ['into a folder that is not there', '../../nowhere/x.json', 'whose folder does not exist'],
    ['to itself', 'settings.json', 'leads to itself'],
    ['to a folder', '..', 'not a regular file'],
  ])('a link %s is refused', async (_name, target, message) => {
    mkdirSync(join(project(), '.claude'));
    symlinkSync(target, shared());
    const before = snapshot(root);
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(message);
    expect(snapshot(root)).toEqual(before);
  });
});

test('a link to a pipe is refused, and the pipe stays one', async () => {
  const pipe = join(root, 'pipe');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  mkdirSync(join(project(), '.claude'));
  symlinkSync(pipe, shared());
  expect(await runInstall()).toBe(2);
  expect(output()).toContain(`${pipe}: not a regular file`);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  expect(() => replaceSettings({ path: pipe, text: undefined, missingFolder: undefined }, '{}')).toThrow(
    'not a regular file',
  );
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

describe('refusals write nothing, name the file and give exit code 2:', () => {
  test.each([
    ['comments', '{\n  // mine\n  "a": 1\n}', ':2:3: not JSON: a comment; remove it and run this again'],
    ['a trailing comma', '{"a": 1,}', ':1:9: not JSON: a comma with nothing after it; remove it'],
    ['wrong types', '{"hooks": {"Stop": "x"}}', ':1:20: hooks.Stop must be an array'],
    ['an array', '[]', ':1:1: the settings must be an object'],
  ])('%s', async (_name, text, message) => {
    put(shared(), text);
    const before = snapshot(root);
    expect(await runInstall()).toBe(2);
    expect(printed).toEqual([expect.stringContaining(`untildone: ${shared()}${message}`)]);
    expect(snapshot(root)).toEqual(before);
  });

  test('comments that were added since install', async () => {
    await runInstall();
    put(shared(), `// mine\n${readFileSync(shared(), 'utf8')}`);
    const before = snapshot(root);
    expect(await runUninstall()).toBe(2);
    expect(printed).toEqual([expect.stringContaining(`${shared()}:1:1: not JSON: a comment`)]);
    expect(snapshot(root)).toEqual(before);
  });

  test('bytes that are not UTF-8', async () => {
    put(shared(), Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await runInstall()).toBe(2);
    expect(output()).toBe(`untildone: ${shared()}: not UTF-8 text; save it as UTF-8 and run this again`);
  });

  test('a folder in place of the file', async () => {
    mkdirSync(shared(), { recursive: true });
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(`${shared()}: not a regular file`);
  });

  test('a pipe in place of the file, without waiting for its other end', async () => {
    mkdirSync(dirname(shared()));
    expect(spawnSync('mkfifo', [shared()]).status).toBe(0);
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(`${shared()}: not a regular file`);
  });

  test('a file in place of the folder', async () => {
    put(join(project(), '.claude'), 'x');
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(`${join(project(), '.claude')}: not a folder`);
  });

  test('a file that is write-protected', async () => {
    put(shared(), '{}', 0o444);
    expect(await runInstall()).toBe(2);
    expect(output()).toContain(`${shared()}: read-only`);
    expect(readFileSync(shared(), 'utf8')).toBe('{}');
  });

  test('a project that does not exist', async () => {
    expect(await runInstall({ project: join(root, 'nowhere') })).toBe(2);
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
    expect(existsSync(home())).toBe(false);
  });

  test('a home that cannot be made', async () => {
    put(join(root, 'user'), 'a file');
    expect(await runInstall()).toBe(2);
    expect(existsSync(shared())).toBe(false);
    expect(printed).toHaveLength(1);
  });
});

describe('meanwhile', () => {
  test('a file that another program changed after it was read is left to that program', () => {
    put(shared(), '{}');
    const file = readSettings(shared());
    writeFileSync(shared(), '{"theirs": 1}');
    expect(() => replaceSettings(file, '{"ours": 1}')).toThrow('changed by another program just now');
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
