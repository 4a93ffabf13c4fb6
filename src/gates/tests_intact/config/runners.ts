import { languageOf } from '../../../core/source/lexicon.ts';
import { maskSource } from '../../../core/source/mask.ts';
import {
  type ConfigReader,
  type Guard,
  IGNORED_FAILURE,
  type Loosening,
  listAfter,
  matchesOf,
} from './config.ts';

const FILES =
  /(^|\/)(package\.json|jest\.config\.\w+|vite(st)?\.config\.\w+|vitest\.workspace\.\w+|playwright\.config\.\w+|cypress\.config\.\w+|\.mocharc(\.\w+)?|karma\.conf\.\w+|pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|conftest\.py|noxfile\.py|Cargo\.toml|nextest\.toml|pom\.xml|build\.gradle(\.kts)?|Makefile|justfile)$|(^|\/)\.cargo\/config\.toml$/;

/** Folders that no test of a project is in, or that a runner of their own looks at. */
const NEVER_TESTS =
  /node_modules|\b(dist|build|out|coverage|target|vendor|fixtures?|e2e|cypress|playwright|worktrees|venv)\b|\.(git|next|nuxt|cache|claude|venv|tox|svelte-kit|output|idea|temp)\b|\{/;

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

const GUARDS: readonly (readonly [key: string, expression: RegExp])[] = [
  ['xfail_strict = true', /\bxfail_strict\s*=\s*[Tt]rue/],
  ['--strict-markers', /--strict-markers\b/],
  ['-W error', /-W\s*error\b|filterwarnings\s*=\s*(\[\s*)?["']?\s*error\b/],
  ['forbidOnly', /\bforbidOnly\s*:\s*(?!false)/],
  ['--forbid-only', /--forbid-only\b/],
  ['go test -race', /\bgo test\b[^\n]*\s-race\b/],
  ['-D warnings', /-D\s*warnings\b/],
];
