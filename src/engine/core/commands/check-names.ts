/** Names that people give to checks: scripts of a package, targets of a makefile, files of a project. */

export type CheckKind = 'tests' | 'lint' | 'types' | 'build' | 'format' | 'all';

/** Why a check that passes may have checked nothing. */
export type Weakness = 'dry_run' | 'no_tests_is_fine' | 'errors_are_fine' | 'tests_skipped' | 'hooks_skipped';

/** The first that fits counts. The words of a name stand between `-`, `_`, `:`, `.` and `/`. */
const KINDS: readonly (readonly [CheckKind, ReadonlySet<string>])[] = [
  ['types', words('typecheck types tsc typing typings mypy pyright')],
  [
    'lint',
    words('lint linter eslint stylelint clippy rubocop ruff flake8 vet analyze analyse oxlint phpstan'),
  ],
  ['format', words('format fmt prettier style')],
  [
    'tests',
    words(
      'test tests tst spec specs unit e2e integration jest vitest mocha pytest coverage cov cypress smoke',
    ),
  ],
  ['build', words('build compile bundle assemble dist')],
  ['all', words('check checks verify validate ci qa preflight precommit prepush all gate gates quality')],
];

/** Scripts with such a word do not end, or do something else. */
const NO_CHECK = words(
  'watch dev serve start ui open debug update install setup clean generate gen codegen seed deploy publish release server',
);
/** Such scripts change files in the first place. */
const CHANGES = words('fix write update');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** What a script, a target or a file of this name checks. */
export function kindByName(name: string): CheckKind | undefined {
  const parts = name
    .toLowerCase()
    .replace('type-check', 'typecheck')
    .replace('check-types', 'typecheck')
    .split(/[-_:./@]/)
    .filter((part) => part !== '');
  if (parts.some((part) => NO_CHECK.has(part))) return undefined;
  const kind = KINDS.find(([, names]) => parts.some((part) => names.has(part)))?.[0];
  // `format` changes files, `format:check` looks at them.
  if (kind === 'format') return parts.some((part) => part === 'check' || part === 'ci') ? kind : undefined;
  return parts.some((part) => CHANGES.has(part)) ? undefined : kind;
}
