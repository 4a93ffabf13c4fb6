import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type FoundDependencies,
  type FoundStore,
  foundEnvironment,
  keepFound,
  layFound,
  refuseChangedPackages,
} from '../../../../src/engine/project/room/found.ts';
import { initRepository } from '../../../support/repository.ts';

let root: { path: string };
let project: string;
let store: FoundStore;

beforeEach(() => {
  root = { path: realpathSync(mkdtempSync(join(tmpdir(), 'untildone-found-'))) };
  project = join(root.path, 'project');
  store = { folder: join(root.path, 'home/found'), key: 'a key' };
  mkdirSync(project, { recursive: true });
  initRepository(project);
  write('.gitignore', 'node_modules/\n.venv/\nvendor/\nbuild/\n');
});
afterEach(() => rmSync(root.path, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(join(project, path, '..'), { recursive: true });
  writeFileSync(join(project, path), text);
}

const kept = (rule = ['*']) => keepFound(project, rule, { PATH: '/nowhere' }, store);

function laid(found: FoundDependencies): (path: string) => string {
  const room = join(root.path, 'room');
  layFound(found, room, store);
  return (path) => readFileSync(join(room, path), 'utf8');
}

test('ignored folders of dependencies are found wherever they lie; other ignored ones are not', () => {
  for (const path of [
    'node_modules/a/i.js',
    'packages/b/node_modules/c/i.js',
    'vendor/d.php',
    'build/out.js',
    'src/x.js',
  ])
    write(path, '1');
  expect(kept().folders).toEqual(['node_modules', 'packages/b/node_modules', 'vendor']);
  expect(kept(['/build']).folders).toEqual(['build']);
  expect(() => kept(['/dist'])).toThrow('nothing was found of /dist');
});

test('a room gets them as they were, whatever came later', () => {
  write('node_modules/a/i.js', 'as it was');
  const found = kept();
  write('node_modules/a/i.js', 'patched');
  write('node_modules/evil/i.js', 'new');
  const read = laid(found);
  expect(read('node_modules/a/i.js')).toBe('as it was');
  expect(() => read('node_modules/evil/i.js')).toThrow('ENOENT');
  expect(kept().name).not.toBe(found.name);
});

test('what a command in the room writes reaches neither the project nor the next room', () => {
  write('node_modules/a/i.js', 'as it was');
  const found = kept();
  laid(found);
  writeFileSync(join(root.path, 'room/node_modules/a/i.js'), 'written in the room');
  expect(readFileSync(join(project, 'node_modules/a/i.js'), 'utf8')).toBe('as it was');
  layFound(found, join(root.path, 'other'), store);
  expect(readFileSync(join(root.path, 'other/node_modules/a/i.js'), 'utf8')).toBe('as it was');
});

test('a clone that somebody changed is refused', () => {
  write('node_modules/a/i.js', 'as it was');
  const found = kept();
  writeFileSync(join(store.folder, found.name, 'files/node_modules/a/i.js'), 'patched');
  expect(() => laid(found)).toThrow('are lost or were changed');
});

test('an environment of Python leads to the room, not to the project', () => {
  write('pyproject.toml', '');
  write('.venv/pyvenv.cfg', `command = python3 -m venv ${project}/.venv\n`);
  write('.venv/bin/pytest', `#!${project}/.venv/bin/python\n`);
  write('.venv/lib/python3.11/site-packages/__editable__.p.pth', `${project}/src\n`);
  symlinkSync(join(project, '.venv/bin/pytest'), join(project, '.venv/bin/py.test'));
  const found = kept();
  expect(found.packages).toBeUndefined();
  const read = laid(found);
  const room = join(root.path, 'room');
  expect(read('.venv/bin/pytest')).toBe(`#!${room}/.venv/bin/python\n`);
  expect(read('.venv/lib/python3.11/site-packages/__editable__.p.pth')).toBe(`${room}/src\n`);
  expect(readlinkSync(join(room, '.venv/bin/py.test'))).toBe(join(room, '.venv/bin/pytest'));
});

test('packages of the interpreter outside have to be those of the start; what is compiled beside them may come', () => {
  const packages = join(root.path, 'site-packages');
  const bin = join(root.path, 'bin');
  mkdirSync(join(packages, 'tool'), { recursive: true });
  mkdirSync(bin);
  writeFileSync(join(packages, 'tool/__init__.py'), 'a = 1');
  writeFileSync(join(packages, 'p.pth'), `${project}/src\n`);
  writeFileSync(join(bin, 'python3'), `#!/bin/sh\necho '["${packages}"]'\n`, { mode: 0o755 });
  write('pyproject.toml', '');
  const found = keepFound(project, ['*'], { PATH: `${bin}:/usr/bin:/bin` }, store);
  expect(foundEnvironment(found, { dir: '/room', home: '/home' })).toMatchObject({
    PYTHONPATH: '/room/src',
    PYTHONPYCACHEPREFIX: '/home/.pycache',
  });
  mkdirSync(join(packages, 'tool/__pycache__'));
  writeFileSync(join(packages, 'tool/__pycache__/x.pyc'), '');
  expect(() => refuseChangedPackages(found, store)).not.toThrow();
  writeFileSync(join(packages, 'tool/__init__.py'), 'a = 2');
  expect(() => refuseChangedPackages(found, store)).toThrow('not those of the start: tool');
});
