import { type ConfigReader, type Guard, IGNORED_FAILURE, matchesOf } from './config.ts';

const FILES =
  /(^|\/)\.github\/workflows\/[^/]+\.ya?ml$|(^|\/)(\.gitlab-ci\.yml|azure-pipelines\.ya?ml|bitbucket-pipelines\.yml|\.travis\.yml|\.drone\.yml|Jenkinsfile|appveyor\.yml)$|(^|\/)\.(circleci|buildkite)\/[^/]+\.ya?ml$/;

const COMMANDS: readonly (readonly [key: string, words: string, expression: RegExp])[] = [
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
  reads: (path) => FILES.test(path),
  loosenings(text) {
    const plain = withoutComments(text);
    return LOOSE.flatMap((expression) => matchesOf(plain, expression, (found) => `added ${found}`)).map(
      (one, i, all) => ({
        ...one,
        // The same words a second time let a second step fail.
        key: `${one.key}${'+'.repeat(all.slice(0, i).filter((earlier) => earlier.key === one.key).length)}`,
      }),
    );
  },
  guards(text) {
    const plain = withoutComments(text);
    return COMMANDS.flatMap(([key, words, expression]): Guard[] => {
      const value = plain.match(expression)?.length ?? 0;
      return value === 0 ? [] : [{ key, text: `the number of ${words}`, value }];
    });
  },
};

const LOOSE: readonly RegExp[] = [
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
