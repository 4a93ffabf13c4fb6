import { describe, expect, test } from 'vitest';
import { idsOf, weakeningsIn } from '../../../../support/gates/weakenings.ts';

const vitest = (include: string, more = '') =>
  `export default { test: { ${include === '' ? '' : `include: [${include}],`}${more} } }`;

describe('which files are looked at', () => {
  test.each<[path: string, before: string | undefined, after: string, ids: string[]]>([
    ['vitest.config.ts', vitest("'test/**/*.test.ts'"), vitest("'test/ok.test.ts'"), ['config:*:include']],
    ['vitest.config.ts', vitest("'test/**/*.test.ts'"), vitest("'test/unit/**'"), ['config:*:include']],
    ['vitest.config.ts', vitest("'a/**', 'b/**'"), vitest("'a/**'"), ['config:*:include']],
    ['vitest.config.ts', vitest(''), vitest("'test/ok.test.ts'"), ['config:*:include']],
    ['vitest.config.ts', undefined, vitest("'test/ok.test.ts'"), ['config:*:include']],
    [
      'jest.config.js',
      "module.exports = { testMatch: ['**/*.test.js'] }",
      "module.exports = { testMatch: ['**/ok.test.js'] }",
      ['config:*:testMatch'],
    ],
    [
      'playwright.config.ts',
      "export default { testDir: 'tests' }",
      "export default { testDir: 'tests/ok' }",
      ['config:*:testDir'],
    ],
    [
      'pytest.ini',
      '[pytest]\ntestpaths = tests\n',
      '[pytest]\ntestpaths = tests/ok\n',
      ['config:*:testpaths'],
    ],
    [
      'pyproject.toml',
      '[tool.pytest.ini_options]\ntestpaths = ["tests", "more"]\n',
      '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
      ['config:*:testpaths'],
    ],
    [
      'pytest.ini',
      '[pytest]\npython_functions = test_*\n',
      '[pytest]\npython_functions = ok_*\n',
      ['config:*:python_functions'],
    ],
    ['tsconfig.json', '{"include":["src","test"]}', '{"include":["src/ok.ts"]}', ['config:*:include']],
  ])('%s: less', async (path, before, after, ids) => expect(await idsOf(path, before, after)).toEqual(ids));

  test.each<[path: string, before: string | undefined, after: string]>([
    ['vitest.config.ts', undefined, vitest("'src/**/*.test.ts', 'test/**/*.test.ts'")],
    ['vitest.config.ts', vitest("'src/**/*.test.ts'"), vitest("'src/**/*.test.{ts,tsx}'")],
    ['vitest.config.ts', vitest("'test/unit/**'"), vitest("'test/**'")],
    ['vitest.config.ts', vitest("'test/**'"), vitest("'src/**/*.test.ts'")],
    ['vitest.config.ts', vitest("'test/**'"), vitest('')],
    ['vitest.config.ts', vitest("'test/**'"), vitest("'test/**', 'more/one.test.ts'")],
    [
      'vitest.config.ts',
      vitest('', "coverage: { include: ['src/**'] }"),
      vitest('', "coverage: { include: ['src/core/**'] }"),
    ],
    [
      'vite.config.ts',
      "export default { optimizeDeps: { include: ['a', 'b'] } }",
      "export default { optimizeDeps: { include: ['a'] } }",
    ],
    [
      'pyproject.toml',
      '[project]\nname = "a"\n',
      '[project]\nname = "a"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    ],
    ['pytest.ini', '[pytest]\npython_files = test_*.py\n', '[pytest]\npython_files = test_*.py *_test.py\n'],
    ['tsconfig.json', '{"include":["src"]}', '{"include":["src","test"]}'],
    ['package.json', '{"files":["dist","src"]}', '{"files":["dist"]}'],
  ])('%s: as many', async (path, before, after) => expect(await idsOf(path, before, after)).toEqual([]));

  test('a pattern that moved to another file is still there', async () => {
    const found = await weakeningsIn([
      {
        from: 'vitest.config.ts',
        to: 'vitest.config.ts',
        before: vitest("'a/**', 'b/**'"),
        after: vitest("'a/**'"),
      },
      { to: 'vitest.workspace.ts', after: "export default [{ test: { include: ['b/**'] } }]" },
    ]);
    expect(found).toEqual([]);
  });
});

describe('what runners and linters are told', () => {
  test.each<[path: string, before: string | undefined, after: string]>([
    ['conftest.py', undefined, 'def pytest_runtest_makereport(item, call):\n    report.outcome = "passed"\n'],
    ['conftest.py', 'import pytest\n', 'def pytest_collection_modifyitems(items):\n    items[:] = []\n'],
    ['tests/conftest.py', undefined, 'def pytest_ignore_collect(path):\n    return True\n'],
    ['conftest.py', undefined, 'def pytest_sessionfinish(session):\n    session.exitstatus = 0\n'],
    ['conftest.py', undefined, 'import os, atexit\natexit.register(lambda: os._exit(0))\n'],
    ['pytest.ini', '[pytest]\n', '[pytest]\naddopts = -q -k adds\n'],
    ['pytest.ini', '[pytest]\n', '[pytest]\naddopts = --collect-only\n'],
    ['vitest.config.ts', vitest(''), vitest('', "testNamePattern: 'ok'")],
    ['Cargo.toml', '[package]\n', '[package]\nautotests = false\n'],
    ['Makefile', 'test:\n\tpytest\n', 'MAKEFLAGS += -i\ntest:\n\tpytest\n'],
    ['Makefile', 'test:\n\tpytest\n', 'test:\n\t-pytest\n'],
    [
      'eslint.config.js',
      'export default [{ rules: {} }]',
      "export default [{ ignores: ['src/**'] }, { rules: {} }]",
    ],
    ['biome.json', '{"linter":{"enabled":true}}', '{"linter":{"enabled":false}}'],
  ])('%s is looser', async (path, before, after) => expect(await idsOf(path, before, after)).toHaveLength(1));

  test.each<[path: string, before: string | undefined, after: string]>([
    [
      'conftest.py',
      undefined,
      '@pytest.fixture\ndef items():\n    return [1]\n\ndef pytest_configure(config):\n    pass\n',
    ],
    [
      'conftest.py',
      undefined,
      'def pytest_sessionfinish(session, exitstatus):\n    if exitstatus == 0:\n        clean()\n',
    ],
    [
      'eslint.config.js',
      'export default [{ rules: {} }]',
      "export default [{ ignores: ['dist/**', 'coverage'] }]",
    ],
    ['Makefile', 'clean:\n\trm -rf out\n', 'clean:\n\t-rm -rf out\n'],
  ])('%s is not', async (path, before, after) => expect(await idsOf(path, before, after)).toEqual([]));
});
