import { describe, expect, test } from 'vitest';
import { findWeakenings } from '../../src/gates/tests_intact/index.ts';

type Row = [path: string, what: string, before: string | undefined, after: string | undefined, ids: string[]];

function idsOf(path: string, before: string | undefined, after: string | undefined): string[] {
  const file = {
    ...(before === undefined ? {} : { from: path, before }),
    ...(after === undefined ? {} : { to: path, after }),
  };
  return findWeakenings([file]).map(({ id }) => id.replace(path, '*'));
}

const JEST = `module.exports = {
  coverageThreshold: { global: { lines: 80, branches: 70 }, './src/core/': { lines: 95 } },
  testPathIgnorePatterns: ['/node_modules/'],
};
`;
const WORKFLOW = `on: push
jobs:
  test:
    steps:
      - run: npm ci
      - run: npm test
      - run: npm run lint
  go:
    steps:
      - run: go test ./...
`;
const PYPROJECT = `[tool.pytest.ini_options]
addopts = "--strict-markers --cov-fail-under=90"
xfail_strict = true

[tool.coverage.report]
fail_under = 85

[tool.mypy]
strict = true
`;
const TSCONFIG = `{
  // comment
  "compilerOptions": { "strict": true, "noUnusedLocals": true },
  "exclude": ["node_modules"]
}
`;
const PACKAGE = JSON.stringify(
  {
    scripts: { test: 'tsc -p . && vitest run', lint: 'eslint .', build: 'tsc', prepare: 'husky' },
    nyc: { lines: 80 },
  },
  null,
  2,
);

describe('coverage', () => {
  test.each<Row>([
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
  ])('%s: %s', (path, _what, before, after, ids) => {
    expect(idsOf(path, before, after)).toEqual(ids);
  });

  test('a threshold that moved to another file is kept', () => {
    const files = [
      {
        from: 'package.json',
        to: 'package.json',
        before: '{"jest": {"coverageThreshold": {"global": {"lines": 80}}}}',
        after: '{}',
      },
      { to: 'jest.config.js', after: 'module.exports = { coverageThreshold: { global: { lines: 80 } } };' },
    ];
    expect(findWeakenings(files)).toEqual([]);
  });
});

describe('runners', () => {
  test.each<Row>([
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
      ['skip:*:collect_ignore', 'config:*:test_a.py'],
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
  ])('%s: %s', (path, _what, before, after, ids) => {
    expect(idsOf(path, before, after)).toEqual(ids);
  });
});

describe('continuous integration', () => {
  const path = '.github/workflows/ci.yml';
  test.each<Row>([
    [path, 'a step removed', WORKFLOW, WORKFLOW.replace('      - run: npm test\n', ''), ['ci:*:tests']],
    [
      path,
      'a step in a comment',
      WORKFLOW,
      WORKFLOW.replace('- run: npm test', '# - run: npm test'),
      ['ci:*:tests'],
    ],
    [path, 'lint removed', WORKFLOW, WORKFLOW.replace('      - run: npm run lint\n', ''), ['ci:*:lint']],
    [
      path,
      'continue-on-error',
      WORKFLOW,
      WORKFLOW.replace('npm test', 'npm test\n        continue-on-error: true'),
      ['ci:*:continue-on-error: true'],
    ],
    [path, '|| true', WORKFLOW, WORKFLOW.replace('npm test', 'npm test || true'), ['ci:*:|| true']],
    [
      path,
      'a second || true',
      WORKFLOW.replace('npm test', 'npm test || true'),
      WORKFLOW.replace('npm test', 'npm test || true').replace('./...', './... || true'),
      ['ci:*:|| true+'],
    ],
    [
      path,
      'a job that never runs',
      WORKFLOW,
      WORKFLOW.replace('  go:\n', '  go:\n    if: false\n'),
      ['ci:*:if: false'],
    ],
    [path, 'deleted', WORKFLOW, undefined, ['ci:*:tests', 'ci:*:lint']],
    [
      path,
      'another way to run the tests',
      WORKFLOW,
      WORKFLOW.replace('npm test', 'npx vitest run --coverage'),
      [],
    ],
    [
      path,
      'a step added',
      WORKFLOW,
      `${WORKFLOW}      - run: cargo test\n      - run: docker rm x || true\n`,
      [],
    ],
    [path, 'a new workflow', undefined, `${WORKFLOW}        continue-on-error: true\n`, []],
    [
      '.gitlab-ci.yml',
      'allow_failure',
      'test:\n  script: pytest\n',
      'test:\n  script: pytest\n  allow_failure: true\n',
      ['ci:*:allow_failure: true'],
    ],
  ])('%s: %s', (file, _what, before, after, ids) => {
    expect(idsOf(file, before, after)).toEqual(ids);
  });

  test('steps that moved to another workflow are kept', () => {
    const files = [
      { from: path, to: path, before: WORKFLOW, after: WORKFLOW.replace('      - run: npm test\n', '') },
      { to: '.github/workflows/test.yml', after: 'jobs:\n  t:\n    steps:\n      - run: npm test\n' },
    ];
    expect(findWeakenings(files)).toEqual([]);
  });
});

