import { languageOf } from '../../../core/source/lexicon.ts';
import { maskSource } from '../../../core/source/mask.ts';
import {
  type ConfigReader,
  type Guard,
  IGNORED_FAILURE,
  type Loosening,
  listAfter,
  matchesOf,
  NEVER_TESTS,
} from './config.ts';

const FILES =
  /(^|\/)(package\.json|jest\.config\.\w+|vite(st)?\.config\.\w+|vitest\.workspace\.\w+|playwright\.config\.\w+|cypress\.config\.\w+|\.mocharc(\.\w+)?|karma\.conf\.\w+|pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|conftest\.py|noxfile\.py|Cargo\.toml|nextest\.toml|pom\.xml|build\.gradle(\.kts)?|Makefile|justfile)$|(^|\/)\.cargo\/config\.toml$/;

/** Which tests run, and whether their result counts. */
export const runners: ConfigReader = {
  id: 'config',
  reads: (path) => FILES.test(path),
  newFilesToo: true,
  loosenings(text, path) {
    const plain = uncommented(text, path);
    // The scripts of a package are compared on their own.
    const switches = path.endsWith('package.json')
      ? SWITCHES.filter(([one]) => one !== IGNORED_FAILURE)
      : SWITCHES;
    return [
      ...leftOut(plain, path),
      ...switches.flatMap(([expression, words]) => matchesOf(plain, expression, words)),
      ...(path.endsWith('conftest.py') ? matchesOf(plain, CONFTEST, says) : []),
    ];
  },
  guards(text, path) {
    const plain = uncommented(text, path);
    return GUARDS.filter(([, expression]) => expression.test(plain)).map(
      ([key]): Guard => ({ key, text: key }),
    );
  },
};

function uncommented(text: string, path: string): string {
  const language = languageOf(path);
  return language ? maskSource(text, language).uncommented : text;
}

/** `exclude` of a package or a Python project says what is packed, not what is tested. */
function leftOut(text: string, path: string): Loosening[] {
  const names = /(package\.json|pyproject\.toml|Cargo\.toml|setup\.cfg)$/.test(path)
    ? /testPathIgnorePatterns|coveragePathIgnorePatterns|modulePathIgnorePatterns|norecursedirs|collect_ignore(?:_glob)?/
    : /testPathIgnorePatterns|coveragePathIgnorePatterns|modulePathIgnorePatterns|testIgnore|exclude|excludeSpecPattern|ignore|norecursedirs|collect_ignore(?:_glob)?/;
  return listAfter(text, names)
    .filter(({ value }) => !NEVER_TESTS.test(value))
    .map(({ value, line }) => ({ key: value, text: `leaves out ${value}`, line }));
}

const says = (found: string) => `now says ${found}`;
const leaves = (found: string) => `leaves out ${found}`;

const SWITCHES: readonly (readonly [expression: RegExp, words: (found: string) => string])[] = [
  [/(\bpassWithNoTests["']?\s*:\s*true)/g, says],
  [/(--passWithNoTests|--pass-with-no-tests)\b/g, says],
  [/(\ballowOnly\s*:\s*true|\bforbidOnly\s*:\s*false|\bdangerouslyIgnoreUnhandledErrors\s*:\s*true)/g, says],
  [/(--(?:ignore|ignore-glob|deselect)[= ]["']?[^\s"',\]]+)/g, leaves],
  [/(-[km]\s+["'\\]*not\s+[^"'\n]+)/g, leaves],
  [/^[^\n]*addopts[^\n]*?\s["']?(-k\b(?!\s+["'\\]*not\b)[^\n"']*)/gm, says],
  [/(--(?:collect-only|setup-only|setup-plan)\b)/g, says],
  [/(\btestNamePattern["']?\s*:\s*\S+)/g, says],
  [/^[ \t]*(auto(?:tests|benches)\s*=\s*false)/gm, says],
  [
    /^[ \t]*(MAKEFLAGS\s*[:+?]*=.*(?:\s-i\b|--ignore-errors).*|SHELL\s*[:?]*=\s*(?:\/usr)?\/bin\/true|\.IGNORE\s*:.*)/gm,
    says,
  ],
  [
    /^\t@?(-[ \t]*(?:npm|npx|pnpm|yarn|pytest|python3?|go|cargo|node|tox|vitest|jest)\b.*)/gm,
    (found) => `ignores a failure (${found})`,
  ],
  [/\b(ignore_outcome\s*=\s*[Tt]rue)/g, says],
  [/^[ \t]*((?:test|doctest|harness)\s*=\s*false)/gm, says],
  [/(<(?:skipTests|maven\.test\.skip|skipITs|testFailureIgnore)>\s*true|<failIfNoTests>\s*false)/g, says],
  [/(-D(?:skipTests|maven\.test\.skip)(?:=true)?)\b/g, says],
  [/\b(ignoreFailures\s*=?\s*true)\b/g, says],
  [/<exclude>\s*([^<]*(?:Test|IT|Spec)[^<]*)<\/exclude>/g, leaves],
  [/\bexclude\s*\(?\s*["']([^"']*(?:Test|IT|Spec)[^"']*)["']/g, leaves],
  [/\bgo test\b[^\n]*\s(-short\b|-(?:skip|run)[= ]\S+)/g, says],
  [IGNORED_FAILURE, (found) => `ignores a failure (${found})`],
];

/** What pytest is told about tests that ran, or before they run. */
const CONFTEST =
  /(\bdef pytest_(?:ignore_collect|runtest_protocol|pyfunc_call|cmdline_main)\b|\bitems\s*\[\s*:\s*\]\s*=|\bitems\.(?:clear|remove|pop)\s*\(|\bdel\s+items\b|\badd_marker\s*\(\s*[\w.]*(?:skip|xfail)\w*|\boutcome\s*=\s*["']passed["']|\bexcinfo\s*=\s*None|\bforce_result\s*\(|\bexitstatus\s*=(?!=)|\bos\._exit\s*\(|\bsys\.exit\s*=(?!=)|\b__eq__\s*=(?!=))/g;

const GUARDS: readonly (readonly [key: string, expression: RegExp])[] = [
  ['xfail_strict = true', /\bxfail_strict\s*=\s*[Tt]rue/],
  ['--strict-markers', /--strict-markers\b/],
  ['-W error', /-W\s*error\b|filterwarnings\s*=\s*(\[\s*)?["']?\s*error\b/],
  ['forbidOnly', /\bforbidOnly\s*:\s*(?!false)/],
  ['--forbid-only', /--forbid-only\b/],
  ['go test -race', /\bgo test\b[^\n]*\s-race\b/],
  ['-D warnings', /-D\s*warnings\b/],
];
