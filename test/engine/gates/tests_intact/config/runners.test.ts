import { describe, expect, test } from 'vitest';
import { type ConfigRow, idsOf, PYPROJECT, weakeningsIn } from '../../../../support/gates/weakenings.ts';

const JEST = `module.exports = {
  coverageThreshold: { global: { lines: 80, branches: 70 }, './src/core/': { lines: 95 } },
  testPathIgnorePatterns: ['/node_modules/'],
};
`;

describe('coverage', () => {
  test.each<ConfigRow>([
    ['jest.config.js', 'lowered', JEST, JEST.replace('lines: 80', 'lines: 50'), ['coverage:*:lines']],
    [
      'jest.config.js',
      'a folder’s own threshold lowered',
      JEST,
      JEST.replace('95', '10'),
      ['coverage:*:lines#2'],
    ],
    ['jest.config.js', 'raised', JEST, JEST.replace('lines: 80', 'lines: 90'), []],
    [
      'jest.config.js',
      'removed',
      JEST,
      JEST.replace(/ {2}coverageThreshold.*\n/, ''),
      ['coverage:*:lines', 'coverage:*:branches', 'coverage:*:lines#2'],
    ],
    [
      'vitest.config.ts',
      'thresholds',
      'export default { test: { coverage: { thresholds: { lines: 80 } } } };',
      'export default { test: { coverage: { thresholds: { lines: 8 } } } };',
      ['coverage:*:lines'],
    ],
    [
      '.nycrc',
      'nyc',
      '{ "check-coverage": true, "lines": 80 }',
      '{ "check-coverage": true, "lines": 40 }',
      ['coverage:*:lines'],
    ],
    [
      'pyproject.toml',
      'pytest-cov',
      PYPROJECT,
      PYPROJECT.replace('=90', '=10'),
      ['coverage:*:cov-fail-under'],
    ],
    [
      'pyproject.toml',
      'coverage.py',
      PYPROJECT,
      PYPROJECT.replace('fail_under = 85\n', ''),
      ['coverage:*:fail_under'],
    ],
    ['pom.xml', 'JaCoCo', '<minimum>0.80</minimum>', '<minimum>0.20</minimum>', ['coverage:*:minimum']],
    [
      'codecov.yml',
      'Codecov',
      'coverage:\n  status:\n    project:\n      default:\n        target: 80%\n',
      'coverage:\n  status:\n    project:\n      default:\n        target: 20%\n',
      ['coverage:*:target'],
    ],
    [
      'jest.config.js',
      'the file deleted',
      JEST,
      undefined,
      ['coverage:*:lines', 'coverage:*:branches', 'coverage:*:lines#2'],
    ],
  ])('%s: %s', async (path, _what, before, after, ids) => {
    expect(await idsOf(path, before, after)).toEqual(ids);
  });

  test('a threshold that moved to another file is kept', async () => {
    const files = [
      {
        from: 'package.json',
        to: 'package.json',
        before: '{"jest": {"coverageThreshold": {"global": {"lines": 80}}}}',
        after: '{}',
      },
      { to: 'jest.config.js', after: 'module.exports = { coverageThreshold: { global: { lines: 80 } } };' },
    ];
    expect(await weakeningsIn(files)).toEqual([]);
  });
});

describe('runners', () => {
  test.each<ConfigRow>([
    [
      'jest.config.js',
      'an ignored test',
      JEST,
      JEST.replace("'/node_modules/'", "'/node_modules/', 'test/slow'"),
      ['config:*:test/slow'],
    ],
    [
      'vitest.config.ts',
      'an excluded test in a new file',
      undefined,
      "export default { test: { exclude: ['**/node_modules/**', 'test/broken.test.ts'] } };",
      ['config:*:test/broken.test.ts'],
    ],
    [
      'vitest.config.ts',
      'an ordinary new file',
      undefined,
      "export default { test: { include: ['test/**/*.test.ts'], exclude: ['dist/**'] } };",
      [],
    ],
    [
      'vitest.config.ts',
      'passWithNoTests',
      'export default { test: {} };',
      'export default { test: { passWithNoTests: true } };',
      ['config:*:passWithNoTests: true'],
    ],
    [
      'vitest.config.ts',
      'in a comment',
      'export default { test: {} };',
      '// passWithNoTests: true\nexport default { test: {} };',
      [],
    ],
    [
      'playwright.config.ts',
      'forbidOnly',
      'export default { forbidOnly: !!process.env.CI };',
      'export default {};',
      ['config:*:forbidOnly'],
    ],
    [
      'pytest.ini',
      'deselected',
      '[pytest]\naddopts = -q\n',
      '[pytest]\naddopts = -q --deselect tests/test_a.py::test_b --ignore=tests/slow\n',
      ['config:*:--deselect tests/test_a.py::test_b', 'config:*:--ignore=tests/slow'],
    ],
    [
      'pytest.ini',
      'by keyword',
      '[pytest]\naddopts = -q\n',
      '[pytest]\naddopts = -q -k "not slow"\n',
      ['config:*:-k "not slow'],
    ],
    [
      'pyproject.toml',
      'strictness',
      PYPROJECT,
      PYPROJECT.replace('xfail_strict = true\n', '').replace('--strict-markers ', ''),
      ['config:*:xfail_strict = true', 'config:*:--strict-markers'],
    ],
    [
      'tests/conftest.py',
      'collect_ignore',
      'import os\n',
      'import os\ncollect_ignore = ["test_a.py"]\n',
      ['config:*:test_a.py'],
    ],
    [
      'tox.ini',
      'an ignored outcome',
      '[testenv]\n',
      '[testenv]\nignore_outcome = true\n',
      ['config:*:ignore_outcome = true'],
    ],
    ['Cargo.toml', 'a library without tests', '[lib]\n', '[lib]\ntest = false\n', ['config:*:test = false']],
    [
      'pom.xml',
      'skipped',
      '<properties></properties>',
      '<properties><skipTests>true</skipTests></properties>',
      ['config:*:<skipTests>true'],
    ],
    [
      'build.gradle',
      'ignored failures',
      'test { }',
      'test { ignoreFailures = true }',
      ['config:*:ignoreFailures = true'],
    ],
    [
      'Makefile',
      'an ignored failure',
      'test:\n\tgo test -race ./...\n',
      'test:\n\tgo test ./... || true\n',
      ['config:*:|| true', 'config:*:go test -race'],
    ],
    [
      'Makefile',
      'a shorter run',
      'test:\n\tgo test ./...\n',
      'test:\n\tgo test -short ./...\n',
      ['config:*:-short'],
    ],
  ])('%s: %s', async (path, _what, before, after, ids) => {
    expect(await idsOf(path, before, after)).toEqual(ids);
  });
});
