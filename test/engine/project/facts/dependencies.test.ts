import { expect, test } from 'vitest';
import type { Machine, PackageManager } from '../../../../src/engine/core/contract/project-facts.ts';
import { dependenciesOf } from '../../../../src/engine/project/facts/dependencies.ts';

function found(files: Record<string, string>, manager: PackageManager = 'npm', above: string[] = []) {
  const has = (path: string) => path in files;
  const all = dependenciesOf(
    (path) => files[path],
    has,
    (path) => has(path) || above.includes(path),
    manager,
  );
  return Object.fromEntries(Object.entries(all ?? {}).map(([language, { run }]) => [language, run]));
}

const DEPENDS = JSON.stringify({ devDependencies: { left: '1' } });

test.each<[string, Record<string, string>, PackageManager, Record<string, string | undefined>]>([
  ['nothing', {}, 'npm', {}],
  ['no dependencies', { 'package.json': '{}', 'package-lock.json': '{}' }, 'npm', {}],
  ['a broken manifest', { 'package.json': '{' }, 'npm', {}],
  ['npm', { 'package.json': DEPENDS, 'package-lock.json': '{}' }, 'npm', { node: 'npm ci' }],
  [
    'pnpm',
    { 'package.json': DEPENDS, 'pnpm-lock.yaml': '' },
    'pnpm',
    { node: 'pnpm install --frozen-lockfile' },
  ],
  ['yarn', { 'package.json': DEPENDS, 'yarn.lock': '' }, 'yarn', { node: 'yarn install --frozen-lockfile' }],
  ['bun', { 'package.json': DEPENDS, 'bun.lock': '' }, 'bun', { node: 'bun install --frozen-lockfile' }],
  ['no lock file', { 'package.json': DEPENDS }, 'npm', { node: undefined }],
  ['settings are no lock file', { 'package.json': DEPENDS, '.npmrc': '' }, 'npm', { node: undefined }],
  ['uv', { 'pyproject.toml': '', 'uv.lock': '' }, 'npm', { python: 'uv sync --frozen' }],
  ['poetry', { 'pyproject.toml': '', 'poetry.lock': '' }, 'npm', { python: 'poetry install' }],
  ['python alone', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'npm', {}],
  ['no packages of python', { 'pyproject.toml': '[project]\ndependencies = []\n' }, 'npm', {}],
  [
    'unlocked packages of python',
    { 'pyproject.toml': 'dependencies = ["x"]\n' },
    'npm',
    { python: undefined },
  ],
  ['the same over lines', { 'pyproject.toml': 'dependencies = [\n "x"\n]\n' }, 'npm', { python: undefined }],
  ['only comments', { 'requirements.txt': '# nothing\n' }, 'npm', {}],
  ['go', { 'go.mod': 'module m\n\nrequire x v1\n', 'go.sum': '' }, 'npm', { go: 'go mod download' }],
  ['go alone', { 'go.mod': 'module m\n' }, 'npm', {}],
  ['go with its packages beside it', { 'go.mod': 'require x v1\n', 'vendor/modules.txt': '' }, 'npm', {}],
  ['rust alone', { 'Cargo.toml': '[package]\nname = "a"\n[dependencies]\n' }, 'npm', {}],
  ['rust without a lock', { 'Cargo.toml': '[dependencies]\nserde = "1"\n' }, 'npm', { rust: 'cargo fetch' }],
  [
    'a workspace of rust',
    { 'Cargo.toml': '[workspace]\n', 'Cargo.lock': '' },
    'npm',
    { rust: 'cargo fetch --locked' },
  ],
  ['maven', { 'pom.xml': '', mvnw: '' }, 'npm', { java: './mvnw -q -B dependency:go-offline' }],
  ['gradle', { 'build.gradle.kts': '' }, 'npm', { java: 'gradle --no-daemon -q dependencies' }],
])('%s', (_, files, manager, expected) => {
  expect(found(files, manager)).toEqual(expected);
});

test('requirements are installed into an environment of their own, whose interpreter is named', () => {
  const files = { 'requirements.txt': 'flask==3\n', 'requirements-dev.txt': 'pytest\n' };
  const all = dependenciesOf(
    (path) => files[path as keyof typeof files],
    (path) => path in files,
    () => false,
    'npm',
  );
  expect(all?.python).toEqual({
    run: 'python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt -r requirements-dev.txt',
    inputs: ['requirements.txt', 'requirements-dev.txt'],
    python: '.venv/bin/python',
  });
});

