import type { SUPPRESSION_GROUPS } from '../../core/contract/gate-options.ts';
import type { LanguageName } from '../../core/source/lexicon.ts';

/** What a finding is about. A contract may allow a whole group. */
export type SuppressionGroup = (typeof SUPPRESSION_GROUPS)[number];

/** A remark that makes a tool look away: in a comment, or in code as an attribute. */
export interface Directive {
  /** The name by which it is allowed: `eslint-disable`. */
  name: string;
  group: SuppressionGroup;
  /** `code`: comments and quoted text are left out. */
  view: 'comments' | 'code';
  /** Absent: every language. */
  languages?: readonly LanguageName[];
  /** Counts only where no other directive is on the line. */
  general?: boolean;
  /** Concerns one line or one declaration, not the whole file. */
  narrow?: RegExp;
  expression: RegExp;
}

const C_COMMENT: readonly LanguageName[] = [
  'javascript',
  'css',
  'go',
  'java',
  'kotlin',
  'scala',
  'csharp',
  'c',
  'swift',
  'dart',
  'php',
  'rust',
];
const JS: readonly LanguageName[] = ['javascript'];
const JVM: readonly LanguageName[] = ['java', 'kotlin', 'scala'];

/** Tools read a directive at the beginning of a comment. Words about one in the middle of a sentence are none. */
const LINT: readonly Directive[] = [
  comment('eslint-disable', /(?:\/\/|\/\*)[\s*!]{0,20}eslint-disable/, JS, /disable-(?:next-)?line/),
  comment('eslint-disable', /<!--\s{0,20}eslint-disable/, ['markup'], /disable-(?:next-)?line/),
  comment(
    'eslint-rule-off',
    /\/\*\s{0,20}eslint\s[^\n]{0,200}?:\s{0,5}(?:\[\s{0,5})?(?:["']?(?:off|warn)\b|[01]\b)/,
    JS,
  ),
  comment('biome-ignore', /(?:\/\/|\/\*|<!--)[\s*]{0,20}biome-ignore/, undefined, /biome-ignore(?!-all)/),
  comment('oxlint-disable', /(?:\/\/|\/\*)[\s*]{0,20}oxlint-disable/, JS, /disable-(?:next-)?line/),
  comment('deno-lint-ignore', /\/\/\s{0,20}deno-lint-ignore/, JS, /ignore(?!-file)/),
  comment('tslint-disable', /(?:\/\/|\/\*)[\s*]{0,20}tslint:disable/, JS, /disable-(?:next-)?line/),
  comment('jshint-ignore', /(?:\/\/|\/\*)\s{0,20}jshint\s{1,5}(?:ignore|-W)/, JS),
  comment('stylelint-disable', /(?:\/\/|\/\*)\s{0,20}stylelint-disable/, ['css', 'javascript']),
  comment('noqa', /#[\s:]{0,20}(?:(?:ruff|flake8)\s{0,5}:\s{0,5})?noqa\b/i, ['python'], /#[\s:]{0,20}noqa/i),
  comment(
    'pylint-disable',
    /#\s{0,20}pylint\s{0,5}:\s{0,5}(?:disable|skip-file)/,
    ['python'],
    /disable-next/,
  ),
  comment('nosec', /(?:#|\/\/)\s{0,20}#?nosec\b/, ['python', 'go'], /nosec/),
  comment('nolint', /\/\/\s{0,5}nolint\b/, ['go'], /nolint/),
  comment('lint-ignore', /\/\/\s{0,5}lint:(?:file-)?ignore\b/, ['go'], /lint:ignore/),
  code('allow-lint', /#!?\[\s{0,5}(?:cfg_attr\([^\n]{0,200},\s{0,5})?(?:allow|expect)\s{0,5}\(/, ['rust']),
  code('suppress-warnings', /@(?:file:)?Suppress(?:Warnings|FBWarnings|Lint)?\b/, JVM),
  comment('noinspection', /(?:\/\/|\/\*\*?)\s{0,20}@?noinspection\b/, C_COMMENT),
  comment('checkstyle-off', /CHECKSTYLE[:.\s]{0,5}OFF\b|\bNOSONAR\b|\bNOPMD\b/, C_COMMENT),
  comment('scalastyle-off', /(?:\/\/|\/\*)\s{0,20}(?:scalastyle|scalafix)\s{0,5}:\s{0,5}off/, ['scala']),
  comment('ktlint-disable', /\/[/*]\s{0,20}ktlint-disable/, ['kotlin']),
  comment('swiftlint-disable', /\/\/\s{0,20}swiftlint:disable/, ['swift'], /disable:(?:this|next|previous)/),
  comment('dart-ignore', /\/\/\s{0,20}ignore(?:_for_file)?:/, ['dart'], /ignore:/),
  code('pragma-warning', /#\s{0,5}pragma\s{1,5}warning\s{1,5}disable/, ['csharp']),
  code('suppress-message', /\[\s{0,5}(?:assembly:\s{0,5})?SuppressMessage\s{0,5}\(/, ['csharp']),
  comment('resharper-disable', /\/\/\s{0,20}ReSharper\s{1,5}disable/, ['csharp', 'c'], /disable\s{1,5}once/),
  comment('clang-tidy-nolint', /\/[/*]\s{0,20}NOLINT/, ['c'], /NOLINT/),
  code('diagnostic-ignored', /#\s{0,5}pragma\s{1,5}(?:GCC|clang)\s{1,5}diagnostic\s{1,5}ignored/, ['c']),
  comment('rubocop-disable', /#\s{0,20}(?:rubocop|standard):(?:disable|todo)/, ['ruby']),
  comment('phpcs-ignore', /(?:\/\/|#|\*)\s{0,20}@?(?:phpcs:(?:ignore|disable)|codingStandardsIgnore)/, [
    'php',
  ]),
  comment('phpstan-ignore', /(?:\/\/|#|\*)\s{0,20}@(?:phpstan-ignore|psalm-suppress)/, ['php']),
  comment('shellcheck-disable', /#\s{0,20}shellcheck\s{1,5}disable=/, ['shell']),
  comment('credo-disable', /#\s{0,20}credo:disable/, ['elixir']),
  comment('luacheck-ignore', /--\s{0,20}luacheck:\s{0,5}(?:ignore|no)/, ['lua']),
  comment('hadolint-ignore', /#\s{0,20}hadolint\s{1,5}ignore=/, ['settings']),
];

/** Linters that a project wrote itself take comments like those of others. */
const OWN_LINTERS: readonly Directive[] = [
  comment(
    'lint-comment',
    /(?:\/\/|\/\*|#|--|<!--)[\s*!]{0,20}@?[\w.-]{0,30}(?:lint|check|style|audit|scan|rule|warn)\w{0,20}[-:_ ]{1,3}(?:disable|ignore|off|skip|suppress|allow)\b/i,
    undefined,
    /line|next|this/,
  ),
  comment(
    'lint-comment',
    /(?:\/\/|\/\*|#|--|<!--)[\s*!]{0,20}@?(?:disable|ignore|skip|suppress|no)[-:_]{1,2}\w{0,20}(?:lint|check|style|audit|scan|rule|warning)/i,
    undefined,
    /line|next|this/,
  ),
];

const TYPES: readonly Directive[] = [
  comment('ts-nocheck', /(?:\/\/|\/\*)[\s/*]{0,20}@ts-nocheck\b/, JS),
  comment('ts-ignore', /(?:\/\/|\/\*|^\s{0,200}\*)[\s/*]{0,20}@ts-ignore\b/, JS, /./),
  comment('ts-expect-error', /(?:\/\/|\/\*|^\s{0,200}\*)[\s/*]{0,20}@ts-expect-error\b/, JS, /./),
  comment('flow-ignore', /(?:\/\/|\/\*)\s{0,20}\$Flow(?:FixMe|Ignore|ExpectedError|Issue)/, JS, /./),
  comment('type-ignore', /#\s{0,20}type\s{0,5}:\s{0,5}ignore\b/, ['python'], /\S\s{0,200}#|ignore\[/),
  comment('pyright-ignore', /#\s{0,20}pyright\s{0,5}:\s{0,5}(?:ignore|basic|off)\b/, ['python'], /ignore\[/),
  comment('mypy-ignore', /#\s{0,20}mypy\s{0,5}:\s{0,5}(?:ignore|disable|allow|no-)/, ['python']),
  comment(
    'pytype-disable',
    /#\s{0,20}(?:pytype\s{0,5}:\s{0,5}(?:disable|skip)|pyre-(?:ignore|fixme|unsafe))/,
    ['python'],
  ),
  code('no-type-check', /@(?:typing\.)?no_type_check\b/, ['python']),
  comment('sorbet-untyped', /^\s{0,5}#\s{0,5}typed:\s{0,5}(?:false|ignore)\b/, ['ruby']),
];

const COVERAGE: readonly Directive[] = [
  comment('istanbul-ignore', /(?:\/\/|\/\*)[\s*!]{0,20}istanbul\s{1,5}ignore/, JS),
  comment('c8-ignore', /(?:\/\/|\/\*)[\s*!]{0,20}(?:c8|v8)\s{1,5}ignore/, JS),
  comment('node-coverage', /(?:\/\/|\/\*)[\s*!]{0,20}node:coverage\s{1,5}(?:disable|ignore)/, JS),
  comment('no-cover', /#\s{0,20}pragma\s{0,5}:?\s{0,5}no\s?(?:cover|branch)\b/i, ['python']),
  comment('nocov', /(?:#|\/\/)[\s:]{0,20}nocov\b/, undefined),
  code('coverage-off', /#\[\s{0,5}(?:cfg_attr\([^\n]{0,200},\s{0,5})?coverage\s{0,5}\(\s{0,5}off/, ['rust']),
  code('coverage-off', /cfg\s{0,5}\(\s{0,5}not\s{0,5}\(\s{0,5}(?:tarpaulin|coverage)/, ['rust']),
  comment('coverage-excluded', /\b[LG]COV_EXCL_|\bGCOVR_EXCL_/, undefined),
  comment('coverage-excluded', /@codeCoverageIgnore/, ['php']),
  comment('coverage-excluded', /coverage:ignore|coveralls-ignore/, undefined),
  code('coverage-excluded', /\[\s{0,5}ExcludeFromCodeCoverage\b/, ['csharp']),
];

export const DIRECTIVES: readonly Directive[] = [
  ...LINT.map((one): Directive => ({ ...one, group: 'lint' })),
  ...TYPES.map((one): Directive => ({ ...one, group: 'types' })),
  ...COVERAGE.map((one): Directive => ({ ...one, group: 'coverage' })),
  ...OWN_LINTERS.map((one): Directive => ({ ...one, general: true })),
];

function comment(
  name: string,
  expression: RegExp,
  languages: readonly LanguageName[] | undefined,
  narrow?: RegExp,
): Directive {
  return { name, group: 'lint', view: 'comments', languages, narrow, expression };
}

function code(name: string, expression: RegExp, languages: readonly LanguageName[]): Directive {
  return { name, group: 'lint', view: 'code', languages, expression };
}
