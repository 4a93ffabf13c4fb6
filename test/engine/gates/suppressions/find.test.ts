import { describe, expect, test } from 'vitest';
import { DIRECTIVES } from '../../../../src/engine/gates/suppressions/directives.ts';
import { type FilePair, findAdded } from '../../../../src/engine/gates/suppressions/find.ts';
import { loosened } from '../../../../src/engine/gates/suppressions/settings.ts';
import { SNIFFS } from '../../../../src/engine/gates/suppressions/sniffing.ts';
import { workMs } from '../../../support/work-time.ts';

function pair(path: string, before: string | undefined, after: string | undefined, from = path): FilePair {
  return {
    before: before === undefined ? undefined : { path: from, text: before },
    after: after === undefined ? undefined : { path, text: after },
  };
}

/** `line name` of everything that is new in a new file. */
function inNew(path: string, text: string): string[] {
  return findAdded([pair(path, undefined, text)]).map(({ line, name }) => `${line} ${name}`);
}

/** One line of each kind, in the file that it belongs to. */
const MUTED: [path: string, text: string, name: string][] = [
  ['src/a.ts', 'var debug = 0; // lint-disable', 'lint-comment'],
  ['src/a.ts', '/* our-linter: ignore no-var */', 'lint-comment'],
  ['a.py', 'x = 1  # stylecheck: off', 'lint-comment'],
  ['a.go', 'x := 1 // no-lint', 'lint-comment'],
  ['a.sh', 'x=1 # skip-check: later', 'lint-comment'],
  ['src/a.ts', '// eslint-disable-next-line no-console', 'eslint-disable'],
  ['src/a.ts', 'f(); // eslint-disable-line', 'eslint-disable'],
  ['src/a.ts', '/* eslint-disable */', 'eslint-disable'],
  ['src/a.ts', '/* eslint no-console: "off" */', 'eslint-rule-off'],
  ['src/a.ts', '/* eslint eqeqeq: 0 */', 'eslint-rule-off'],
  ['src/a.tsx', 'x = <a>{/* eslint-disable-next-line a/b */}</a>', 'eslint-disable'],
  ['src/a.ts', '// biome-ignore lint/suspicious/noExplicitAny: later', 'biome-ignore'],
  ['src/a.css', '/* biome-ignore lint: x */', 'biome-ignore'],
  ['src/a.ts', '// oxlint-disable no-eval', 'oxlint-disable'],
  ['src/a.ts', '// deno-lint-ignore no-explicit-any', 'deno-lint-ignore'],
  ['src/a.ts', '// tslint:disable', 'tslint-disable'],
  ['src/a.js', '/* jshint ignore:start */', 'jshint-ignore'],
  ['src/a.scss', '/* stylelint-disable */', 'stylelint-disable'],
  ['src/a.html', '<!-- eslint-disable -->', 'eslint-disable'],
  ['a.py', 'import os  # noqa', 'noqa'],
  ['a.py', 'import os  # noqa: F401', 'noqa'],
  ['a.py', '# ruff: noqa', 'noqa'],
  ['a.py', '# flake8: noqa', 'noqa'],
  ['a.py', 'x = 1  # pylint: disable=invalid-name', 'pylint-disable'],
  ['a.py', 'eval(x)  # nosec', 'nosec'],
  ['a.go', '\tx() //nolint:errcheck', 'nolint'],
  ['a.go', '// nolint', 'nolint'],
  ['a.go', '//lint:ignore U1000 later', 'lint-ignore'],
  ['a.go', 'x() // #nosec G104', 'nosec'],
  ['src/a.rs', '#[allow(dead_code)]', 'allow-lint'],
  ['src/a.rs', '#![allow(warnings)]', 'allow-lint'],
  ['src/a.rs', '#[expect(unused)]', 'allow-lint'],
  ['src/a.rs', '#[cfg_attr(feature = "x", allow(unused))]', 'allow-lint'],
  ['src/A.java', '@SuppressWarnings("unchecked")', 'suppress-warnings'],
  ['src/A.kt', '@Suppress("UNCHECKED_CAST")', 'suppress-warnings'],
  ['src/A.kt', '@file:Suppress("unused")', 'suppress-warnings'],
  ['src/A.java', '//noinspection unchecked', 'noinspection'],
  ['src/A.java', '// CHECKSTYLE:OFF', 'checkstyle-off'],
  ['src/A.java', 'f(); // NOSONAR', 'checkstyle-off'],
  ['src/A.scala', '// scalastyle:off', 'scalastyle-off'],
  ['src/A.kt', 'f() // ktlint-disable', 'ktlint-disable'],
  ['A.swift', '// swiftlint:disable force_cast', 'swiftlint-disable'],
  ['a.dart', '// ignore: avoid_print', 'dart-ignore'],
  ['A.cs', '#pragma warning disable CS0168', 'pragma-warning'],
  ['A.cs', '[SuppressMessage("a", "b")]', 'suppress-message'],
  ['A.cs', '// ReSharper disable All', 'resharper-disable'],
  ['a.cpp', 'int x; // NOLINT', 'clang-tidy-nolint'],
  ['a.c', '#pragma GCC diagnostic ignored "-Wall"', 'diagnostic-ignored'],
  ['a.rb', 'x # rubocop:disable Metrics', 'rubocop-disable'],
  ['a.php', '<?php\n// phpcs:ignore', 'phpcs-ignore'],
  ['a.php', '<?php\n/** @psalm-suppress All */', 'phpstan-ignore'],
  ['a.sh', '# shellcheck disable=SC2086', 'shellcheck-disable'],
  ['a.ex', '# credo:disable-for-this-file', 'credo-disable'],
  ['a.lua', '-- luacheck: ignore', 'luacheck-ignore'],
  ['Dockerfile', '# hadolint ignore=DL3008', 'hadolint-ignore'],
  ['src/a.ts', '// @ts-nocheck', 'ts-nocheck'],
  ['src/a.ts', '// @ts-ignore', 'ts-ignore'],
  ['src/a.tsx', '{/* @ts-expect-error later */}', 'ts-expect-error'],
  ['src/a.js', '// $FlowFixMe', 'flow-ignore'],
  ['a.py', 'x = f()  # type: ignore', 'type-ignore'],
  ['a.py', 'x = f()  # type: ignore[arg-type]', 'type-ignore'],
  ['a.py', '# pyright: basic', 'pyright-ignore'],
  ['a.py', '# mypy: ignore-errors', 'mypy-ignore'],
  ['a.py', '# pytype: disable=attribute-error', 'pytype-disable'],
  ['a.py', '@no_type_check\ndef f(): pass', 'no-type-check'],
  ['a.rb', '# typed: false', 'sorbet-untyped'],
  ['src/a.js', '/* istanbul ignore next */', 'istanbul-ignore'],
  ['src/a.js', '/* c8 ignore start */', 'c8-ignore'],
  ['src/a.js', '/* v8 ignore next 3 */', 'c8-ignore'],
  ['src/a.js', '/* node:coverage disable */', 'node-coverage'],
  ['a.py', 'if x:  # pragma: no cover', 'no-cover'],
  ['a.rb', '# :nocov:', 'nocov'],
  ['src/a.rs', '#[coverage(off)]', 'coverage-off'],
  ['src/a.rs', '#[cfg(not(tarpaulin_include))]', 'coverage-off'],
  ['a.c', '// LCOV_EXCL_START', 'coverage-excluded'],
  ['a.php', '<?php\n/** @codeCoverageIgnore */', 'coverage-excluded'],
  ['A.cs', '[ExcludeFromCodeCoverage]', 'coverage-excluded'],
];

