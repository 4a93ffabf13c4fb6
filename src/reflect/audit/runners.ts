/** Programs that check something: for each, what a call of it checks. */
import { type CheckKind, kindByName } from './check-names.ts';
import { hasFlag, hasOption, plainWords } from './words-of.ts';

type KindOf = (args: readonly string[]) => CheckKind | undefined;

const always =
  (kind: CheckKind): KindOf =>
  () =>
    kind;

/** By the first word that is no option. */
const byVerb =
  (verbs: Record<string, CheckKind>, withValue: readonly string[] = []): KindOf =>
  (args) => {
    const [verb = ''] = plainWords(args, withValue);
    return Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  };

/** By any of the words, as tasks and goals are given: the strongest counts. */
const byWords =
  (verbs: Record<string, CheckKind>): KindOf =>
  (args) => {
    const kinds = plainWords(args).flatMap((word) => {
      const name = word.slice(word.lastIndexOf(':') + 1);
      return Object.hasOwn(verbs, name) ? (verbs[name] ?? []) : (kindByName(name) ?? []);
    });
    return STRENGTH.find((kind) => kinds.includes(kind));
  };

const STRENGTH: readonly CheckKind[] = ['all', 'tests', 'types', 'lint', 'build', 'format'];

/** By the names of targets; without one, it builds. */
const byTarget =
  (otherwise: CheckKind | undefined, withValue: readonly string[] = []): KindOf =>
  (args) => {
    const targets = plainWords(args, withValue).filter((word) => !word.includes('='));
    if (targets.length === 0) return otherwise;
    const kinds = targets.map(kindByName);
    return STRENGTH.find((kind) => kinds.includes(kind));
  };

const only =
  (kind: CheckKind, ...options: readonly string[]): KindOf =>
  (args) =>
    hasOption(args, ...options) ? kind : undefined;

const JAVA = byWords({
  test: 'tests',
  verify: 'all',
  check: 'all',
  package: 'all',
  install: 'all',
  build: 'all',
  'integration-test': 'tests',
  compile: 'build',
  assemble: 'build',
  compileJava: 'build',
  compileKotlin: 'build',
  'test-compile': 'build',
});

const PYTHON: KindOf = (args) => {
  const module = args[args.indexOf('-m') + 1];
  if (args.includes('-m') && module !== undefined) {
    const rest = args.slice(args.indexOf('-m') + 2);
    if (module === 'unittest') return 'tests';
    if (module === 'compileall' || module === 'py_compile') return 'build';
    return Object.hasOwn(RUNNERS, module) ? RUNNERS[module]?.(rest) : undefined;
  }
  const [file = '', verb] = plainWords(args);
  if (/(?:^|\/)(?:manage|setup)\.py$/.test(file)) return verb === 'test' ? 'tests' : undefined;
  return kindByName(file.slice(file.lastIndexOf('/') + 1));
};

const NODE: KindOf = (args) => {
  if (hasOption(args, '--test')) return 'tests';
  if (args.includes('--check') || args.includes('-c')) return 'build';
  const [file = ''] = plainWords(args, ['-r', '--require', '--import', '--loader', '-e', '-p']);
  if (args.includes('-e') || args.includes('-p')) return undefined;
  // The program of a package, called by its path.
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (file.includes('node_modules/')) {
    const tool = /node_modules\/(?:\.bin\/)?([\w-]+)/.exec(file)?.[1] ?? '';
    return Object.hasOwn(RUNNERS, tool) ? RUNNERS[tool]?.(args.slice(args.indexOf(file) + 1)) : undefined;
  }
  return kindByName(name);
};

const MAKE = byTarget('build', ['-C', '-f', '-j', '--directory', '--file']);
const TASKS = byTarget(undefined, ['-f', '-d', '--justfile', '--taskfile']);
const RAILS = byVerb({ test: 'tests', 'test:all': 'tests', spec: 'tests' });