describe('compilers and linters', () => {
  test.each<Row>([
    [
      'tsconfig.json',
      'strict removed',
      TSCONFIG,
      TSCONFIG.replace('"strict": true, ', ''),
      ['strict:*:strict'],
    ],
    [
      'tsconfig.json',
      'strict off',
      TSCONFIG,
      TSCONFIG.replace('"strict": true', '"strict": false'),
      ['strict:*:strict', 'strict:*:strict'],
    ],
    [
      'tsconfig.json',
      'files left out',
      TSCONFIG,
      TSCONFIG.replace('["node_modules"]', '["node_modules", "src/broken.ts"]'),
      ['strict:*:src/broken.ts'],
    ],
    [
      'tsconfig.json',
      'stricter',
      TSCONFIG,
      TSCONFIG.replace('"strict": true', '"strict": true, "noImplicitReturns": true'),
      [],
    ],
    [
      'eslint.config.js',
      'a rule off',
      "export default [{ rules: { 'no-undef': 'error' } }];",
      "export default [{ rules: { 'no-undef': 'off' } }];",
      ['strict:*:no-undef'],
    ],
    [
      '.eslintrc.json',
      'a rule down to a warning',
      '{"rules": {"no-undef": 2}}',
      '{"rules": {"no-undef": 1}}',
      ['strict:*:no-undef'],
    ],
    [
      'biome.json',
      'a rule off',
      '{"linter": {"rules": {}}}',
      '{"linter": {"rules": {"style": {"noNonNullAssertion": "off"}}}}',
      ['strict:*:noNonNullAssertion'],
    ],
    [
      'pyproject.toml',
      'mypy',
      PYPROJECT,
      PYPROJECT.replace('[tool.mypy]\nstrict = true\n', '[tool.mypy]\n'),
      ['strict:*:strict'],
    ],
  ])('%s: %s', (path, _what, before, after, ids) => {
    expect(idsOf(path, before, after)).toEqual(ids);
  });
});

describe('scripts of package.json', () => {
  const edit = (from: string, to: string) => {
    expect(PACKAGE).toContain(from);
    return PACKAGE.replace(from, to);
  };
  test.each<[what: string, after: () => string, ids: string[]]>([
    ['nothing changed', () => PACKAGE, []],
    ['replaced by an echo', () => edit('tsc -p . && vitest run', 'echo ok'), ['script:*:test']],
    ['|| true', () => edit('vitest run', 'vitest run || true'), ['script:*:test']],
    [
      '--passWithNoTests',
      () => edit('vitest run', 'vitest run --passWithNoTests'),
      ['config:*:--passWithNoTests', 'script:*:test'],
    ],
    ['snapshots rewritten', () => edit('vitest run', 'vitest run -u'), ['script:*:test']],
    ['tests left out', () => edit('vitest run', 'vitest run --exclude test/a.test.ts'), ['script:*:test']],
    ['without the types', () => edit('tsc -p . && ', ''), ['script:*:test']],
    ['removed', () => edit('"lint": "eslint .",', ''), ['script:*:lint']],
    ['another runner', () => edit('vitest run', 'jest'), []],
    ['handed to another script', () => edit('tsc -p . && vitest run', 'npm run check && npm run unit'), []],
    ['a script that tests nothing', () => edit('husky', 'husky || true'), []],
  ])('%s', (_what, after, ids) => {
    expect(idsOf('package.json', PACKAGE, after())).toEqual(ids);
  });
});

describe('snapshots', () => {
  const snapshots = (values: Record<string, string>) =>
    Object.entries(values)
      .map(([name, value]) => `exports[\`${name} 1\`] = \`${value}\`;\n`)
      .join('\n');
  const path = 'test/__snapshots__/a.test.ts.snap';
  const before = snapshots({ a: '1', b: '2', c: '3', d: '4' });

  test.each<[what: string, after: string | undefined, ids: string[]]>([
    ['rewritten wholesale', snapshots({ a: 'x', b: 'x', c: 'x', d: '4' }), ['snapshot:*']],
    ['a few changed', snapshots({ a: 'x', b: 'x', c: '3', d: '4' }), []],
    ['more of them', snapshots({ a: '1', b: '2', c: '3', d: '4', e: '5' }), []],
    ['deleted', undefined, ['snapshot:*']],
  ])('%s', (_what, after, ids) => {
    expect(idsOf(path, before, after)).toEqual(ids);
  });

  test('that are one file each count by folder', () => {
    const files = Array.from({ length: 5 }, (_, i) => ({
      from: `src/snapshots/s${i}.snap`,
      to: `src/snapshots/s${i}.snap`,
      before: 'one',
      after: 'two',
    }));
    expect(findWeakenings(files).map(({ id }) => id)).toEqual(['snapshot:src/snapshots/']);
    expect(findWeakenings(files.slice(0, 4))).toEqual([]);
  });
});
