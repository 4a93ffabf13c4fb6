import { type LanguageName, languageOf } from '../../core/source/lexicon.ts';
import { skipsProse } from '../forbid/find.ts';

/** Which files are looked at, and as what. */

const DOCUMENTS = /^docs?\/|^documentation\//;

/** Whether nobody of the project writes this file by hand, or it is read by people alone. */
export function isLeftOut(path: string): boolean {
  return skipsProse(path) || DOCUMENTS.test(path);
}

const TEST_FOLDER =
  /(^|\/)(tests?|__tests__|specs?|__specs__|e2e|testdata|test-?utils?|fixtures?|__fixtures__|__mocks__|cypress|playwright|androidTest|testFixtures)\//;
const TEST_NAME =
  /(^|\/)(test_[^/]*\.pyi?|conftest\.py|[^/]*_test\.(go|py|rb|exs?|dart|cc|cpp|c|sh)|[^/]*_spec\.rb|(spec|rails|test)_helper\.rb|[^/]*[a-z0-9_]Tests?\.(java|kt|cs|php|scala|swift|groovy)|[^/]*(IT|TestCase|Spec)\.(java|kt|scala|groovy)|[^/]*[.-](test|spec|e2e|cy|test-d)\.[a-z]+|[^/]*\.bats|tests\.rs|setupTests\.[a-z]+)$/;

export function isTestFile(path: string): boolean {
  return TEST_FOLDER.test(path) || TEST_NAME.test(path);
}

const SETTINGS_NAME =
  /(^|\/)([^/]*\.(config|conf|setup)\.[a-z]+|\.?(babel|eslint|prettier|mocha|swc|nyc|c8)rc(\.[a-z]+)?|(jest|vitest|mocha|karma|ava|test|tests|global)[.-](setup|config|env|environment|preset|globals)\.[a-z]+|knexfile\.[a-z]+|settings\.py|noxfile\.py|Gemfile|Rakefile|[^/]*\.gradle(\.kts)?|build\.rs|mix\.exs)$/;
const SETTINGS_FOLDER =
  /(^|\/)(settings\/[^/]*\.py|config\/[^/]*\.(exs|rb|ya?ml|json|toml)|config\/(environments|initializers)\/[^/]*|config\/(env\/)?test\.[a-z]+|\.github\/.*)$/;

/** Settings may ask for the environment: that is where environments are told apart. */
export function isSettingsFile(path: string): boolean {
  return SETTINGS_NAME.test(path) || SETTINGS_FOLDER.test(path);
}

const INTERPRETERS: readonly (readonly [RegExp, LanguageName])[] = [
  [/\b(node|deno|bun|tsx)\b/, 'javascript'],
  [/\bpython[\d.]*\b/, 'python'],
  [/\bruby\b/, 'ruby'],
  [/\bphp\b/, 'php'],
  [/\b(ba|z|da|k)?sh\b/, 'shell'],
];

/** The language of a file, by its name or by the program that its first line names. */
export function languageIn(path: string, text: string): LanguageName | undefined {
  const byName = languageOf(path);
  if (byName !== undefined || !text.startsWith('#!')) return byName;
  const [first = ''] = text.slice(0, 200).split('\n', 1);
  return INTERPRETERS.find(([program]) => program.test(first))?.[1];
}

const GENERATED = /@generated\b|\bcode generated\b|\bauto-?generated\b|\bfile (is|was) generated\b/i;

/** Whether the head of a file says that a program wrote it. */
export function isGenerated(text: string): boolean {
  return GENERATED.test(text.slice(0, 1000).split('\n').slice(0, 10).join('\n'));
}
