/** Which files are tests, and which decide how tests are run. */
import { pathMatcher } from '../text/globs.ts';

/** The ends of names of files with code. */
const CODE =
  '(?:[cm]?[jt]sx?|py|go|rb|rs|exs?|c|cc|cpp|cxx|dart|php|lua|sh|bash|swift|kt|scala|clj[cs]?|hs|mli?|jl|[rR]|pl|erl|nim|zig|d|fs)';

/** Folders and names that test runners and their users give to tests and to what belongs to them. */
const USUAL_TESTS: readonly RegExp[] = [
  /(?:^|\/)(?:tests?|specs?|e2e|cypress|testdata|test[-_]data|fixtures?|step_definitions|__(?:tests|mocks|snapshots|fixtures|image_snapshots)__)\//i,
  /(?:^|\/)[\w.-]+(?:Tests?|Specs|[._-]snapshots)\//,
  /\.(?:test|tests|spec|specs|e2e|cy|test-d)\.[cm]?[jt]sx?$/,
  new RegExp(String.raw`[-_](?:tests?|spec)\.${CODE}$`),
  new RegExp(String.raw`(?:^|/)(?:test|spec)[-_][^/]*\.${CODE}$`),
  /(?:^|\/)(?:tests?|conftest|test_?helpers?|spec_?helpers?|rails_helper)\.\w+$/,
  /(?:Tests?|TestCase|IT|Spec|Specs)\.(?:java|kt|kts|scala|groovy|cs|fs|vb|swift|php|m|mm|dart)$/,
  /(?:^|\/)Test[A-Z]\w*\.(?:java|kt|scala|groovy|php|cs)$/,
  /\.(?:snap|ambr|bats|feature|golden|phpt|hurl)$/,
  /\.(?:approved|verified|received)\.\w+$/,
  /(?:^|\/)t\/[^/]+\.t$/,
];

/** Settings of runners, and files that runners load by their name alone. They belong to the tests, whatever folder they are in. */
const RUNNER_SETTINGS: readonly RegExp[] = [
  /(?:^|\/)(?:vitest|jest|ava|cypress|playwright|nyc|mocha|jasmine|tap|uvu|web-test-runner|stryker)[.-](?:config|conf|workspace|setup|shim|preset|global[-.]?setup)\b[^/]*$/,
  /(?:^|\/)(?:karma|wdio|protractor|nightwatch)(?:\.[\w-]+)*\.conf\.[cm]?[jt]s$/,
  /(?:^|\/)\.(?:mocharc|taprc|nycrc|c8rc|jestrc|coveragerc|rspec|simplecov|pytest\.ini|avarc)[^/]*$/,
  /(?:^|\/)(?:setup-?tests?|tests?[-_.]?setup|global-?setup|mocha\.opts|jasmine\.json)(?:\.\w+)?$/i,
  /(?:^|\/)(?:pytest|tox)\.ini$|(?:^|\/)noxfile\.py$|(?:^|\/)(?:site|user)customize\.py$|\.pth$/,
  // Modules of this name would be loaded in place of the runner.
  /(?:^|\/)(?:pytest|_pytest|unittest|pluggy|iniconfig|xdist)(?:\.py$|\/.*\.py$)/,
  /(?:^|\/)node_modules\//,
  /(?:^|\/)(?:phpunit|behat|codeception)[^/]*\.(?:xml|ya?ml|dist|php)$/,
  /(?:^|\/)Rakefile$|(?:^|\/)[jJ]ustfile$|(?:^|\/)Taskfile\.ya?ml$/,
  /(?:^|\/)\.cargo\/|(?:^|\/)(?:\.config\/)?nextest\.toml$/,
  /(?:^|\/)\.mvn\/|(?:^|\/)(?:gradle|junit-platform)\.properties$|(?:^|\/)testng\.xml$|\.runsettings$/,
  /(?:^|\/)(?:bunfig\.toml|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs)$/,
  /(?:^|\/)tsconfig\.(?:tests?|specs?)\.json$|(?:^|\/)\.env\.test[^/]*$/,
];

/** Settings that serve tests and code alike, and that cannot be taken apart. */
const SHARED_SETTINGS: readonly RegExp[] = [
  /(?:^|\/)(?:vite|babel|webpack|rollup|metro|svelte|astro|nuxt|rspack|rsbuild)\.config\.[^/]+$/,
  /(?:^|\/)\.(?:babelrc|swcrc)[^/]*$|(?:^|\/)(?:angular|nx|turbo|project)\.json$/,
];

/** What says which dependencies there are, and in which versions. */
const DEPENDENCY_FILES: readonly RegExp[] = [
  /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|deno\.lock)$/,
  /(?:^|\/)(?:pyproject\.toml|setup\.(?:cfg|py)|Pipfile(?:\.lock)?|(?:poetry|uv|pdm)\.lock|[\w.-]*requirements[\w.-]*\.(?:txt|in))$/,
  /(?:^|\/)(?:go\.(?:mod|sum|work)|Cargo\.(?:toml|lock)|Gemfile(?:\.lock)?|composer\.(?:json|lock)|mix\.(?:exs|lock)|pubspec\.(?:yaml|lock))$/,
  /(?:^|\/)(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|libs\.versions\.toml|gradle-wrapper\.properties)$/,
  /\.(?:csproj|fsproj|vbproj|sln|gemspec)$|(?:^|\/)(?:Directory\.[\w.]+\.props|packages\.lock\.json)$/,
];

const fitsAny = (patterns: readonly RegExp[]) => (path: string) =>
  patterns.some((pattern) => pattern.test(path));

export const isUsualTest = fitsAny(USUAL_TESTS);
export const isRunnerSetting = fitsAny(RUNNER_SETTINGS);
export const isSharedSetting = fitsAny(SHARED_SETTINGS);
export const isDependencyFile = fitsAny(DEPENDENCY_FILES);

/** The paths of tests and of what belongs to them; `globs`: where the contract says so. */
export function testPaths(globs: readonly string[] | undefined): (path: string) => boolean {
  return globs === undefined ? isUsualTest : pathMatcher(globs);
}
