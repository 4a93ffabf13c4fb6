import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { isSafeId } from '../../../src/engine/core/text/paths.ts';
import {
  createHome,
  type Home,
  homeAt,
  homeFrom,
  projectFolder,
  readKey,
} from '../../../src/engine/home/layout.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { makeFifo, runWorker, temporaryFolder } from '../../support/files/workers.ts';

let folder: string;
let home: Home;
beforeEach(() => {
  folder = temporaryFolder();
  home = homeAt(join(folder, 'home'));
});

describe('where it is', () => {
  test('UNTILDONE_HOME, else a folder in the home of the user', () => {
    expect(homeFrom({ UNTILDONE_HOME: folder, HOME: '/elsewhere' }).root).toBe(folder);
    expect(homeFrom({ HOME: '/elsewhere' }).root).toBe('/elsewhere/.untildone');
    expect(homeFrom({ UNTILDONE_HOME: '', HOME: '' }).root).toBe(join(homedir(), '.untildone'));
  });
  test('a relative UNTILDONE_HOME is made absolute', () => {
    expect(homeFrom({ UNTILDONE_HOME: 'here' }).root).toBe(join(process.cwd(), 'here'));
  });
});

describe('laying it out', () => {
  test('makes folders and a key that only the user can read', () => {
    createHome(home);
    for (const path of [home.root, home.active, home.sessions, home.projects]) {
      expect(statSync(path).mode & 0o777).toBe(0o700);
    }
    expect(statSync(home.keyFile).mode & 0o777).toBe(0o600);
    expect(readKey(home)).toMatch(/^[0-9a-f]{64}$/);
  });
  test('again keeps the key', () => {
    createHome(home);
    const key = readKey(home);
    createHome(home);
    expect(readKey(home)).toBe(key);
  });
  test('at the same time by many processes makes one key, the same for all', async () => {
    const keys = await Promise.all(
      Array.from({ length: 8 }, () => runWorker({ do: 'createHome', root: home.root })),
    );
    for (const { code, stderr } of keys) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(new Set(keys.map((k) => k.stdout))).toEqual(new Set([readKey(home)]));
  });
  test('with a pipe or a folder as key is refused, not waited for', async () => {
    mkdirSync(home.root);
    makeFifo(home.keyFile);
    const pipe = await runWorker({ do: 'createHome', root: home.root });
    expect(pipe).toMatchObject({ code: 1, stderr: expect.stringContaining('not a regular file') });
    mkdirSync(join(folder, 'other', 'key'), { recursive: true });
    const inPlace = await runWorker({ do: 'createHome', root: join(folder, 'other') });
    expect(inPlace).toMatchObject({ code: 1, stderr: expect.stringContaining('not a regular file') });
  });
});

describe('the key', () => {
  test('that is missing or empty is said by its path', () => {
    expect(() => readKey(home)).toThrow(home.keyFile);
    createHome(home);
    writeFileSync(home.keyFile, '\n');
    expect(() => readKey(home)).toThrow('missing or damaged');
    expect(readFileSync(home.keyFile, 'utf8')).toBe('\n');
  });
});

describe('ids from outside', () => {
  test.each(['a', 'A-b_9', '0e9f3c2a-7f7b-4a61-9a57-5a1f0f6a7b11', 'x'.repeat(128)])(
    '%s may be a file name',
    (id) => {
      expect(isSafeId(id)).toBe(true);
    },
  );
  test.each([
    '',
    '.',
    '..',
    'a/b',
    'a\\b',
    'a.json',
    'a b',
    'a\n',
    '\na',
    'ä',
    'a\0',
    'x'.repeat(129),
    '../../etc',
  ])('%j may not', (id) => {
    expect(isSafeId(id)).toBe(false);
  });
  test('no accepted id leaves its folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (id) => {
        if (isSafeId(id)) expect(join('/folder', id)).toBe(`/folder/${id}`);
      }),
    );
  });
});

describe("a project's folder", () => {
  test('is the same whichever link led to it, and another for another project', () => {
    const project = join(folder, 'project');
    mkdirSync(project);
    symlinkSync(project, join(folder, 'link'));
    expect(projectFolder(home, join(folder, 'link'))).toBe(projectFolder(home, project));
    expect(projectFolder(home, folder)).not.toBe(projectFolder(home, project));
  });
  test.each(['/', '/a b/ü', '/tmp/..', `/${'x'.repeat(300)}`, '/a\nb'])(
    'of %j is one plain name',
    (project) => {
      const name = projectFolder(home, project).slice(home.projects.length + 1);
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,53}$/);
    },
  );
});