/** Whether there is such a program is not asked: the transcript shows what it did. */
export const RUNNERS: Readonly<Record<string, KindOf | undefined>> = {
  // JavaScript and TypeScript
  ...each(
    'jest mocha ava tape tap jasmine qunit uvu lab wtr web-test-runner gotestsum bun-test',
    always('tests'),
  ),
  vitest: (args) => (/^(?:watch|dev|bench|init|list)$/.test(args[0] ?? '') ? undefined : 'tests'),
  ...each('cypress', byVerb({ run: 'tests' })),
  playwright: byVerb({ test: 'tests' }),
  karma: (args) => (args.includes('--single-run') ? 'tests' : undefined),
  ng: byVerb({ test: 'tests', lint: 'lint', build: 'build', e2e: 'tests' }),
  node: NODE,
  ...each('tsx ts-node', NODE),
  deno: (args) =>
    args[0] === 'fmt'
      ? only('format', '--check')(args)
      : byVerb({ test: 'tests', lint: 'lint', check: 'types', task: 'all' })(args),
  ...each('tsc vue-tsc tsgo svelte-check flow', always('types')),
  astro: byVerb({ check: 'types', build: 'build' }),
  next: byVerb({ build: 'build', lint: 'lint' }),
  nuxt: byVerb({ build: 'build', typecheck: 'types' }),
  vite: byVerb({ build: 'build' }),
  ...each('webpack rollup tsup esbuild parcel swc', (args) => (hasFlag(args, 'w') ? undefined : 'build')),
  ...each('eslint oxlint stylelint xo standard tslint knip publint attw depcheck', always('lint')),
  biome: byVerb({ check: 'lint', lint: 'lint', ci: 'lint' }),
  dprint: byVerb({ check: 'format' }),
  prettier: (args) =>
    args.includes('-c') ? 'format' : only('format', '--check', '-l', '--list-different')(args),
  ...each('turbo lerna moon rush nx', byWords({})),
  // Python
  ...each('pytest py.test nosetests', always('tests')),
  ...each('tox nox', always('all')),
  hatch: byVerb({ test: 'tests' }),
  ...each('python python3 py pypy3', PYTHON),
  ...each('mypy pyright basedpyright pyre pytype ty', always('types')),
  ruff: (args) =>
    args[0] === 'format' ? only('format', '--check', '--diff')(args) : byVerb({ check: 'lint' })(args),
  ...each('flake8 pylint pyflakes bandit pycodestyle pydocstyle vulture', always('lint')),
  ...each('black isort autopep8 yapf', only('format', '--check', '--check-only', '--diff', '-c')),
  'pre-commit': byVerb({ run: 'all' }),
  coverage: byVerb({ run: 'tests' }),
  // Go, Rust, C and others that compile
  go: byVerb({ test: 'tests', vet: 'lint', build: 'build' }),
  ...each('golangci-lint staticcheck revive', always('lint')),
  cargo: (args) => {
    const verbs = plainWords(args).filter((word) => !word.startsWith('+'));
    if (verbs[0] === 'fmt') return only('format', '--check')(args);
    return byVerb({
      test: 'tests',
      t: 'tests',
      nextest: 'tests',
      clippy: 'lint',
      check: 'types',
      c: 'types',
      build: 'build',
      b: 'build',
    })(verbs);
  },
  ...each('ctest bats prove busted shellspec', always('tests')),
  ...each('make gmake ninja', MAKE),
  ...each('just task mage invoke inv poe', TASKS),
  cmake: only('build', '--build'),
  meson: byVerb({ test: 'tests', compile: 'build' }),
  ...each('bazel bazelisk buck2', byVerb({ test: 'tests', build: 'build' })),
  zig: (args) =>
    args[0] === 'build' ? (args.includes('test') ? 'tests' : 'build') : byVerb({ test: 'tests' })(args),
  ...each('gcc g++ clang clang++ cc c++ javac kotlinc rustc swiftc', always('build')),
  // Java, Kotlin, Scala, .NET, Swift, Dart
  ...each('mvn mvnw mvnw.cmd gradle gradlew gradlew.bat ant sbt mill lein', JAVA),
  dotnet: (args) =>
    args[0] === 'format'
      ? only('format', '--verify-no-changes')(args)
      : byVerb({ test: 'tests', build: 'build' })(args),
  ...each('msbuild xbuild', always('build')),
  swift: byVerb({ test: 'tests', build: 'build' }),
  xcodebuild: byWords({ test: 'tests', build: 'build', analyze: 'lint' }),
  ...each('swiftlint detekt ktlint checkstyle', always('lint')),
  ...each('flutter dart', byVerb({ test: 'tests', analyze: 'lint', build: 'build' })),
  // Ruby, PHP, Elixir, Haskell and others
  ...each('rspec minitest cucumber', always('tests')),
  ...each('rails', RAILS),
  rake: byTarget('tests'),
  ...each('rubocop standardrb reek brakeman', always('lint')),
  srb: byVerb({ tc: 'types' }),
  ...each('phpunit pest paratest codecept', always('tests')),
  ...each('phpstan psalm phpcs', always('lint')),
  composer: byTarget(undefined),
  php: (args) => {
    if (args[0] === '-l') return 'lint';
    const [file = '', verb] = plainWords(args);
    if (file === 'artisan') return verb === 'test' ? 'tests' : undefined;
    const tool = file.slice(file.lastIndexOf('/') + 1);
    return Object.hasOwn(RUNNERS, tool) ? RUNNERS[tool]?.(args.slice(1)) : undefined;
  },
  mix: (args) =>
    args[0] === 'format'
      ? only('format', '--check-formatted')(args)
      : byVerb({ test: 'tests', credo: 'lint', dialyzer: 'types', compile: 'build' })(args),
  ...each(
    'stack cabal gleam crystal',
    byVerb({ test: 'tests', spec: 'tests', build: 'build', check: 'types' }),
  ),
  // Files that are no programs
  ...each(
    'shellcheck hadolint actionlint yamllint markdownlint markdownlint-cli2 ansible-lint tflint vale',
    always('lint'),
  ),
  sqlfluff: byVerb({ lint: 'lint' }),
  ...each('terraform tofu', byVerb({ validate: 'types', plan: 'build' })),
  helm: byVerb({ lint: 'lint' }),
  buf: byVerb({ lint: 'lint', build: 'build' }),
  // The gates of a contract
  untildone: byVerb({ verify: 'all' }),
};

function each(names: string, kindOf: KindOf): Record<string, KindOf> {
  return Object.fromEntries(names.split(' ').map((name) => [name, kindOf]));
}
