import { expect, test } from 'vitest';
import { tasksOf } from '../../../../src/engine/project/facts/tasks.ts';

const tasks = (files: Record<string, string>) =>
  Object.fromEntries(tasksOf((path) => files[path]).map(({ call, lines }) => [call, lines]));

test.each<[string, Record<string, string>, Record<string, readonly string[] | undefined>]>([
  [
    'make: needed targets, recipes and variables',
    {
      Makefile: `PY = python3\nCHECKS := lint\n.PHONY: test\n\ntest: lint build/x | out\n\t@$(PY) -m pytest \\\n\t  tests \${args}\n\t-$(MAKE) docs\nlint:; ruff\nVAR := a:b\n`,
    },
    { 'make test': ['make lint', 'python3 -m pytest tests ', 'make docs'], 'make lint': [] },
  ],
  [
    'tox.ini: commands without what tox fills in',
    {
      'tox.ini':
        '[tox]\nenvlist = py\n[testenv]\ndeps = pytest\ncommands =\n    # a comment\n    {envpython} -m pytest --basetemp={envtmpdir} {posargs:tests}\n    -coverage report\n\n[testenv:lint]\ncommands = flake8 {toxinidir}/src\n',
    },
    { tox: ['python -m pytest tests', 'coverage report'], 'tox -e lint': ['flake8 src'] },
  ],
  [
    'tox in pyproject.toml',
    {
      'pyproject.toml':
        '[tool.tox.env_run_base]\ncommands = [[\n  "pytest", "--basetemp={env_tmp_dir}",\n  {replace = "posargs", default = []},\n]]\n[tool.tox.env.types]\ncommands = [["mypy"], ["pyright", "a b"]]\n',
    },
    { tox: ['pytest'], 'tox -e types': ['mypy', "pyright 'a b'"] },
  ],
  [
    'nox: what a session runs',
    {
      'noxfile.py':
        'import nox\n\n@nox.session\ndef tests(session):\n    session.install("-e", ".")\n    session.run("pytest", "-q", env={"A": "b"})\n\ndef helper():\n    pass\n',
    },
    { 'nox -s tests': ['pytest -q'] },
  ],
  [
    'just: recipes that need no words',
    {
      justfile:
        'set shell := ["bash"]\ntest: build\n    cargo test\nbuild:\n    @cargo build\none name:\n    cargo test {{name}}\n',
    },
    { 'just test': ['just build', 'cargo test'], 'just build': ['cargo build'] },
  ],
  [
    'Taskfile',
    {
      'Taskfile.yml':
        'version: "3"\ntasks:\n  test: { deps: [gen], cmds: [go test ./..., { task: lint }] }\n  lint: golangci-lint run\n',
    },
    { 'task test': ['task gen', 'go test ./...', 'task lint'], 'task lint': ['golangci-lint run'] },
  ],
  [
    'composer',
    { 'composer.json': '{"scripts": {"test": ["@lint", "@php vendor/bin/phpunit"], "lint": "phpcs"}}' },
    { 'composer test': ['composer lint', 'php vendor/bin/phpunit'], 'composer lint': ['phpcs'] },
  ],
  [
    'names for commands in pyproject.toml',
    {
      'pyproject.toml':
        '[tool.poe.tasks]\ntest = "pytest"\nlint = { cmd = "ruff check ." }\n[tool.hatch.envs.default.scripts]\nall = ["pytest", "mypy {args}"]\n',
    },
    { 'poe test': ['pytest'], 'poe lint': ['ruff check .'], 'hatch run all': ['pytest', 'mypy'] },
  ],
  [
    'rake: what its makers name',
    { Rakefile: 'Rake::TestTask.new do |t|\nend\ntask :docs\n' },
    { 'rake test': undefined, 'rake docs': undefined },
  ],
  [
    'files of any other shape',
    {
      'Taskfile.yml': '[',
      'composer.json': '[]',
      'tox.ini': '\0',
      'pyproject.toml': '[tool.poe.tasks]\nx = ',
    },
    { 'poe x': [] },
  ],
])('%s', (_, files, expected) => {
  expect(tasks(files)).toEqual(expected);
});
