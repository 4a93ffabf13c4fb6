import { describe, expect, test } from 'vitest';
import { type ConfigRow, idsOf, PYPROJECT, weakeningsIn } from '../../../../support/gates/weakenings.ts';

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

describe('continuous integration', () => {
  const path = '.github/workflows/ci.yml';
  test.each<ConfigRow>([
    [path, 'a step removed', WORKFLOW, WORKFLOW.replace('      - run: npm test\n', ''), ['(ci:*:tests)']],
    [
      path,
      'a step in a comment',
      WORKFLOW,
      WORKFLOW.replace('- run: npm test', '# - run: npm test'),
      ['(ci:*:tests)'],
    ],
    [path, 'lint removed', WORKFLOW, WORKFLOW.replace('      - run: npm run lint\n', ''), ['(ci:*:lint)']],
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
    [path, 'deleted', WORKFLOW, undefined, ['ci:*:tests', '(ci:*:lint)']],
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
  ])('%s: %s', async (file, _what, before, after, ids) => {
    expect(await idsOf(file, before, after)).toEqual(ids);
  });

  test('steps that moved to another workflow are kept', async () => {
    const files = [
      { from: path, to: path, before: WORKFLOW, after: WORKFLOW.replace('      - run: npm test\n', '') },
      { to: '.github/workflows/test.yml', after: 'jobs:\n  t:\n    steps:\n      - run: npm test\n' },
    ];
    expect(await weakeningsIn(files)).toEqual([]);
  });
});

describe('compilers and linters', () => {
  test.each<ConfigRow>([
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
      ['(strict:*:no-undef)'],
    ],
    [
      'biome.json',
      'a rule off',
      '{"linter": {"rules": {}}}',
      '{"linter": {"rules": {"style": {"noNonNullAssertion": "off"}}}}',
      ['(strict:*:noNonNullAssertion)'],
    ],
    [
      'pyproject.toml',
      'mypy',
      PYPROJECT,
      PYPROJECT.replace('[tool.mypy]\nstrict = true\n', '[tool.mypy]\n'),
      ['strict:*:strict'],
    ],
  ])('%s: %s', async (path, _what, before, after, ids) => {
    expect(await idsOf(path, before, after)).toEqual(ids);
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
    ['without the types', () => edit('tsc -p . && ', ''), ['(script:*:test)']],
    ['removed', () => edit('"lint": "eslint .",', ''), ['(script:*:lint)']],
    ['another runner', () => edit('vitest run', 'jest'), []],
    ['handed to another script', () => edit('tsc -p . && vitest run', 'npm run check && npm run unit'), []],
    ['a script that tests nothing', () => edit('husky', 'husky || true'), []],
  ])('%s', async (_what, after, ids) => {
    expect(await idsOf('package.json', PACKAGE, after())).toEqual(ids);
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
    ['rewritten wholesale', snapshots({ a: 'x', b: 'x', c: 'x', d: '4' }), ['(snapshot:*)']],
    ['a few changed', snapshots({ a: 'x', b: 'x', c: '3', d: '4' }), []],
    ['more of them', snapshots({ a: '1', b: '2', c: '3', d: '4', e: '5' }), []],
    ['deleted', undefined, ['(snapshot:*)']],
  ])('%s', async (_what, after, ids) => {
    expect(await idsOf(path, before, after)).toEqual(ids);
  });

  test('that are one file each count by folder', async () => {
    const files = Array.from({ length: 5 }, (_, i) => ({
      from: `src/snapshots/s${i}.snap`,
      to: `src/snapshots/s${i}.snap`,
      before: 'one',
      after: 'two',
    }));
    expect(await weakeningsIn(files)).toEqual(['(snapshot:src/snapshots/)']);
    expect(await weakeningsIn(files.slice(0, 4))).toEqual([]);
  });
});
