/** Runs that check less than they could, by the words of the call. */
import { narrows, otherOptions, weakCalls } from '../chains/all.ts';
import { hasOption } from '../shell/options.ts';
import { byProgram } from './by-program.ts';
import type { CheckKind, Weakness } from './check-names.ts';

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
/** Options that mean something else to scripts of a project. */
const OF_SCRIPTS = ['-m', '-f', '-o', '-e', '--name', '--run'];
const OTHER_OPTIONS = byProgram(otherOptions);
const NARROWS = byProgram(narrows);
const WEAK_CALLS = byProgram(weakCalls);
const FOR_TESTS: readonly CheckKind[] = ['tests', 'all'];

export function isNarrow(program: string, kind: CheckKind, args: readonly string[]): boolean {
  if (FOR_TESTS.includes(kind)) {
    const other = program === 'script' ? OF_SCRIPTS : (OTHER_OPTIONS.get(program) ?? []);
    const options = CHOOSES.filter((option) => !other.includes(option));
    if (hasOption(args, ...options)) return true;
    if (args.some((word) => /^-D(?:test|it\.test)=/.test(word))) return true;
  }
  const narrowsCall = kind === 'tests' ? NARROWS.get(program) : undefined;
  return narrowsCall?.(args) ?? args.some(isOneFile);
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
  ...['--setup-only', '--setup-plan', '--fix-dry-run', '--showConfig', '--show-only'],
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
  const weak = WEAK_CALLS.get(program);
  const isWeak = (why: Weakness) => args.some((word) => weak?.[why]?.test(word));
  if (hasOption(args, ...DRY) || isWeak('dry_run')) return 'dry_run';
  // A pattern that no test of Go can have.
  if (args.some((word, i) => args[i - 1] === '-run' && /^(?:\^\$|NONE|XXX|\^NONE)$/.test(word)))
    return 'dry_run';
  if (hasOption(args, ...NOTHING_IS_FINE)) return 'no_tests_is_fine';
  if (hasOption(args, ...ERRORS_ARE_FINE) || isWeak('errors_are_fine')) return 'errors_are_fine';
  if (args.some((word) => /^-Dmaven\.test\.failure\.ignore/.test(word))) return 'errors_are_fine';
  const isSkipped = args.some(
    (word, i) => word === 'test' && /^(?:-x|--exclude-task)$/.test(args[i - 1] ?? ''),
  );
  return hasOption(args, ...SKIPPED) || isSkipped ? 'tests_skipped' : undefined;
}
