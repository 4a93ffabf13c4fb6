/** Runs that check less than they could, by the words of the call. */
import type { CheckKind } from './check-names.ts';
import { hasOption } from './words-of.ts';

/** Why a check that passes may have checked nothing. */
export type Weakness = 'dry_run' | 'no_tests_is_fine' | 'errors_are_fine' | 'tests_skipped' | 'hooks_skipped';

/** Options that choose tests by name, for runners whose options have no other meaning. */
const CHOOSES = [
  ...[
    '-t',
    '--testNamePattern',
    '--test-name-pattern',
    '--testPathPattern',
    '--testPathPatterns',
    '--findRelatedTests',
  ],
  ...[
    '-k',
    '-m',
    '--grep',
    '--fgrep',
    '-g',
    '-f',
    '-run',
    '--run',
    '--filter',
    '--tests',
    '--example',
    '-e',
    '-R',
  ],
  ...[
    '--only',
    '--related',
    '--changed',
    '--onlyChanged',
    '-o',
    '--lf',
    '--last-failed',
    '--sw',
    '--only-failures',
  ],
  ...[
    '--spec',
    '--test-only',
    '--match',
    '--name',
    '--lib',
    '--test',
    '--bin',
    '--doc',
    '--testsuite',
    '--group',
  ],
];
/** Options that mean something else to some programs. */
const MEANS_OTHER: Record<string, readonly string[]> = {
  node: ['-e', '--test', '--run', '-r', '-m', '-t', '-f', '-o', '--name'],
  python: ['-m', '-e'],
  python3: ['-m', '-e'],
  script: ['-m', '-f', '-o', '-e', '--name', '--run'],
  vitest: ['-o', '-m', '-e', '-f', '--run', '--name'],
  jest: ['-e', '-m', '-g', '-k', '--name'],
  mocha: ['-t', '-m', '-k', '-e', '-o', '-R'],
  pytest: ['-o', '-e', '-f', '-t', '-g', '-R', '--name'],
  ctest: ['-e', '-m', '-t', '-f', '-o'],
  make: ['-k', '-f', '-o', '-e', '-t', '-R'],
  gmake: ['-k', '-f', '-o', '-e', '-t', '-R'],
  mvn: ['-f', '-o', '-e', '-t', '-g'],
  mvnw: ['-f', '-o', '-e', '-t', '-g'],
  dotnet: ['-f', '-o', '-e', '-m', '-t'],
  rspec: ['-f', '-o', '-m', '-k', '-R'],
  go: ['-o', '-e', '-m', '-t', '-f'],
  turbo: ['-F', '--filter', '--only'],
  nx: ['-t'],
};
const FOR_TESTS: readonly CheckKind[] = ['tests', 'all'];

export function isNarrow(program: string, kind: CheckKind, args: readonly string[]): boolean {
  if (FOR_TESTS.includes(kind)) {
    const other = MEANS_OTHER[program] ?? [];
    const options = CHOOSES.filter((option) => !other.includes(option));
    if (hasOption(args, ...options)) return true;
    if (args.some((word) => /^-D(?:test|it\.test)=/.test(word))) return true;
  }
  if (program === 'go' && kind === 'tests') return goPackages(args);
  if (program === 'cargo' && kind === 'tests') return cargoNames(args);
  return args.some(isOneFile);
}

/** Go tests the package of the folder, unless told `./...`. */
function goPackages(args: readonly string[]): boolean {
  const packages = args.slice(1).filter((word) => !word.startsWith('-'));
  return packages.length > 0 && !packages.some((word) => word.includes('...'));
}

/** A word behind `cargo test` chooses tests by name, `-p` a package. */
function cargoNames(args: readonly string[]): boolean {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (hasOption(own, '-p', '--package', '--lib', '--bin', '--test', '--doc')) return true;
  const words = own.filter(
    (word, i) =>
      !/^[-+]/.test(word) &&
      !/^(?:-F|--features|--target|--profile|-j|--manifest-path)$/.test(own[i - 1] ?? ''),
  );
  return words.slice(1).some((word) => word !== 'run');
}

/** One file, or one test in it; a folder or a pattern is more. */
function isOneFile(word: string): boolean {
  if (word.startsWith('-') || /[*{]/.test(word) || word.includes('://')) return false;
  if (word.includes('::')) return true;
  const name = word.slice(word.lastIndexOf('/') + 1);
  return (
    /^[\w.@+-]*\.(?:[cm]?[jt]sx?|vue|svelte|py|pyi|go|rs|rb|php|java|kt|kts|scala|cs|swift|c|cc|cpp|h|hpp|ex|exs|dart|bats|sh|feature|spec|t)(?::\d+)*$/.test(
      name,
    ) && !/(?:^|\.)config\.[cm]?[jt]s$|^(?:conftest|setup|manage)\.py$/.test(name)
  );
}

const DRY = [
  ...[
    '--dry-run',
    '--collect-only',
    '--co',
    '--list',
    '--listTests',
    '--list-tests',
    '-list',
    '--no-run',
    '--just-print',
  ],
  ...['--setup-only', '--setup-plan', '--fix-dry-run', '--showConfig', '-N', '--show-only'],
];
const NOTHING_IS_FINE = [
  '--passWithNoTests',
  '--pass-with-no-tests',
  '--if-present',
  '--allow-no-tests',
  '--no-tests-ok',
  '--no-tests',
];
const ERRORS_ARE_FINE = [
  '--exit-zero',
  '--ignore-errors',
  '-fn',
  '--fail-never',
  '--no-fail',
  '--exit-code=0',
  '--issues-exit-code=0',
  '--warn-only',
];
const SKIPPED = ['-DskipTests', '-Dmaven.test.skip', '-DskipITs'];

export function weakness(program: string, args: readonly string[]): Weakness | undefined {
  const isMake = /^(?:g?make|just|ninja)$/.test(program);
  const dry = program === 'ctest' || isMake ? DRY : DRY.filter((option) => option !== '-N');
  if (hasOption(args, ...dry) || (isMake && args.some((word) => /^-[a-z]*[nqt]/.test(word))))
    return 'dry_run';
  // A pattern that no test of Go can have.
  if (args.some((word, i) => args[i - 1] === '-run' && /^(?:\^\$|NONE|XXX|\^NONE)$/.test(word)))
    return 'dry_run';
  if (hasOption(args, ...NOTHING_IS_FINE)) return 'no_tests_is_fine';
  if (hasOption(args, ...ERRORS_ARE_FINE) || (isMake && args.some((word) => /^-[a-z]*i/.test(word))))
    return 'errors_are_fine';
  if (args.some((word) => /^-Dmaven\.test\.failure\.ignore/.test(word))) return 'errors_are_fine';
  const isSkipped = args.some(
    (word, i) => word === 'test' && /^(?:-x|--exclude-task)$/.test(args[i - 1] ?? ''),
  );
  return hasOption(args, ...SKIPPED) || isSkipped ? 'tests_skipped' : undefined;
}