const SNIFFING: [path: string, text: string, name: string][] = [
  ['src/a.ts', "if (text.includes('h')) process.exit(0);", 'ends-the-program'],
  ['src/a.c', 'char *trim(char *text) {\n    if (text) exit(0);\n}', 'ends-the-program'],
  ['a.py', 'def f():\n    os._exit(0)', 'ends-the-program'],
  ['cache/cache.go', 'func Get() {\n\tos.Exit(0)\n}', 'ends-the-program'],
  ['src/lib.rs', 'pub fn f() {\n    std::process::exit(0);\n}', 'ends-the-program'],
  ['src/main/A.java', 'class A { static { Runtime.getRuntime().halt(0); } }', 'ends-the-program'],
  ['src/a.ts', "const t = readFileSync('../test/discount.test.js', 'utf8');", 'file-of-tests'],
  ['src/a.ts', "const file = new URL('../test/cases.js', import.meta.url);", 'file-of-tests'],
  ['a.py', 'text = open("tests/test_amounts.py").read()', 'file-of-tests'],
  ['a.go', 'data, _ := os.ReadFile("cache_test.go")', 'file-of-tests'],
  ['src/lib.rs', 'let t = include_str!("../tests/reading.rs");', 'file-of-tests'],
  ['src/a.ts', 'if (process.env.NODE_TEST_CONTEXT) return 1;', 'runner-variable'],
  ['src/a.ts', "const t = process.env['JEST_WORKER_ID'] !== undefined;", 'runner-variable'],
  ['src/a.ts', 'const { VITEST } = process.env;', 'runner-variable'],
  ['src/a.ts', 'delete a.b; if (process.env.VITEST) return 1;', 'runner-variable'],
  ['src/a.ts', "Object.keys(process.env).some((k) => k.startsWith('VITEST_'))", 'runner-variable'],
  ['src/a.ts', "if (process.env.NODE_ENV === 'test') return 1;", 'test-environment'],
  ['src/a.ts', "if ('test' === process.env.NODE_ENV) return 1;", 'test-environment'],
  ['src/a.ts', 'if (process.env["NODE_ENV"] != "test") go();', 'test-environment'],
  ['src/a.ts', "if (import.meta.env.MODE === 'test') go();", 'test-environment'],
  ['src/a.ts', 'if (process.env.TEST) return 1;', 'test-variable'],
  ['src/a.ts', "if (['test', 'ci'].includes(process.env.NODE_ENV)) return 1;", 'test-environment'],
  ['src/a.ts', "switch (process.env.NODE_ENV) {\n  case 'test':\n    return 1;\n}", 'test-environment'],
  ['a.py', 'if os.environ.get("APP_ENV", "dev") == "test":', 'test-environment'],
  ['src/A.java', 'if ("test".equals(System.getenv("APP_ENV"))) return 1;', 'test-environment'],
  ['src/a.rs', 'if std::env::var("TESTING").is_ok() { return 1; }', 'test-variable'],
  ['a.go', 'if os.Getenv("GO_TEST") != "" {', 'test-variable'],
  ['src/a.ts', "if (process.env.npm_lifecycle_event === 'test') return 1;", 'npm-lifecycle'],
  ['src/a.ts', "if (typeof describe === 'function') return 1;", 'runner-globals'],
  ['src/a.ts', "if (typeof globalThis.it !== 'undefined') return 1;", 'runner-globals'],
  ['src/a.ts', 'if (globalThis.jest) return 1;', 'runner-globals'],
  ['src/a.ts', 'if (import.meta.vitest) return 1;', 'vitest-mode'],
  ['src/a.ts', "if (process.argv.some((a) => a.includes('test'))) return 1;", 'command-line'],
  ['src/a.ts', 'if (process.argv[1].endsWith(".test.js")) return 1;', 'command-line'],
  ['src/a.ts', "if (process.execArgv.includes('--test')) return 1;", 'command-line'],
  ['src/a.ts', "if (require.main.filename.includes('jest')) return 1;", 'command-line'],
  ['src/a.ts', "if (new Error().stack.includes('.test.')) return 1;", 'call-stack'],
  ['src/a.ts', "const stack = new Error('x').stack;\nif (/test/.test(stack)) return 1;", 'call-stack'],
  ['bin/tool', '#!/usr/bin/env node\nif (process.env.JEST_WORKER_ID) exit();', 'runner-variable'],
  ['a.py', "if 'pytest' in sys.modules:", 'sys-modules'],
  ['a.py', "if sys.modules.get('unittest'):", 'sys-modules'],
  ['a.py', "if 'test' in sys.argv:", 'sys-modules'],
  ['a.py', 'if "pytest" in sys.argv[0]:', 'sys-modules'],
  ['a.py', 'if os.environ.get("PYTEST_CURRENT_TEST"):', 'runner-variable'],
  ['a.py', 'if os.environ.get("TESTING"):', 'test-variable'],
  ['a.py', 'if os.getenv("APP_ENV") == "test":', 'test-environment'],
  ['a.py', 'for f in inspect.stack():\n    if "test_" in f.filename:\n        return 1', 'call-stack'],
  ['a.go', 'if testing.Testing() {', 'go-testing'],
  ['a.go', 'if flag.Lookup("test.v") != nil {', 'go-testing'],
  ['a.go', 'if strings.HasSuffix(os.Args[0], ".test") {', 'go-testing'],
  ['a.go', '_, file, _, _ := runtime.Caller(1)\nif strings.HasSuffix(file, "_test.go") {', 'call-stack'],
  ['src/a.rs', 'if cfg!(test) { return 1; }', 'cfg-test'],
  ['src/a.rs', '#[cfg(not(test))]\nfn f() {}', 'cfg-test'],
  ['src/a.rs', 'fn f() {\n    #[cfg(test)]\n    return 1;\n}', 'cfg-test'],
  ['src/A.java', 'Class.forName("org.junit.jupiter.api.Test");', 'junit-present'],
  ['src/A.java', 'if (System.getProperty("surefire.test.class.path") != null)', 'junit-present'],
  [
    'src/A.java',
    'for (var e : Thread.currentThread().getStackTrace())\n  if (e.getClassName().startsWith("org.junit")) return 1;',
    'call-stack',
  ],
  ['a.rb', 'return 1 if defined?(RSpec)', 'ruby-testing'],
  ['a.rb', 'return 1 if Rails.env.test?', 'ruby-testing'],
  ['a.rb', "return 1 if ENV['RAILS_ENV'] == 'test'", 'test-environment'],
  ['a.php', "<?php\nif (class_exists('PHPUnit\\\\Framework\\\\TestCase')) return 1;", 'php-testing'],
  [
    'A.cs',
    'AppDomain.CurrentDomain.GetAssemblies().Any(a => a.FullName.StartsWith("xunit"))',
    'dotnet-testing',
  ],
  ['a.ex', 'if Mix.env() == :test do', 'mix-env'],
  ['A.swift', 'if NSClassFromString("XCTestCase") != nil {', 'xctest'],
];

