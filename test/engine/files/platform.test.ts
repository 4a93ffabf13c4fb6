import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  belowFolder,
  gitBash,
  type System,
  shellWords,
  slashed,
} from '../../../src/engine/files/platform.ts';

const system = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}, files: string[] = []): System => ({
  platform,
  env,
  isFile: (path) => files.includes(path),
});
const BASH = 'C:\\Program Files\\Git\\bin\\bash.exe';
const WINDOWS = { ProgramFiles: 'C:\\Program Files', ComSpec: 'C:\\Windows\\system32\\cmd.exe' };

describe('a line of a contract runs', () => {
  test.each(['linux', 'darwin', 'freebsd'] as const)('by /bin/sh on %s', (platform) => {
    expect(shellWords('npm test', false, system(platform))).toEqual({
      words: ['/bin/sh', '-c', 'npm test'],
      verbatim: false,
    });
    expect(shellWords('npm test', true, system(platform)).words).toEqual([
      ...['/bin/sh', '-c', 'exec /bin/sh -c "$0" 2>&1', 'npm test'],
    ]);
  });

  test('by the bash of Git on Windows', () => {
    const windows = system('win32', WINDOWS, [BASH]);
    expect(shellWords('npm test', false, windows)).toEqual({
      words: [BASH, '-c', 'npm test'],
      verbatim: false,
    });
    expect(shellWords('a', true, windows).words).toEqual([BASH, '-c', 'exec "$BASH" -c "$0" 2>&1', 'a']);
  });

  test('by cmd.exe on Windows without Git', () => {
    expect(shellWords('npm test', true, system('win32', WINDOWS))).toEqual({
      words: [WINDOWS.ComSpec, '/d', '/s', '/c', '"(npm test) 2>&1"'],
      verbatim: true,
    });
    expect(shellWords('npm test', false, system('win32')).words[0]).toBe('cmd.exe');
  });
});

describe('the bash of Git is found', () => {
  test.each([
    ['where Claude Code is told to look', { CLAUDE_CODE_GIT_BASH_PATH: 'D:\\bash.exe' }, 'D:\\bash.exe'],
    ['on PATH', { PATH: 'C:\\x;D:\\Git\\usr\\bin' }, 'D:\\Git\\usr\\bin\\bash.exe'],
    ['on Path, as Windows spells it', { Path: 'D:\\Git\\bin' }, 'D:\\Git\\bin\\bash.exe'],
    ['where its installer puts it', { ProgramFiles: 'C:\\Program Files' }, BASH],
    [
      'where it is put for one user',
      { LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local' },
      'C:\\Users\\me\\AppData\\Local\\Programs\\Git\\bin\\bash.exe',
    ],
  ])('%s', (_, env, path) => {
    expect(gitBash(system('win32', env, [path]))).toBe(path);
  });

  test('and never the one that starts Linux', () => {
    const path = 'C:\\Windows\\System32\\bash.exe';
    expect(
      gitBash(system('win32', { PATH: 'C:\\Windows\\System32;C:\\windows\\system32' }, [path])),
    ).toBeUndefined();
  });
});

describe('paths', () => {
  test('of Windows get slashes, and lie below another folder', () => {
    expect(slashed("C:\\Users\\o'neil\\my project")).toBe("C:/Users/o'neil/my project");
    expect(slashed('\\\\server\\share\\x')).toBe('//server/share/x');
    expect(belowFolder('C:\\Users\\me')).toBe('/C/Users/me');
    expect(belowFolder('d:/work')).toBe('/d/work');
  });

  test('of other systems stay as they are, also with a backslash in a name', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const path = `/${name}`;
        expect([slashed(path), belowFolder(path)]).toEqual([path, path]);
      }),
    );
  });
});
