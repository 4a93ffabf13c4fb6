/** What a command comes down to when scripts, targets and wrappers are taken away. */

import type { CheckKind } from '../../commands/check-names.ts';
import { checkOf } from '../../commands/checks.ts';
import { baseName } from '../../shell/calls.ts';

export type LeafKind = CheckKind | 'install' | 'gives_away' | 'report' | 'nothing' | 'other';

/** A call of a program that is no name for other commands. */
export interface Leaf {
  /** Its words, without what stands before the program. */
  words: readonly string[];
  kind: LeafKind;
  /** It changes files. */
  fixes?: true;
}

const NOTHING =
  /^(?:echo|printf|true|:|cd|mkdir|rm|rimraf|cp|mv|ls|cat|export|set|shopt|which|pwd|sleep|del-cli|shx|date|uname|lscpu|find|touch|git)$/;
const REPORT =
  /^(?:coverage (?:report|xml|html|combine|lcov|json|erase)|(?:nyc|c8) report|codecov|coveralls|cat-coverage)\b/;
const INSTALL =
  /^(?:(?:sudo )?(?:apt|apt-get|brew|dnf|yum|apk|choco|pacman)\b|(?:npm|pnpm|yarn|bun|corepack)(?: (?:-\S+ )*(?:ci|i|install|add|enable|prepare|use|update|up|dedupe|rebuild)\b|$)|(?:pip3?|pipx|python3? -m pip|uv pip|uv tool|gem|cpan|cpanm|luarocks|opam|conda|mamba) |uv (?:sync|venv|lock|python)\b|(?:poetry|pdm|pipenv|bundle|composer|conan|mix deps\S*) (?:install|update|config|sync|get|require|self\S*)\b|bundle$|composer (?:i|u)\b|go (?:mod|get|install)\b|rustup |cargo (?:install|fetch|update|generate-lockfile)\b|npm (?:config|set|pkg|pack)\b|python3? -m (?:venv|virtualenv|ensurepip)\b|playwright install\b|curl |wget |chmod |bash --version)/;
const GIVES_AWAY =
  /^(?:(?:npm|pnpm|yarn|cargo|poetry|uv|flit|hatch|gem|lerna|vsce|jsr|bun)(?: \S+)? (?:publish|push|release)\b|npm stage\b|twine |gh |docker |podman |kubectl |helm |aws |gcloud |az |vercel\b|netlify |firebase |heroku |fly |wrangler |semantic-release\b|changelogen\b|release-it\b|np\b|rsync |scp |ssh )/;
const FIXES = /^(?:--fix(?:=.*|-\w+)?|--write|--apply(?:-unsafe)?|-A|--autocorrect(?:-all)?|--in-place|-i)$/;

/** Tools whose checks the chains do not list, because a session seldom calls them. */
const MORE: readonly (readonly [RegExp, CheckKind])[] = [
  [/^(?:tsd|check-dts|stubtest|vue-tsc|type-coverage|expect-type|attw|publint)$/, 'types'],
  [/^(?:codespell|pyupgrade|check-manifest|actionlint|markdownlint\S*|oxlint|sort-package-json)$/, 'lint'],
  [/^(?:tap|ctest|bats|prove|phpunit|rspec|minitest|nextest|bnt|borp|zunit|check|wtr)$/, 'tests'],
  [/^(?:oxfmt|shfmt|gofmt)$/, 'format'],
  [/^(?:unbuild|tsup|tsdown|tshy|obuild|pkgroll|microbundle|babel|swc|rollup|cmake|meson|ninja)$/, 'build'],
];

export function leafOf(words: readonly string[]): Leaf {
  const text = words.join(' ');
  const [first = '', ...args] = words;
  const program = baseName(first);
  const leaf = (kind: LeafKind): Leaf => ({ words, kind });
  if (GIVES_AWAY.test(text)) return leaf('gives_away');
  if (REPORT.test(text)) return leaf('report');
  if (INSTALL.test(text)) return leaf('install');
  if (NOTHING.test(program) || (args.length === 1 && /^(?:--version|-v|-V|version)$/.test(args[0] ?? '')))
    return leaf('nothing');
  const fixes = args.some((word) => FIXES.test(word)) ? { fixes: true as const } : {};
  return { words, kind: kindOf(program, args) ?? 'other', ...fixes };
}

function kindOf(program: string, args: readonly string[]): CheckKind | undefined {
  const module = /^python[\d.]*$/.test(program) && args[0] === '-m' ? args[1] : undefined;
  const name = module === undefined ? program : module.replace(/^mypy\.(?=stubtest$)/, '');
  const more = MORE.find(([fits]) => fits.test(name))?.[1];
  if (more === 'format')
    return args.some((word) => /^(?:--check|-d|-l|--diff|--list-different)$/.test(word)) ? more : undefined;
  return more ?? checkOf({ program, args })?.kind;
}
