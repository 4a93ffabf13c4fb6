import { languageOf } from '../../../core/source/lexicon.ts';
import { maskSource } from '../../../core/source/mask.ts';
import type { Finding } from '../model.ts';
import {
  type ConfigPair,
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
    // `compareScripts` compares the scripts of a package.
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

/** Files that a runner leaves out. `exclude` of a package or a Python project is about packaging, not tests. */
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
  [/\b(ignoreFailures\s*(?:=\s*)?true)\b/g, says],
  [/<exclude>([^<]{0,500}(?:Test|IT|Spec)[^<]{0,500})<\/exclude>/g, leaves],
  [/\bexclude\s*(?:\(\s*)?["']([^"']{0,500}(?:Test|IT|Spec)[^"']{0,500})["']/g, leaves],
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

/** The settings that select the files of a runner or a compiler, by file name. */
const SETTINGS: readonly (readonly [files: RegExp, names: string])[] = [
  [/(^|\/)vite(st)?\.config\.\w+$|(^|\/)vitest\.workspace\.\w+$/, 'include'],
  [/(^|\/)(jest\.config\.\w+|package\.json)$/, 'testMatch roots testRegex'],
  [/(^|\/)playwright\.config\.\w+$/, 'testMatch testDir'],
  [/(^|\/)cypress\.config\.\w+$/, 'specPattern'],
  [/(^|\/)\.mocharc(\.\w+)?$/, 'spec'],
  [
    /(^|\/)(pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini)$/,
    'testpaths python_files python_classes python_functions',
  ],
  [/(^|\/)tsconfig(\.[\w.-]+)?\.json$/, 'include files'],
];

/** Blocks whose `include` does not select tests. */
const OTHER_BLOCKS = /\b(?:coverage|optimizeDeps|typecheck|benchmark|deps|server|ssr|build)\s*:\s*\{/g;

/** Finds selections that became smaller: a shorter list, a subfolder in place of a folder, a single file. */
export function compareSelections(pairs: readonly ConfigPair[]): Finding[] {
  return pairs.flatMap(({ path, before = '', after }) => {
    const names = SETTINGS.find(([files]) => files.test(path))?.[1].split(' ') ?? [];
    if (after === undefined) return [];
    const others = pairs.filter((pair) => pair.path !== path).map((pair) => pair.after ?? '');
    return names.flatMap((name): Finding[] => {
      const [then, now] = [valuesOf(before, path, name), valuesOf(after, path, name)];
      const lost = narrowed(name, then, now).filter((value) => !others.some((text) => text.includes(value)));
      const text = `"${name}" takes in less: ${now.join(', ')}${then.length > 0 ? `; it was ${then.join(', ')}` : ''}`;
      return lost.length === 0
        ? []
        : [{ id: `config:${path}:${name}`, path, text: text.slice(0, 300), weight: 'loss' }];
    });
  });
}

function valuesOf(text: string, path: string, name: string): string[] {
  const isSettings = /\.(ini|toml|cfg)$/.test(path);
  const plain = maskSource(text, isSettings ? 'settings' : 'javascript').uncommented;
  const own = isSettings ? plain : withoutOtherBlocks(plain);
  const listed = listAfter(own, new RegExp(name)).map(({ value }) => value);
  if (listed.length > 0) return listed;
  const single = new RegExp(`(?<![\\w.-])["']?${name}["']?\\s*[:=][ \\t]*["'\`]([^"'\`\\n]+)["'\`]`).exec(
    own,
  )?.[1];
  if (single !== undefined) return [single];
  const words = isSettings
    ? new RegExp(`^${name}\\s*=((?:[^\\n"'[]*)(?:\\n[ \\t]+[^\\n]+)*)`, 'm').exec(own)?.[1]
    : '';
  return words?.split(/[\s,]+/).filter((word) => word !== '') ?? [];
}

function withoutOtherBlocks(text: string): string {
  let rest = '';
  let from = 0;
  for (const match of text.matchAll(OTHER_BLOCKS)) {
    if (match.index < from) continue;
    rest += text.slice(from, match.index);
    let depth = 0;
    for (from = match.index + match[0].length - 1; from < text.length; from++) {
      if (text[from] === '{') depth++;
      else if (text[from] === '}' && --depth === 0) break;
    }
  }
  return rest + text.slice(from);
}

const ONE_TEST = /(?:^|\/)[^/*?{]*(?:[._-](?:test|spec|cy|e2e)\.\w+|_test\.py)$|(?:^|\/)test_[^/*?{]*\.py$/;

function narrowed(name: string, then: readonly string[], now: readonly string[]): string[] {
  // No selection means all files.
  if (now.length === 0) return [];
  const gone = then.filter((value) => !now.includes(value) && !NEVER_TESTS.test(value));
  const fresh = now.filter((value) => !then.includes(value));
  const single = then.length === 0 || gone.length > 0 ? fresh.filter((value) => ONE_TEST.test(value)) : [];
  const lost = gone.filter((value) => {
    if (name.startsWith('python_')) return true;
    if (now.some((other) => isWithin(placeOf(value), placeOf(other)))) return false;
    return fresh.length === 0 || fresh.some((other) => isWithin(placeOf(other), placeOf(value)));
  });
  return [...single, ...lost];
}

/** The folder at the beginning of a pattern. */
function placeOf(pattern: string): string {
  const literal = pattern.replace(/^\.\/|^<rootDir>\/?/, '').split(/[*?{[(]/, 1)[0] ?? '';
  return (literal === pattern ? literal : literal.slice(0, literal.lastIndexOf('/') + 1)).replace(/\/$/, '');
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || (outer !== '' && inner.startsWith(`${outer}/`));
}
