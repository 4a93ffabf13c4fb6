import { describe, expect, test } from 'vitest';
import { laidBack, laidForward, redirectedDependencies } from '../../../../src/engine/core/proof/lay-back.ts';

const json = (value: unknown) => JSON.stringify(value);
const parsed = (text: string | undefined) => (text === undefined ? undefined : JSON.parse(text));

describe('package.json', () => {
  const then = {
    name: 'a',
    scripts: { test: 'vitest run' },
    dependencies: { a: '1' },
    jest: { verbose: true },
  };
  test.each<[string, object, object | undefined]>([
    ['nothing about tests', { ...then, version: '2', dependencies: { a: '2', b: '1' } }, undefined],
    ['a bent script', { ...then, scripts: { test: 'true' } }, then],
    ['a script that runs before', { ...then, scripts: { ...then.scripts, pretest: 'rm -r test' } }, then],
    ['a new script', { ...then, scripts: { ...then.scripts, build: 'tsc' } }, undefined],
    ['settings of a runner', { ...then, jest: { testPathIgnorePatterns: ['.'] } }, then],
    ['settings of another runner', { ...then, vitest: { exclude: ['**'] } }, then],
    [
      'both, with new dependencies',
      { ...then, scripts: { test: 'true' }, dependencies: { b: '1' } },
      { ...then, dependencies: { b: '1' } },
    ],
  ])('%s', (_, now, back) => {
    expect(parsed(laidBack('pkg/package.json', json(then), json(now)))).toEqual(back);
  });

  test('without tests at the start, those of now stay', () => {
    const npm = { scripts: { test: 'echo "Error: no test specified" && exit 1' } };
    const now = { scripts: { test: 'jest' }, jest: { preset: 'x' } };
    expect(laidBack('package.json', json(npm), json(now))).toBeUndefined();
    expect(laidBack('package.json', json({}), json(now))).toBeUndefined();
  });

  test('that cannot be read stays as it is', () => {
    expect(laidBack('package.json', json(then), '{')).toBeUndefined();
  });

  test('for tests of now on old code: how they run is of now, how code is loaded is of then', () => {
    const now = { ...then, type: 'module', scripts: { test: 'node --test' }, dependencies: { b: '1' } };
    expect(parsed(laidForward('package.json', json({ ...then, main: 'a.js' }), json(now)))).toEqual({
      ...then,
      main: 'a.js',
      scripts: { test: 'node --test' },
      dependencies: { b: '1' },
    });
    expect(laidForward('Cargo.toml', 'a', 'b')).toBeUndefined();
  });
});

test('settings of compilers that were there are as they were; new ones stay', () => {
  const then = { compilerOptions: { strict: true, paths: { '@/a': ['./src/a'] } } };
  const now = {
    compilerOptions: { strict: false, paths: { '@/a': ['./fake'], '@/b': ['./src/b'] }, target: 'es2022' },
  };
  expect(parsed(laidBack('tsconfig.json', json(then), json(now)))).toEqual({
    compilerOptions: { strict: true, target: 'es2022', paths: { '@/a': ['./src/a'], '@/b': ['./src/b'] } },
  });
});

describe('settings by sections', () => {
  const PYPROJECT = '[project]\nname = "a"\ndependencies = []\n\n[tool.pytest.ini_options]\naddopts = "-q"\n';
  test.each<[string, string, string, string, string | undefined]>([
    [
      'pyproject.toml',
      'changed settings',
      PYPROJECT,
      PYPROJECT.replace('[]', '["x"]').replace('-q', '-k cart'),
      PYPROJECT.replace('[]', '["x"]'),
    ],
    ['pyproject.toml', 'new dependencies alone', PYPROJECT, PYPROJECT.replace('[]', '["x"]'), undefined],
    [
      'pyproject.toml',
      'new settings',
      '[project]\nname = "a"\n',
      '[project]\nname = "a"\n[tool.pytest.ini_options]\nx = 1\n',
      '[project]\nname = "a"',
    ],
    [
      'setup.cfg',
      'changed settings',
      '[metadata]\nname = a\n[tool:pytest]\naddopts = -q\n',
      '[tool:pytest]\naddopts = -x\n[metadata]\nname = b\n',
      '[metadata]\nname = b\n\n[tool:pytest]\naddopts = -q\n',
    ],
    [
      'Cargo.toml',
      'tests turned off',
      '[package]\nname = "a"\n\n[dependencies]\n',
      '[package]\nname = "a"\nautotests = false\n\n[lib]\ntest = false\n\n[dependencies]\nx = "1"\n',
      '[package]\nname = "a"\n\n[lib]\n\n[dependencies]\nx = "1"\n',
    ],
    [
      'Cargo.toml',
      'another list of tests',
      '[package]\nname = "a"\n\n[[test]]\nname = "all"\n',
      '[package]\nname = "a"\n\n[[test]]\nname = "some"\n',
      '[package]\nname = "a"\n\n[[test]]\nname = "all"\n',
    ],
    ['Cargo.toml', 'dependencies alone', '[dependencies]\n', '[dependencies]\nx = "1"\n', undefined],
  ])('%s: %s', (path, _, then, now, back) => {
    expect(laidBack(path, then, now)?.trim()).toBe(back?.trim());
  });
});

describe('pom.xml', () => {
  const pom = (dependencies: string, build: string) =>
    `<?xml version="1.0"?>\n<project>\n  <artifactId>a</artifactId>\n  <dependencies>${dependencies}</dependencies>\n  ${build}\n</project>\n`;
  const STRICT = '<build><plugins><plugin><artifactId>surefire</artifactId></plugin></plugins></build>';
  const BENT = STRICT.replace('</plugin>', '<configuration><skip>true</skip></configuration></plugin>');
  test('how it is built and tested is laid back, what it needs is of now', () => {
    const back = laidBack('pom.xml', pom('', STRICT), pom('<dependency/>', BENT));
    expect(back).toContain(STRICT);
    expect(back).toContain('<dependencies><dependency/></dependencies>');
    expect(back).not.toContain('skip');
  });
  test('new dependencies alone change nothing about tests', () => {
    expect(laidBack('pom.xml', pom('', STRICT), pom('<dependency/>', STRICT))).toBeUndefined();
  });
  test('that cannot be read stays as it is', () => {
    expect(laidBack('pom.xml', pom('', STRICT), '<project><build>')).toBeUndefined();
  });
});

test('blocks of gradle about tests are laid back', () => {
  const then = "plugins { id 'java' }\ndependencies {\n}\ntest {\n  useJUnitPlatform()\n}\n";
  const now =
    "plugins { id 'java' }\ndependencies {\n  implementation 'x'\n}\ntest {\n  ignoreFailures = true\n}\n";
  const back = laidBack('build.gradle', then, now) ?? '';
  expect(back).toContain("implementation 'x'");
  expect(back).toContain('useJUnitPlatform()');
  expect(back).not.toContain('ignoreFailures');
});

test.each<[string, string, string[]]>([
  ['^1.0.0', '^2.0.0', []],
  ['^1.0.0', 'file:./fake', ['vitest']],
  ['^1.0.0', 'npm:other@1', ['vitest']],
  ['^1.0.0', 'github:me/fake', ['vitest']],
  ['^1.0.0', 'me/fake', ['vitest']],
  ['file:../vitest', 'file:../vitest2', []],
])('a dependency from %s to %s', (then, now, found) => {
  const file = (version: string) => json({ devDependencies: { vitest: version } });
  expect(redirectedDependencies(file(then), file(now))).toEqual(found);
});
