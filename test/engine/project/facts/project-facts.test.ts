import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { projectFacts } from '../../../../src/engine/project/facts/project-facts.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'untildone-facts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function facts(files: Record<string, string>) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return projectFacts(folder);
}

test('an empty folder, or none, has nothing', () => {
  const nothing = { rust: false, go: false, makeTargets: [], git: false, githubWorkflows: false };
  expect(facts({})).toEqual(nothing);
  expect(projectFacts(join(folder, 'missing'))).toEqual(nothing);
});

describe('package.json', () => {
  test('its scripts, as far as they are texts', () => {
    const text = JSON.stringify({ scripts: { test: 'vitest', lint: 5, build: null } });
    expect(facts({ 'package.json': text }).node).toEqual({
      manager: 'npm',
      scripts: { test: 'vitest' },
      typescript: false,
    });
  });

  test.each([
    ['pnpm-lock.yaml', 'pnpm'],
    ['yarn.lock', 'yarn'],
    ['bun.lock', 'bun'],
    ['bun.lockb', 'bun'],
    ['package-lock.json', 'npm'],
  ])('%s means %s', (lock, manager) => {
    expect(facts({ 'package.json': '{}', [lock]: '' }).node?.manager).toBe(manager);
  });

  test('the manager that it declares counts, unless only another one has a lock file', () => {
    const text = JSON.stringify({ packageManager: 'pnpm@9.1.0' });
    expect(facts({ 'package.json': text }).node?.manager).toBe('pnpm');
    expect(facts({ 'yarn.lock': '' }).node?.manager).toBe('yarn');
    expect(facts({ 'pnpm-lock.yaml': '' }).node?.manager).toBe('pnpm');
  });

  test('types can be checked when there is a tsconfig.json and a compiler', () => {
    const text = JSON.stringify({ devDependencies: { typescript: '6' } });
    expect(facts({ 'package.json': text }).node?.typescript).toBe(false);
    expect(facts({ 'tsconfig.json': '{}' }).node?.typescript).toBe(true);
  });

  test.each(['', 'not json', '[]', 'null', '{"scripts": []}', '\uFEFF{}'])('%j is survived', (text) => {
    expect(facts({ 'package.json': text }).node).toEqual({ manager: 'npm', scripts: {}, typescript: false });
  });

  test('a folder of that name is no file', () => {
    expect(facts({ 'package.json/x': '' }).node).toBeUndefined();
  });
});

describe('pyproject.toml', () => {
  test('names its tools', () => {
    const text =
      '[project]\ndependencies = []\n[dependency-groups]\ndev = ["pytest>=8", "ruff"]\n# mypy\n[tool.x]\nmypyx = 1\n';
    expect(facts({ 'pyproject.toml': text }).python).toEqual({
      runner: '',
      pytest: true,
      ruff: true,
      mypy: false,
      names: ['pytest', 'ruff'],
    });
  });

  test('a tool may have a table or a file of its own', () => {
    const seen = facts({ 'pyproject.toml': '[tool.mypy]\nstrict = true\n', 'pytest.ini': '', 'uv.lock': '' });
    expect(seen.python).toEqual({
      runner: 'uv run',
      pytest: true,
      ruff: false,
      mypy: true,
      names: ['mypy'],
    });
  });

  test('poetry runs what poetry has locked', () => {
    expect(facts({ 'pyproject.toml': '', 'poetry.lock': '' }).python?.runner).toBe('poetry run');
  });
});

test('Cargo.toml, go.mod, .git and workflows are seen', () => {
  const seen = facts({ 'Cargo.toml': '', 'go.mod': '', '.git': 'gitdir: x', '.github/workflows/ci.yml': '' });
  expect(seen).toMatchObject({ rust: true, go: true, git: true, githubWorkflows: true });
});

test('a folder of workflows without workflows is none', () => {
  expect(facts({ '.github/workflows/README.md': '' }).githubWorkflows).toBe(false);
});

test('targets of a Makefile, without variables, patterns and hidden ones', () => {
  const makefile = [
    'CC := gcc',
    'FLAGS = -O: 2',
    '.PHONY: test',
    'test lint: build',
    '\tnpm test: not a target',
    '%.o: %.c',
    'build::',
    'x.y-z : a',
    'test: b',
  ].join('\n');
  expect(facts({ Makefile: makefile }).makeTargets).toEqual(['test', 'lint', 'build', 'x.y-z']);
});

test('a plan counts when it has items to tick', () => {
  expect(facts({ 'PLAN.md': '# Plan\n\nwords\n' }).plan).toBeUndefined();
  expect(facts({ 'docs/PLAN.md': '- [x] one\n' }).plan).toBe('docs/PLAN.md');
  expect(facts({ 'PLAN.md': 'intro\n  * [ ] two\n' }).plan).toBe('PLAN.md');
});

test('a feature list is found in the usual places, the root first', () => {
  expect(facts({ '.claude/feature_list.json': '[]' }).featureList).toBe('.claude/feature_list.json');
  expect(facts({ 'feature_list.json': '[]' }).featureList).toBe('feature_list.json');
});