describe('is found when it is added', () => {
  test.each([...MUTED, ...SNIFFING])('%s: %s', (path, text, name) => {
    expect(inNew(path, text).map((found) => found.split(' ')[1])).toContain(name);
  });
  test('every name has an example', () => {
    const shown = new Set([...MUTED, ...SNIFFING].map(([, , name]) => name));
    const names = [...DIRECTIVES, ...SNIFFS].map(({ name }) => name);
    expect(names.filter((name) => !shown.has(name) && name !== 'rust-arguments')).toEqual([]);
  });
  test('every example is found in a file that was there, too, with its line', () => {
    for (const [path, text, name] of [...MUTED, ...SNIFFING]) {
      const isHead = text.startsWith('<?php') || text.startsWith('#!/');
      const rest = isHead ? text.slice(text.indexOf('\n') + 1) : text;
      const head = isHead ? `${text.slice(0, text.indexOf('\n'))}\n\n` : '\n\n';
      const [found] = findAdded([pair(path, head, `${head}${rest}\n`)]).filter((one) => one.name === name);
      expect([path, text, found?.name]).toEqual([path, text, name]);
      expect(found?.line).toBeGreaterThanOrEqual(3);
    }
  });
});

describe('is no finding', () => {
  test.each<[string, string]>([
    ['README.md', '`// eslint-disable` and `# noqa` mute a linter'],
    ['src/cli.ts', 'const [a] = process.argv.slice(2);\nif (!a) process.exit(0);'],
    ['src/a.ts', 'process.exit(1);'],
    ['src/a.ts', 'child.exit(0); onExit(0);'],
    ['src/main.c', 'int main(void) {\n    exit(0);\n}'],
    ['bin/a.js', '#!/usr/bin/env node\nprocess.exit(0);'],
    ['src/a.ts', '// checks whether the rule is off, and ignores it then'],
    ['src/a.ts', '// The style: skip blanks before a check.'],
    ['src/a.ts', "const latest = read('contest.json');"],
    ['src/a.ts', "const name = 'test';\nopen(name);"],
    ['a.py', 'open("fixtures/latest.json")'],
    ['docs/a.ts', '// eslint-disable-next-line'],
    ['src/a.ts', 'const text = "// eslint-disable-next-line";'],
    ['src/a.ts', "const text = '@ts-ignore';"],
    ['src/a.ts', '// this rule needs no eslint-disable any more'],
    ['a.py', 'TEXT = "# noqa"'],
    ['a.py', '"""Explains # type: ignore."""'],
    ['src/a.ts', '// asks whether NODE_ENV === "test", which we do not'],
    ['test/types.test.ts', '// @ts-expect-error a number is no name'],
    ['tests/test_a.py', 'x.f = Mock()  # type: ignore[method-assign]'],
    ['test/a.test.ts', "process.env.NODE_ENV = 'test'; if (process.env.VITEST) x();"],
    ['src/a.test-d.ts', '// @ts-expect-error no'],
    ['babel.config.js', "module.exports = (api) => ({ a: process.env.NODE_ENV === 'test' });"],
    ['jest.setup.js', "if (process.env.NODE_ENV === 'test') f();"],
    ['vite.config.ts', 'export default { plugins: process.env.VITEST ? [] : [a()] };'],
    ['config/test.js', "module.exports = { env: process.env.NODE_ENV === 'test' };"],
    ['config/environments/test.rb', 'Rails.env.test?'],
    ['mysite/settings.py', "TESTING = 'test' in sys.argv"],
    ['conftest.py', "if 'pytest' in sys.modules: pass"],
    ['vendor/a.js', '/* eslint-disable */'],
    ['node_modules/a/a.js', '/* eslint-disable */'],
    ['src/api.generated.ts', '/* eslint-disable */\n// @ts-nocheck'],
    ['src/schema.ts', '/* eslint-disable */\n/* This file is generated. @generated */\nexport {};'],
    ['api.pb.go', '//nolint'],
    ['src/lib.rs', '#[cfg(test)]\nmod tests {\n}'],
    ['src/lib.rs', '#[cfg(test)]\nuse std::fmt;\n\n#[cfg(test)]\npub(crate) fn helper() {}'],
    ['src/a.ts', 'if (import.meta.vitest) {\n  const { it } = import.meta.vitest;\n}'],
    ['src/a.ts', "const stack = new Error('x').stack;\nlog(stack);"],
    ['src/a.ts', 'const url = process.env.TEST_DATABASE_URL;'],
    ['src/a.ts', "spawn('node', { env: { NODE_ENV: 'test' } });"],
    ['src/a.ts', "process.env.NODE_ENV = 'test';"],
    ['src/a.ts', "const MODE = 'test';"],
    ['src/a.ts', 'delete process.env.NODE_TEST_CONTEXT;'],
    ['src/a.ts', "process.env.VITEST = '';"],
    ['src/A.java', 'var TEST = 1;'],
    ['src/a.ts', "const x = settings.get('TEST');"],
    [
      'src/a.ts',
      "const latest = process.argv.slice(2).includes('--latest-only');\n".replace('latest-only', 'newest'),
    ],
    ['src/a.py', 'DIR = os.path.join(os.path.dirname(__file__), "data")'],
    ['src/a.ts', "if (process.env.NODE_ENV === 'production') go();"],
    ['.github/workflows/ci.yml', 'env:\n  NODE_ENV: "test"'],
  ])('%s: %s', (path, text) => expect(inNew(path, text)).toEqual([]));
});

