/** The commands that test and check: the steps of continuous integration, and the scripts of a package. */
import type { Finding } from '../model.ts';
import { type ConfigReader, type Guard, IGNORED_FAILURE, matchesOf } from './config.ts';

const CI_FILES =
  /(^|\/)\.github\/workflows\/[^/]+\.ya?ml$|(^|\/)(\.gitlab-ci\.yml|azure-pipelines\.ya?ml|bitbucket-pipelines\.yml|\.travis\.yml|\.drone\.yml|Jenkinsfile|appveyor\.yml)$|(^|\/)\.(circleci|buildkite)\/[^/]+\.ya?ml$/;

const STEPS: readonly (readonly [key: string, words: string, expression: RegExp])[] = [
  [
    'tests',
    'steps that run tests',
    /\b(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:test|check|verify|ci:test)\b[\w:-]*|(?:npx |yarn |pnpm )?(?:vitest|jest|mocha|playwright test|cypress run)\b|node --test\b|(?:python3? -m )?pytest\b|tox\b|nox\b|python3? -m unittest|go test\b|cargo (?:test|nextest)\b|mvnw?\b[^\n]*\b(?:test|verify|install)\b|gradlew?\b[^\n]*\b(?:test|check|build)\b|make (?:\w+ )*(?:test|check)\b|just test\b|rspec\b|phpunit\b|dotnet test\b)/g,
  ],
  [
    'lint',
    'steps that lint',
    /\b(?:(?:npm|pnpm|yarn|bun)(?: run)? lint\b[\w:-]*|eslint\b|biome (?:check|ci|lint)\b|ruff check\b|flake8\b|pylint\b|golangci-lint run\b|cargo clippy\b|make lint\b)/g,
  ],
  [
    'types',
    'steps that check types',
    /\b(?:(?:npm|pnpm|yarn|bun)(?: run)? (?:typecheck|type-check|types)\b|tsc\b|mypy\b|pyright\b|cargo check\b|go vet\b)/g,
  ],
];

/** What continuous integration runs, and whether it may fail. */
export const ci: ConfigReader = {
  id: 'ci',
  movesByNumber: true,
  reads: (path) => CI_FILES.test(path),
  loosenings(text) {
    const plain = withoutComments(text);
    return LOOSE_STEPS.flatMap((expression) => matchesOf(plain, expression, (found) => `added ${found}`)).map(
      (one, i, all) => ({
        ...one,
        // The same words a second time loosen a second step.
        key: `${one.key}${'+'.repeat(all.slice(0, i).filter((earlier) => earlier.key === one.key).length)}`,
      }),
    );
  },
  guards(text) {
    const plain = withoutComments(text);
    return STEPS.flatMap(([key, words, expression]): Guard[] => {
      const value = plain.match(expression)?.length ?? 0;
      return value === 0 ? [] : [{ key, text: `the number of ${words}`, value }];
    });
  },
};

const LOOSE_STEPS: readonly RegExp[] = [
  /^[ \t]*(?:-[ \t]+)?(continue-on-error:\s*true)\b/gm,
  /^[ \t]*(?:-[ \t]+)?(allow_failure:\s*true)\b/gm,
  IGNORED_FAILURE,
  /^[ \t]*(?:-[ \t]+)?(set \+e)\b/gm,
  /^[ \t]*(?:-[ \t]+)?(if:\s*(?:false|\$\{\{\s*false\s*\}\}))/gm,
  /^[ \t]*(?:-[ \t]+)?(when:\s*(?:manual|never))\b/gm,
];

