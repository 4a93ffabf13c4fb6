import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { profileFor } from '../../../../src/engine/project/walls/sandbox-exec.ts';
import { secretsOf } from '../../../../src/engine/project/walls/secrets.ts';
import { layered } from '../../../../src/engine/project/walls/walls.ts';
import { wallsFor } from '../../../../src/engine/project/walls/walls-for.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-walls-for-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const UNTILDONE = '/home/u/.untildone';

function program(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

describe('walls of this machine', () => {
  const asked = (choice: 'required' | 'preferred' | 'off', path: string) =>
    wallsFor({ choice }, { env: { PATH: path, HOME: '/home/u' }, untildoneHome: UNTILDONE });

  test('are bubblewrap where it is, with what they hide', () => {
    const { walls, problem } = asked('required', process.env.PATH ?? '');
    expect(problem).toBeUndefined();
    expect(walls).toMatchObject({ walls: { name: 'bubblewrap' }, network: false });
    expect(walls?.hidden).toContain(UNTILDONE);
  });

  test('are none for a contract that asks for none', () => {
    expect(asked('off', process.env.PATH ?? '')).toEqual({});
    expect(wallsFor(undefined, { env: {}, untildoneHome: UNTILDONE })).toEqual({});
  });

  test.each(['required', 'preferred'] as const)(
    '%s: without bubblewrap the problem says what to install',
    (choice) => {
      const { walls, problem } = asked(choice, folder);
      expect(walls).toBeUndefined();
      expect(problem).toContain('apt-get install bubblewrap socat');
    },
  );

  test('a system that forbids them says so with its own words', () => {
    program('bwrap', '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n');
    expect(asked('required', folder).problem).toMatch(
      /does not let it start \(bwrap: No permissions to create new namespace\)/,
    );
  });

  test('a folder, a file that cannot be run, a relative folder and a broken link are no bubblewrap', () => {
    mkdirSync(join(folder, 'a/bwrap'), { recursive: true });
    mkdirSync(join(folder, 'b'));
    writeFileSync(join(folder, 'b/bwrap'), '');
    mkdirSync(join(folder, 'c'));
    symlinkSync('/nowhere', join(folder, 'c/bwrap'));
    const path = ['.', '', ...['a', 'b', 'c'].map((name) => join(folder, name))].join(':');
    expect(asked('required', path).problem).toContain('is not on this machine');
  });
});

describe('what is hidden', () => {
  test('is below the home of the environment and of the account', () => {
    const hidden = secretsOf({ HOME: '/home/u' }, UNTILDONE);
    for (const path of ['.ssh', '.claude', '.claude.json', '.aws', '.config/gcloud', '.config/gh'])
      expect(hidden).toContain(join('/home/u', path));
    expect(hidden.some((path) => path.endsWith('/.ssh') && !path.startsWith('/home/u/'))).toBe(true);
  });

  test('is what variables name', () => {
    const hidden = secretsOf(
      {
        HOME: '/home/u',
        CLAUDE_CONFIG_DIR: '/data/claude',
        KUBECONFIG: '/data/kube1:/data/kube2',
        XDG_CONFIG_HOME: '/data/config',
        GOOGLE_APPLICATION_CREDENTIALS: '/data/google.json',
      },
      UNTILDONE,
    );
    for (const path of ['claude', 'kube1', 'kube2', 'config/gh', 'google.json'])
      expect(hidden).toContain(join('/data', path));
  });

  test.each([
    ['no home', {}],
    ['an empty home', { HOME: '' }],
    ['a relative home', { HOME: 'home' }],
    ['the root as home', { HOME: '/' }],
    ['a home that is not there', { HOME: '/no/such/home' }],
    [
      'variables that name half the system',
      {
        HOME: '/home/u',
        CLAUDE_CONFIG_DIR: '/',
        AWS_CONFIG_FILE: '/usr',
        DOCKER_CONFIG: '/home/u',
        NETRC: '',
      },
    ],
  ])('%s: is never what commands need to run at all', (_, env) => {
    const hidden = secretsOf(env, UNTILDONE);
    for (const path of ['/', '/usr', '/usr/bin', '/etc', '/home/u', '', '.'])
      expect(hidden).not.toContain(path);
    expect(hidden).toContain(UNTILDONE);
    expect(hidden.every((path) => path.startsWith('/'))).toBe(true);
  });
});

test('of what lies inside each other, the inner one decides; at the same path, the folder to work in', () => {
  const order = layered({
    writable: ['/h/.claude/p', '/h/u/rooms/0', '/same'],
    readOnly: ['/h/.claude/p/.git/config'],
    hidden: ['/h/.claude', '/h/u', '/same', '/h/.claude/p/secret'],
  });
  const at = (path: string) => order.findIndex((each) => each.path === path);
  expect(at('/h/.claude')).toBeLessThan(at('/h/.claude/p'));
  expect(at('/h/.claude/p')).toBeLessThan(at('/h/.claude/p/secret'));
  expect(at('/h/u')).toBeLessThan(at('/h/u/rooms/0'));
  expect(order.find(({ path }) => path === '/same')?.as).toBe('writable');
});

describe('the profile for macOS', () => {
  const within = {
    cwd: '/r/project',
    writable: ['/r/project', '/r/"quoted\\'],
    readOnly: ['/r/project/.git/config'],
    hidden: ['/h/.ssh', '/r'],
  };

  test('forbids writing and the network, hides secrets, and opens the room last', () => {
    const lines = profileFor({ ...within, network: false }).split('\n');
    const at = (line: string) => {
      expect(lines).toContain(line);
      return lines.indexOf(line);
    };
    expect(lines[0]).toBe('(version 1)');
    expect(at('(deny file-write*)')).toBeLessThan(
      at('(allow file-read* file-write* (subpath "/r/project"))'),
    );
    expect(at('(deny file-read* file-write* (subpath "/r"))')).toBeLessThan(
      at('(allow file-read* file-write* (subpath "/r/project"))'),
    );
    expect(at('(allow file-read* file-write* (subpath "/r/project"))')).toBeLessThan(
      at('(deny file-write* (subpath "/r/project/.git/config"))'),
    );
    at('(deny file-read* file-write* (subpath "/h/.ssh"))');
    at('(deny network*)');
  });

  test('quotes paths, so that none of them can add a rule', () => {
    const profile = profileFor({ ...within, network: true });
    expect(profile).toContain('(subpath "/r/\\"quoted\\\\")');
    expect(profile).not.toContain('(deny network*)');
    for (const line of profile.split('\n'))
      expect((line.replace(/\\./g, '').match(/"/g) ?? []).length % 2, line).toBe(0);
  });
});