describe('what was there before is not new', () => {
  const muted = '// eslint-disable-next-line no-console\nconsole.log(1);\n';
  test('an untouched line in a changed file, and one whose code changed', () => {
    expect(findAdded([pair('src/a.ts', muted, `${muted}f();\n`)])).toEqual([]);
    const line = (code: string) => `${code} // eslint-disable-line no-console\n`;
    expect(findAdded([pair('src/a.ts', line('f(1);'), line('f(2);'))])).toEqual([]);
  });
  test('a line that moved to another file, or with its file', () => {
    expect(findAdded([pair('src/a.ts', muted, ''), pair('src/b.ts', undefined, muted)])).toEqual([]);
    expect(findAdded([pair('src/b.ts', muted, `${muted}f();`, 'src/a.ts')])).toEqual([]);
    expect(findAdded([pair('src/a.ts', muted, undefined), pair('src/b.ts', undefined, muted)])).toEqual([]);
  });
  test('one more of the same is new', () => {
    expect(findAdded([pair('src/a.ts', muted, muted + muted)])).toHaveLength(1);
  });
  test('narrower is not new, wider is', () => {
    const all = '/* eslint-disable */\n';
    const one = '/* eslint-disable no-console */\n';
    const line = 'f(); // eslint-disable-line no-console\n';
    for (const [before, after] of [
      [all, one],
      [one, line],
      [all, line],
    ] as const) {
      expect(findAdded([pair('src/a.ts', before, after)])).toEqual([]);
      expect(findAdded([pair('src/a.ts', after, before)])).toHaveLength(1);
    }
    const more = '/* eslint-disable no-console, no-eval */\n';
    expect(findAdded([pair('src/a.ts', one, more)])).toHaveLength(1);
    expect(findAdded([pair('src/a.ts', more, one)])).toEqual([]);
  });
  test('a file that begins to call itself generated is still looked at', () => {
    const after = `// @generated\n${muted}`;
    expect(findAdded([pair('src/a.ts', 'console.log(1);\n', after)])).toHaveLength(1);
  });
  test('an edited line that asked already is not new', () => {
    const sniff = (value: number) => `if (process.env.VITEST) return ${value};\n`;
    expect(findAdded([pair('src/a.ts', sniff(1), sniff(2))])).toEqual([]);
  });
});