function withoutComments(text: string): string {
  return text.replace(/(^|\s)#[^\n]*/g, '$1');
}

const WATCHED =
  /^(pre|post)?(test|tests|lint|check|typecheck|type-check|types|ci|verify|validate|coverage)([:._-].*)?$/;

const TOOLS: Record<string, RegExp> = {
  tests:
    /\b(vitest|jest|mocha|ava|tap|jasmine|playwright|cypress|karma|uvu|ts-scripts|react-scripts|pytest|bun test|deno test|go test|cargo test)\b|--test\b/,
  types: /\b(tsc|vue-tsc|tsgo|svelte-check|mypy|pyright)\b/,
  lint: /\b(eslint|biome|oxlint|xo|standard|tslint|ruff|knip)\b/,
  coverage: /\b(c8|nyc)\b|--coverage\b/,
};

/** Commands that run other scripts: what those do is not known here. */
const DELEGATES =
  /\b(npm|pnpm|yarn|bun)\b|\brun-[sp]\b|\b(turbo|nx|lerna|wireit|concurrently|make|just|node|tsx|sh|bash)\b/;

const LOOSE_SCRIPTS: readonly (readonly [words: string, expression: RegExp])[] = [
  ['ignores a failure', /\|\|\s*(true|exit 0|:|echo)(\s|$)|;\s*(true|exit 0|:)\s*$/],
  ['passes without tests', /--pass(-w|W)ith(-n|N)o(-t|T)ests/],
  ['rewrites snapshots', /--updateSnapshot|--update-snapshots?|(?<=\b(jest|vitest)\b.*\s)(-u|--update)\b/],
  [
    'leaves tests out',
    /--testPathIgnorePatterns|--exclude[= ]|--testNamePattern|--ignore[= ]|--grep[= ]|\s-t\s|--deselect/,
  ],
];

/** The scripts of a package.json that test or check. */
export function compareScripts(path: string, before: string, after: string): Finding[] {
  const [then, now] = [scriptsOf(before), scriptsOf(after)];
  if (!then || !now) return [];
  return Object.entries(then).flatMap(([name, old]) => {
    if (!WATCHED.test(name) || now[name] === old) return [];
    const text = weakening(old, now[name]);
    if (text === undefined) return [];
    const at = after.split('\n').findIndex((line) => line.includes(`"${name}"`)) + 1;
    const isGone = now[name] === undefined;
    const place = isGone || at === 0 ? {} : { line: at };
    // A script beside the one that tests may go, and a step of one may move to another.
    const isBeside = isGone ? !/^tests?$/.test(name) : LESS.test(text);
    return [
      {
        id: `script:${path}:${name}`,
        path,
        ...place,
        text: `the script "${name}" ${text}`,
        weight: isBeside ? 'suspicion' : 'loss',
      },
    ];
  });
}

const LESS = /^no longer runs (?:c8|nyc|--coverage|tsc|vue-tsc|tsgo|eslint|biome|xo|standard|tslint)\b/;

function weakening(then: string, now: string | undefined): string | undefined {
  if (doesNothing(then)) return undefined;
  if (now === undefined) return 'is gone';
  if (doesNothing(now)) return `does nothing any more: ${now}`;
  const loose = LOOSE_SCRIPTS.find(([, expression]) => expression.test(now) && !expression.test(then));
  if (loose) return `${loose[0]}: ${now}`;
  if (DELEGATES.test(now)) return undefined;
  const lost = Object.entries(TOOLS).find(([, tools]) => tools.test(then) && !tools.test(now));
  return lost ? `no longer runs ${tool(lost[1], then)}: ${now}` : undefined;
}

function tool(expression: RegExp, script: string): string {
  return expression.exec(script)?.[0] ?? '';
}

function doesNothing(script: string): boolean {
  const line = script.replace(/\s+/g, ' ').trim();
  return /^((echo|printf)\b[^&|;]*|true|:|exit 0)? ?((&&|;) ?(true|exit [01]))?$/.test(line);
}

const LONGEST_SCRIPT = 1_000;

function scriptsOf(text: string): Record<string, string> | undefined {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown };
    if (typeof scripts !== 'object' || scripts === null) return {};
    const entries = Object.entries(scripts).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return Object.fromEntries(entries.map(([name, script]) => [name, script.slice(0, LONGEST_SCRIPT)]));
  } catch {
    return undefined;
  }
}