test('packages of a workspace are inputs, and a lock file above a folder serves it', () => {
  const text = JSON.stringify({ workspaces: ['packages/*', './apps/web/'] });
  const files: Record<string, string> = { 'package.json': text, 'package-lock.json': '{}' };
  const all = dependenciesOf(
    (path) => files[path],
    (path) => path in files,
    () => false,
    'npm',
  );
  expect(all?.node?.inputs).toEqual([
    'package.json',
    'package-lock.json',
    'packages/*/package.json',
    'apps/web/package.json',
  ]);
  expect(found({ 'pyproject.toml': 'dependencies = ["x"]' }, 'npm', ['uv.lock'])).toEqual({});
});

test('what lies there is taken where nothing names the versions, and where a manager is missing', () => {
  const there = (files: Record<string, string>, machine: Partial<Machine>) => {
    const has = (path: string) => path in files;
    const all: Machine = {
      hasProgram: () => false,
      hasModule: () => true,
      hasPackage: () => false,
      ...machine,
    };
    return dependenciesOf((path) => files[path], has, has, 'npm', all)?.python;
  };
  const requirements = {
    'requirements.txt': 'flask\n',
    'requirements-dev.txt': '-e .\npytest\n',
    'setup.py': '',
  };
  const asItLies = there(requirements, { hasPackage: (name) => name === 'flask' });
  expect(asItLies).toMatchObject({ found: true });
  expect(asItLies?.run).toBeUndefined();
  expect(there(requirements, { environment: '.venv' })).toMatchObject({
    found: true,
    python: '.venv/bin/python',
  });
  // The project itself is named already, and what its build reads are inputs.
  expect(there(requirements, {})).toMatchObject({
    run: 'python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt -r requirements-dev.txt',
    inputs: expect.arrayContaining(['setup.py', '*/__init__.py']),
  });
  const locked = { 'pyproject.toml': '', 'uv.lock': '' };
  expect(there(locked, {})).toMatchObject({ found: true, hint: 'uv is not installed here: pipx install uv' });
  expect(there(locked, { hasProgram: () => true })).toMatchObject({ run: 'uv sync --frozen' });
});

test.each<[string, Record<string, string>, readonly string[], PackageManager, string]>([
  [
    'the release in the repository',
    { 'yarn.lock': '', '.yarnrc.yml': 'yarnPath: .yarn/releases/y.cjs\n', '.yarn/releases/y.cjs': '' },
    [],
    'yarn',
    'node .yarn/releases/y.cjs install --immutable',
  ],
  ['corepack', { 'yarn.lock': '' }, ['corepack'], 'yarn', 'corepack yarn install --frozen-lockfile'],
  [
    'corepack, and its name for scripts',
    { 'pnpm-lock.yaml': '' },
    ['corepack'],
    'pnpm',
    'corepack pnpm install --frozen-lockfile && corepack enable --install-directory node_modules/.bin pnpm',
  ],
  ['no lock file and nothing there', {}, [], 'npm', 'npm install --no-package-lock --no-audit --no-fund'],
])('a manager is called by %s', (_, files, programs, manager, run) => {
  const all: Record<string, string> = { 'package.json': DEPENDS, ...files };
  const has = (path: string) => path in all;
  const machine: Machine = { hasProgram: (name) => programs.includes(name) };
  expect(dependenciesOf((path) => all[path], has, has, manager, machine)?.node?.run).toBe(run);
});

test.each([
  ['tshy && bash scripts/build.sh', 'npm ci --ignore-scripts && npm rebuild', ['prepare']],
  ['husky', 'npm ci --ignore-scripts && npm rebuild', []],
  ['patch-package', 'npm ci', undefined],
  ['node scripts/x.js', 'npm ci', undefined],
])(
  'the script %s: what needs more than its own files does not run with the installation',
  (prepare, run, builds) => {
    const files: Record<string, string> = {
      'package.json': JSON.stringify({ devDependencies: { a: '1' }, scripts: { prepare } }),
      'package-lock.json': '{}',
      'scripts/x.js': '',
      'scripts/build.sh': '',
    };
    const has = (path: string) => path in files;
    expect(dependenciesOf((path) => files[path], has, has, 'npm')?.node).toMatchObject({
      run,
      ...(builds ? { builds } : {}),
    });
  },
);
