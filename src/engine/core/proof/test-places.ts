/** Which files are tests, and which decide how tests are run. */
import * as chains from '../chains/all.ts';
import { pathMatcher } from '../text/globs.ts';

/** Folders and names that tests and what belongs to them have in all languages, and those of each chain. */
const USUAL_TESTS: readonly RegExp[] = [
  /(?:^|\/)(?:tests?|specs?|e2e|test[-_]data|fixtures?)\//i,
  /(?:^|\/)[\w.-]+(?:Tests?|Specs)\//,
  /(?:^|\/)(?:tests?|test_?helpers?|spec_?helpers?)\.\w+$/,
  /\.(?:feature|golden)$/,
  ...chains.tests.flat(),
];

const TEST_NAME = /(?:[-_](?:tests?|spec)|(?:^|\/)(?:test|spec)[-_][^/]*)\.(\w+)$/;

/** Whether it is a source file with `test` or `spec` at an end of its name: `a_test.go`, `test-a.sh`. */
function isNamedTest(path: string): boolean {
  const ending = TEST_NAME.exec(path)?.[1];
  return ending !== undefined && chains.sources.some((source) => source.test(ending));
}

/** They belong to the tests, whatever folder they are in. */
const RUNNER_SETTINGS: readonly RegExp[] = [
  /(?:^|\/)(?:setup-?tests?|tests?[-_.]?setup|global-?setup)(?:\.\w+)?$/i,
  /(?:^|\/)\.env\.test[^/]*$/,
  ...chains.runnerSettings.flat(),
];

const fitsAny = (patterns: readonly RegExp[]) => (path: string) =>
  patterns.some((pattern) => pattern.test(path));

const isUsual = fitsAny(USUAL_TESTS);
export const isUsualTest = (path: string) => isUsual(path) || isNamedTest(path);
export const isRunnerSetting = fitsAny(RUNNER_SETTINGS);
export const isSharedSetting = fitsAny(chains.sharedSettings.flat());
export const isDependencyFile = fitsAny(chains.dependencyFiles.flat());

/** The paths of tests and of what belongs to them; `globs`: where the contract says so. */
export function testPaths(globs: readonly string[] | undefined): (path: string) => boolean {
  return globs === undefined ? isUsualTest : pathMatcher(globs);
}
