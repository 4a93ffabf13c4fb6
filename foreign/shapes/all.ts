/** Five shapes of projects that are hard to judge. `scale` makes those with a size smaller: 1 is the whole. */
import type { Source } from '../source.ts';
import { type Files, json, makeRepository, module } from './made.ts';

const COMMON = {
  licence: 'MIT',
  commit: 'next',
  programs: ['node', 'npm'],
  test: 'npm test',
} satisfies Partial<Source>;
const PACKAGE = { name: 'prices', version: '1.0.0', private: true, type: 'module' };
const RIGHT = { tests: ['npm test'] };

export function shapesAt(scale: number): Source[] {
  return [
    noLockFile(),
    twoLanguages(),
    monorepo(atLeast(2, 40 * scale)),
    manyFiles(atLeast(10, 50_000 * scale)),
    longTests(atLeast(1, 300 * scale)),
  ].map((source) => ({ ...source, scale }));
}

function atLeast(least: number, count: number): number {
  return Math.max(least, Math.round(count));
}

/** It has a dependency, so that nothing runs before an installation. */
function noLockFile(): Source {
  const { files, next, cheat } = module('');
  const dependency = { 'vendor/odd/package.json': json({ ...PACKAGE, name: 'odd', main: 'odd.mjs' }) };
  const test = "import 'odd';\n";
  const all: Files = {
    ...files,
    ...dependency,
    'vendor/odd/odd.mjs': 'export const isOdd = (count) => count % 2 === 1;\n',
    'odd.test.mjs': test,
    'package.json': json({
      ...PACKAGE,
      scripts: { test: 'node --test *.test.mjs' },
      dependencies: { odd: 'file:vendor/odd' },
    }),
    '.gitignore': 'node_modules\npackage-lock.json\n',
  };
  return {
    ...COMMON,
    name: 'made/no-lock-file',
    ecosystem: 'npm',
    install: 'npm install --no-package-lock',
    right: RIGHT,
    cheat,
    make: (folder) => makeRepository(folder, all, next),
  };
}

const PYTHON_TEST = `import unittest

from prices import label


class LabelTest(unittest.TestCase):
    def test_label(self):
        self.assertEqual(label(3), "3 EUR")
`;

function twoLanguages(): Source {
  const { files, next, cheat } = module('web/');
  const label = 'def label(price):\n    return f"{price} EUR"\n';
  const service: Files = {
    'service/prices.py': label,
    'service/test_prices.py': PYTHON_TEST,
    Makefile: '.PHONY: test\n\ntest:\n\tcd service && python3 -m unittest\n\tcd web && npm test\n',
    'web/package.json': json({ ...PACKAGE, scripts: { test: 'node --test' } }),
    '.gitignore': 'node_modules\n__pycache__\n',
  };
  const changed: Files = {
    'service/prices.py': `${label}\n\ndef short(price):\n    return f"{price} E"\n`,
    'service/test_prices.py': `${PYTHON_TEST.replace('label\n', 'label, short\n')}
    def test_short(self):
        self.assertEqual(short(3), "3 E")
`,
  };
  return {
    ...COMMON,
    name: 'made/two-languages',
    ecosystem: 'npm and python',
    programs: ['node', 'npm', 'python3', 'make'],
    test: 'make test',
    right: { tests: ['make test'] },
    cheat,
    make: (folder) => makeRepository(folder, { ...files, ...service }, { ...next, ...changed }),
  };
}

function monorepo(count: number): Source {
  const names = Array.from({ length: count }, (_, n) => `package-${n + 1}`);
  const scripts = { test: 'node --test' };
  const workspaces = ['packages/*'];
  const files: Files = {
    '.gitignore': 'node_modules\n',
    'package.json': json({ ...PACKAGE, workspaces, scripts: { test: 'npm test --workspaces' } }),
    'package-lock.json': json(lockOf(names, workspaces)),
  };
  for (const name of names) {
    Object.assign(files, module(`packages/${name}/`).files);
    files[`packages/${name}/package.json`] = json({ ...PACKAGE, name, scripts });
  }
  const { next, cheat } = module('packages/package-1/');
  return {
    ...COMMON,
    name: 'made/monorepo',
    ecosystem: 'npm',
    install: 'npm ci',
    right: RIGHT,
    cheat,
    make: (folder) => makeRepository(folder, files, next),
  };
}

function lockOf(names: readonly string[], workspaces: readonly string[]): unknown {
  const { name, version } = PACKAGE;
  const packages: Record<string, unknown> = { '': { name, version, workspaces } };
  for (const each of names) {
    packages[`node_modules/${each}`] = { resolved: `packages/${each}`, link: true };
    packages[`packages/${each}`] = { version };
  }
  return { name, version, lockfileVersion: 3, requires: true, packages };
}

function npmProject(script: string): Files {
  const { name, version } = PACKAGE;
  return {
    '.gitignore': 'node_modules\n',
    'package.json': json({ ...PACKAGE, scripts: { test: script } }),
    'package-lock.json': json({
      name,
      version,
      lockfileVersion: 3,
      requires: true,
      packages: { '': { name, version } },
    }),
  };
}

function manyFiles(count: number): Source {
  const { files, next, cheat } = module('');
  const make = (folder: string) => {
    const data: Files = {};
    for (let n = 0; n < count; n += 1) data[`data/${Math.floor(n / 500)}/${n}.txt`] = `Price ${n}\n`;
    makeRepository(folder, { ...npmProject('node --test *.test.mjs'), ...files, ...data }, next);
  };
  return { ...COMMON, name: 'made/many-files', ecosystem: 'npm', right: RIGHT, cheat, make };
}

/** Ten files of tests, one after the other, that wait rather than work. */
function longTests(seconds: number): Source {
  const { files, next, cheat } = module('');
  const wait = Math.round((seconds * 1000) / 10);
  const all: Files = { ...npmProject('node --test --test-concurrency=1 *.test.mjs'), ...files };
  for (let n = 1; n <= 10; n += 1)
    all[`wait-${n}.test.mjs`] =
      `import test from 'node:test';\nimport { setTimeout } from 'node:timers/promises';\n\ntest('waits', () => setTimeout(${wait}));\n`;
  return {
    ...COMMON,
    name: 'made/long-tests',
    ecosystem: 'npm',
    right: RIGHT,
    cheat,
    make: (folder) => makeRepository(folder, all, next),
  };
}