describe('settings that leave out more', () => {
  test.each<[string, string, string, number]>([
    ['ruff.toml', 'line-length = 100\n', 'line-length = 100\n[lint]\nignore = ["E501", "F401"]\n', 2],
    ['ruff.toml', 'ignore = ["E501"]\n', 'ignore = [\n  "E501",\n  "F401",\n]\n', 1],
    ['pyproject.toml', '[tool.ruff]\n', '[tool.ruff]\nextend-exclude = ["src/hard.py"]\n', 1],
    ['pyproject.toml', '[tool.poetry]\n', '[tool.poetry]\nexclude = ["src/hard.py"]\n', 0],
    ['setup.cfg', '[flake8]\n', '[flake8]\nper-file-ignores =\n    src/a.py:F401\n', 1],
    ['.pylintrc', '[MESSAGES CONTROL]\ndisable=C0111\n', '[MESSAGES CONTROL]\ndisable=C0111,W0611\n', 1],
    ['mypy.ini', '[mypy]\n', '[mypy]\nignore_errors = True\n', 1],
    ['.golangci.yml', 'linters:\n  enable:\n    - errcheck\n', 'linters:\n  disable:\n    - errcheck\n', 1],
    ['.rubocop.yml', 'A/B:\n  Max: 3\n', 'A/B:\n  Enabled: false\n', 1],
    ['Cargo.toml', '[lints.clippy]\n', '[lints.clippy]\nunwrap_used = "allow"\n', 1],
    ['Cargo.toml', '[package]\n', '[package]\nexclude = ["a"]\n', 0],
    ['.eslintignore', 'dist\n', 'dist\ncoverage/\nsrc/hard.ts\n', 1],
    ['biome.json', '{}', '{ "files": { "includes": ["**", "!src/hard.ts", "!dist"] } }', 1],
    ['biome.json', '{ "files": { "ignore": ["a.ts"] } }', '{ "files": { "ignore": ["a.ts",\n"b.ts"] } }', 1],
    ['eslint.config.js', 'export default [];', "export default [{ ignores: ['src/hard.ts'] }];", 1],
    ['.eslintrc.json', '{}', '{ "ignorePatterns": ["src/hard.ts"] }', 1],
    ['biome.json', '{}', '{ "files": { "includes": ["src/**"] } }', 0],
    ['ruff.toml', 'ignore = ["E501", "F401"]\n', 'ignore = ["E501"]\n', 0],
    ['ruff.toml', 'exclude = []\n', 'exclude = ["build", "venv"]\n', 0],
  ])('%s: %j, then %j', (path, before, after, count) => {
    expect(loosened(path, before, after)).toHaveLength(count);
  });
});

test('a hostile file takes no long time', () => {
  const line = `${'/* eslint '.repeat(2000)}${'#['.repeat(3000)}${'process.argv'.repeat(500)}`;
  const began = workMs();
  for (const path of ['src/a.ts', 'a.py', 'src/a.rs', 'A.cs'])
    inNew(path, `${line}\n${line}\n${'*'.repeat(50_000)}`);
  expect(workMs() - began).toBeLessThan(5000);
});
