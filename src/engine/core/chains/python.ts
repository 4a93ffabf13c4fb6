/** Python: pip, uv, poetry, and pytest, unittest, tox and nox. */
import { byVerb, type CallReader, only } from '../commands/by-words.ts';
import { kindByName } from '../commands/check-names.ts';
import { plainWords } from '../shell/options.ts';
import type { Checks, Mute, OtherOptions } from './chain.ts';

export const sources = /^py$/;

export const tests = [/(?:^|\/)conftest\.\w+$/, /\.ambr$/];

export const runnerSettings = [
  /(?:^|\/)\.(?:coveragerc|pytest\.ini)[^/]*$/,
  /(?:^|\/)(?:pytest|tox)\.ini$|(?:^|\/)noxfile\.py$|(?:^|\/)(?:site|user)customize\.py$|\.pth$/,
  // Modules of this name would be loaded in place of the runner.
  /(?:^|\/)(?:pytest|_pytest|unittest|pluggy|iniconfig|xdist)(?:\.py$|\/.*\.py$)/,
];

export const dependencyFiles = [
  /(?:^|\/)(?:pyproject\.toml|setup\.(?:cfg|py)|Pipfile(?:\.lock)?|(?:poetry|uv|pdm)\.lock|[\w.-]*requirements[\w.-]*\.(?:txt|in))$/,
];

export const inputs = [
  'pyproject.toml',
  'uv.lock',
  'poetry.lock',
  'Pipfile',
  'Pipfile.lock',
  'requirements*.txt',
  'requirements/**',
  'setup.py',
  'setup.cfg',
  '.python-version',
];

export const mutes: readonly Mute[] = [
  {
    name: 'noqa',
    group: 'lint',
    expression: /#[\s:]{0,20}(?:(?:ruff|flake8)\s{0,5}:\s{0,5})?noqa\b/i,
    languages: ['python'],
    narrow: /#[\s:]{0,20}noqa/i,
  },
  {
    name: 'pylint-disable',
    group: 'lint',
    expression: /#\s{0,20}pylint\s{0,5}:\s{0,5}(?:disable|skip-file)/,
    languages: ['python'],
    narrow: /disable-next/,
  },
  {
    name: 'nosec',
    group: 'lint',
    expression: /(?:#|\/\/)\s{0,20}#?nosec\b/,
    languages: ['python', 'go'],
    narrow: /nosec/,
  },
  {
    name: 'type-ignore',
    group: 'types',
    expression: /#\s{0,20}type\s{0,5}:\s{0,5}ignore\b/,
    languages: ['python'],
    narrow: /\S\s{0,200}#|ignore\[/,
  },
  {
    name: 'pyright-ignore',
    group: 'types',
    expression: /#\s{0,20}pyright\s{0,5}:\s{0,5}(?:ignore|basic|off)\b/,
    languages: ['python'],
    narrow: /ignore\[/,
  },
  {
    name: 'mypy-ignore',
    group: 'types',
    expression: /#\s{0,20}mypy\s{0,5}:\s{0,5}(?:ignore|disable|allow|no-)/,
    languages: ['python'],
  },
  {
    name: 'pytype-disable',
    group: 'types',
    expression: /#\s{0,20}(?:pytype\s{0,5}:\s{0,5}(?:disable|skip)|pyre-(?:ignore|fixme|unsafe))/,
    languages: ['python'],
  },
  {
    name: 'no-type-check',
    group: 'types',
    view: 'code',
    expression: /@(?:typing\.)?no_type_check\b/,
    languages: ['python'],
  },
  {
    name: 'no-cover',
    group: 'coverage',
    expression: /#\s{0,20}pragma\s{0,5}:?\s{0,5}no\s?(?:cover|branch)\b/i,
    languages: ['python'],
  },
];

export const settings = [
  'pytest.ini',
  '.pytest.ini',
  'pyproject.toml',
  'tox.ini',
  'setup.cfg',
  'conftest.py',
  'ruff.toml',
  '.ruff.toml',
  '.flake8',
  'mypy.ini',
  '.pylintrc',
  'pylintrc',
  '.coveragerc',
  '.python-version',
  'uv.toml',
];

export const homeSettings = [
  '.config/pip/pip.conf',
  '.pip/pip.conf',
  '.config/uv/uv.toml',
  '.netrc',
  '.config/pypoetry/config.toml',
];

export const leaves = [
  '.venv/',
  'venv/',
  '__pycache__/',
  '*.pyc',
  '.pytest_cache/',
  '.mypy_cache/',
  '.ruff_cache/',
  '.tox/',
  '.nox/',
];

const PYTHON: CallReader = (args) => {
  const at = args.indexOf('-m');
  const module = at < 0 ? undefined : args[at + 1];
  if (module === 'unittest') return 'tests';
  if (module === 'compileall' || module === 'py_compile') return 'build';
  if (module !== undefined) return { program: module, args: args.slice(at + 2) };
  const [file = '', verb] = plainWords(args);
  if (/(?:^|\/)(?:manage|setup)\.py$/.test(file)) return verb === 'test' ? 'tests' : undefined;
  return kindByName(file.slice(file.lastIndexOf('/') + 1));
};

export const installed = ['.venv', 'venv', 'env', '.env', '__pypackages__'];

export const checks: Checks = {
  'pytest py.test nosetests': 'tests',
  'tox nox': 'all',
  hatch: { test: 'tests' },
  'python python3 py pypy3': PYTHON,
  'mypy pyright basedpyright pyre pytype ty': 'types',
  ruff: (args) =>
    args[0] === 'format' ? only(args, 'format', '--check', '--diff') : byVerb(args, { check: 'lint' }),
  'flake8 pylint pyflakes bandit pycodestyle pydocstyle vulture': 'lint',
  'black isort autopep8 yapf': (args) => only(args, 'format', '--check', '--check-only', '--diff', '-c'),
  'pre-commit': { run: 'all' },
  coverage: { run: 'tests' },
};

export const otherOptions: OtherOptions = {
  'python python3': ['-m', '-e'],
  pytest: ['-o', '-e', '-f', '-t', '-g', '-R', '--name'],
};
