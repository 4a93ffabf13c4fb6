import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { proposeContract } from '../../../../src/engine/core/contract/propose.ts';
import { packageFolders } from '../../../../src/engine/project/facts/package-folders.ts';
import { projectFacts } from '../../../../src/engine/project/facts/project-facts.ts';
import { temporaryFolder } from '../../../support/files/workers.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function write(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const FILES = {
  'backend/pyproject.toml': '[tool.pytest.ini_options]\n',
  'web/package.json': '{"scripts":{"test":"vitest run"}}',
  'web/pnpm-lock.yaml': '',
  'services/api/go.mod': 'module api\n',
  'web/node_modules/x/package.json': '{}',
  'vendor/y/go.mod': '',
  'examples/one/package.json': '{}',
  'a/b/c/d/package.json': '{}',
};

describe.each(['with git', 'without git'])('%s', (how) => {
  beforeEach(() => {
    write(FILES);
    if (how === 'with git') execFileSync('git', ['init', '-q'], { cwd: folder });
  });

  test('folders with a manifest are found, those of others are not', () => {
    const { packages, leftOut } = packageFolders(folder);
    expect(packages).toEqual(['backend', 'web', 'services/api']);
    expect(leftOut[0]).toEqual({
      folder: 'examples/one',
      why: 'it looks like examples, test data or documents',
    });
  });

  test('the contract that is proposed names them', () => {
    const text = proposeContract(projectFacts(folder));
    expect(text).toContain('# Found in folders: backend, web, services/api');
    expect(text).toMatch(/tests-backend: +\{ run: python3 -m pytest, cwd: backend, timeout: 10m \}/);
    expect(text).toMatch(/tests-web: +\{ run: pnpm test, cwd: web, timeout: 10m \}/);
    expect(text).toMatch(/tests-services-api: +\{ run: go test/);
    expect(text).toContain('#   examples/one: it looks like');
  });
});

test('what git ignores or what is gone is not found, what is new is', () => {
  write({ ...FILES, '.gitignore': 'web/\n' });
  execFileSync('git', ['init', '-q'], { cwd: folder });
  execFileSync('git', ['add', 'backend'], { cwd: folder });
  rmSync(join(folder, 'backend'), { recursive: true });
  const { packages, leftOut } = packageFolders(folder);
  expect(packages).toEqual(['services/api']);
  expect(leftOut.map((one) => one.why)).toContain('it lies more than 3 folders deep');
});

test('members of a workspace use the lock file of its root', () => {
  write({
    'package.json': '{"scripts":{"lint":"eslint ."}}',
    'pnpm-workspace.yaml': 'packages:\n  - "packages/*" # all\n',
    'pnpm-lock.yaml': '',
    'packages/a/package.json': '{"scripts":{"test":"vitest run","lint":"eslint ."}}',
  });
  const text = proposeContract(projectFacts(folder));
  expect(text).toMatch(/tests-packages-a: +\{ run: pnpm test, cwd: packages\/a/);
  expect(text).not.toContain('lint-packages-a');
});
