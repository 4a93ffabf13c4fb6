import type { LanguageName } from '../../core/source/lexicon.ts';

/** Code that asks whether it is being tested. Quoted text counts: names of variables are quoted. */
export interface Sniff {
  name: string;
  languages?: readonly LanguageName[];
  expression: RegExp;
  /** Has to follow within a few lines, or on the same one. */
  near?: RegExp;
  /** Whether the line after it makes it harmless. */
  unlessNext?: RegExp;
  /** Whether the line itself is harmless. */
  unlessLine?: RegExp;
  /** Whether something in the same file makes it harmless. */
  unlessFile?: RegExp;
}

const JS: readonly LanguageName[] = ['javascript'];
const PYTHON: readonly LanguageName[] = ['python'];
const JVM: readonly LanguageName[] = ['java', 'kotlin', 'scala'];

/** A quoted word that only somebody who looks for tests writes. */
const QUOTED_TEST =
  /["'`/][^"'`/\n]{0,80}(?:\btests?\b|_test|test_|\.test|\.spec|_spec|Test\b|Tests\b|pytest|unittest|junit|jest|vitest|mocha|jasmine|rspec|phpunit|testing)/i;

export const SNIFFS: readonly Sniff[] = [
  {
    name: 'ends-the-program',
    // Code that is called by others, tests among them, and ends all of them with success.
    expression:
      /(?:\bprocess\s{0,3}\.\s{0,3}exit|\bDeno\.exit|\bos\._exit|\bsys\.exit|\bos\.Exit|\bprocess::exit|\bSystem\.exit|\bgetRuntime\(\)\.(?:exit|halt)|\bEnvironment\.Exit|(?<![\w.:>])_?exit|\bquick_exit)\s{0,3}\(\s{0,3}(?:0|EXIT_SUCCESS)?\s{0,3}\)/,
    // A program may end itself.
    unlessFile:
      /^#!|\bmain\s{0,3}\(|__main__|\bprocess\.argv\b|\bsys\.argv\b|\bargparse\b|\bos\.Args\b|\benv::args\b|\bcommander\b|\byargs\b/m,
  },
  {
    name: 'file-of-tests',
    // A quoted path to a file of tests, in code that is none.
    expression:
      /["'`][^"'`\n]{0,120}(?:(?:^|[/"'`])(?:tests?|specs?|__tests__)\/[^"'`\n]{0,120}\.[a-z]{1,5}|[._-](?:test|spec)s?\.[a-z]{1,5}|\btest_\w{1,60}\.py|_(?:test|spec)\.(?:go|py|rb|exs?))["'`]/,
    near: /read|open|import|require|load|File|Path|URL|fs\b|include/i,
  },
  {
    name: 'runner-variable',
    expression:
      /\b(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST(?:_[A-Z_]{0,40})?|PYTEST_(?:CURRENT_TEST|VERSION|XDIST_[A-Z_]{1,40}|DISABLE_PLUGIN_AUTOLOAD)|MOCHA_(?:COLORS|WORKER_ID)|TAP_CHILD_ID|AVA_PATH|NEXTEST(?:_[A-Z_]{1,40})?|BATS_[A-Z_]{1,40}|FLUTTER_TEST|XCTestConfigurationFilePath|NODE_V8_COVERAGE|PHPUNIT_[A-Z_]{1,40}|CYPRESS_[A-Z_]{1,40}|KARMA_[A-Z_]{1,40})\b/,
    // Taken away for a program that is started, or set for it.
    unlessLine:
      /^\s{0,200}(?:delete\s{1,5}[\w.[\]"'`]{1,80}|[\w.[\]"'`]{1,80}\s{0,3}=\s{0,3}(?:undefined|["'`][^"'`\n]{0,80}["'`]|\d{1,10}))\s{0,5};?\s{0,5}$/,
  },
  {
    name: 'test-environment',
    // To set it is no question: only comparisons count.
    expression:
      /\b(?:NODE_ENV|BABEL_ENV|APP_ENV|RAILS_ENV|RACK_ENV|FLASK_ENV|DJANGO_ENV|MIX_ENV|GO_ENV|RUST_ENV|ENVIRONMENT|MODE)\b(?:[^\n=!]{0,40}[!=]==?\s{0,5}|[^\n]{0,40}\.equals\w{0,20}\(\s{0,3})["'`](?:test|testing|tests)["'`]/,
  },
  {
    name: 'test-environment',
    expression:
      /["'`](?:test|testing|tests)["'`](?:\s{0,5}[!=]==?|[^\n]{0,40}\.(?:includes|contains|equals|has)\()[^\n]{0,60}(?:_ENV|\.MODE)\b/,
  },
  {
    name: 'test-environment',
    expression: /\b(?:switch|match|case)\b[^\n]{0,60}(?:_ENV|\.MODE)\b/,
    near: /\b(?:case|when)\s{1,5}["'`](?:test|testing|tests)["'`]/,
  },
  {
    name: 'test-variable',
    expression:
      /(?:\b(?:env|environ|ENV)\b[^\w\n]{1,6}|\b(?:environ\.get|getenv|Getenv|env::var|env::var_os|env\.get|GetEnvironmentVariable)\(\s{0,3}["'`])(?:[A-Z0-9]{1,20}_)?(?:TEST|TESTING|TEST_MODE|IS_TEST|IN_TEST|IS_TESTING|UNDER_TEST|RUNNING_TESTS?|UNIT_TESTS?|TEST_RUN|TEST_ENV|TEST_RUNNER)\b(?!["'`]?\]?\s{0,5}=[^=])/,
  },
  {
    name: 'npm-lifecycle',
    languages: JS,
    expression: /\bnpm_(?:lifecycle_(?:event|script)|command)\b/,
  },
  {
    name: 'runner-globals',
    languages: JS,
    expression:
      /\btypeof\s{1,5}(?:globalThis\.|global\.|window\.)?(?:describe|it|test|jest|vi|vitest|expect|beforeEach|afterEach|suite|mocha|jasmine|Mocha|__vitest_\w{1,40})\b|\b(?:globalThis|global|window)\s{0,3}(?:\?\.|\.|\[\s{0,3}["'`])(?:describe|it|test|jest|vi|vitest|expect|beforeEach|afterEach|mocha|jasmine|__vitest\w{0,40}|__jest\w{0,40})\b|["'`](?:describe|jest|vitest|mocha|beforeEach)["'`]\s{1,5}in\s{1,5}(?:globalThis|global|window)\b/,
  },
  {
    name: 'vitest-mode',
    languages: JS,
    expression: /\bimport\.meta\.(?:vitest|env\.VITEST|jest)\b/,
    // Tests in the source file itself begin like this.
    unlessFile: /\}\s{0,5}=\s{0,5}import\.meta\.vitest\b/,
  },
  {
    name: 'command-line',
    languages: JS,
    expression:
      /\bprocess\.(?:argv|argv0|execArgv|title|mainModule)\b[^\n]{0,120}["'`/\\.](?:[^"'`\n]{0,40})?(?:test|spec|jest|mocha)|\brequire\.(?:main|cache)\b[^\n]{0,120}["'`/\\.](?:[^"'`\n]{0,40})?(?:test|spec|jest|mocha)/i,
  },
  {
    name: 'sys-modules',
    languages: PYTHON,
    expression:
      /\bsys\.(?:modules|argv|orig_argv)\b[^\n]{0,120}["'][^"'\n]{0,40}(?:test|nose|coverage)|["'](?:_?pytest|unittest|nose2?|py\.test|test|coverage)["']\s{1,5}(?:not\s{1,5})?in\s{1,5}(?:sys\.|modules\b|argv\b)/i,
  },
  {
    name: 'go-testing',
    languages: ['go'],
    expression:
      /\btesting\.(?:Testing|Short|Verbose|CoverMode)\(|\bflag\.(?:Lookup|CommandLine\.Lookup)\(\s{0,5}["`]test\.|\bos\.(?:Args|Executable)\b[^\n]{0,100}["`][^"`\n]{0,20}test/,
  },
  {
    name: 'cfg-test',
    languages: ['rust'],
    expression:
      /\bcfg!\s{0,3}\([^\n)]{0,60}\btest\b|#!?\[\s{0,3}cfg\s{0,3}\([^\n]{0,40}\bnot\s{0,3}\(\s{0,3}test\b/,
  },
  {
    name: 'cfg-test',
    languages: ['rust'],
    expression: /^\s{0,200}#\[\s{0,3}cfg\s{0,3}\(\s{0,3}test\s{0,3}\)\s{0,3}\]/,
    // Modules, helpers and imports for tests are what it is for. A statement changes what the program does.
    unlessNext:
      /(?:^|\]\s{0,3})\s{0,200}(?:mod|use|fn|pub|impl|struct|enum|const|static|type|trait|extern|unsafe|async|macro_rules|#\[|#!\[|\/\/|$)/,
  },
  {
    name: 'rust-arguments',
    languages: ['rust'],
    expression: /\b(?:current_exe\(\)|env::args(?:_os)?\(\))[^\n]{0,120}"[^"\n]{0,40}(?:test|deps)/,
  },
  {
    name: 'junit-present',
    languages: JVM,
    expression:
      /\bforName\(\s{0,5}"(?:org\.(?:junit|testng|mockito|spockframework)|junit\.|kotlin\.test|io\.kotest)|\bgetProperty\(\s{0,5}"(?:surefire|maven\.test|basedir\.test|sun\.java\.command|org\.gradle\.test|java\.class\.path)|\bgetResource\w{0,20}\(\s{0,5}"[^"\n]{0,40}(?:org\/junit|test-classes)/,
  },
  {
    name: 'ruby-testing',
    languages: ['ruby'],
    expression:
      /\bdefined\?\s{0,3}\(?\s{0,3}(?:::)?(?:RSpec|Minitest|MiniTest|Test::Unit|Cucumber|SimpleCov)\b|\bRails\.env\.test\?|(?:\$0|\$PROGRAM_NAME)[^\n]{0,80}(?:rspec|test)|\bObject\.const_defined\?\(\s{0,3}[:"'](?:RSpec|Minitest)/,
  },
  {
    name: 'php-testing',
    languages: ['php'],
    expression:
      /\b(?:class_exists|defined)\(\s{0,5}["']\\?\\?(?:PHPUnit|PHPUNIT|Pest)|\brunningUnitTests\(|\benvironment\(\s{0,5}["']testing["']/,
  },
  {
    name: 'dotnet-testing',
    languages: ['csharp'],
    expression: /\bGetAssemblies\(\)[^\n]{0,160}(?:xunit|nunit|mstest|testplatform|TestHost)/i,
  },
  { name: 'mix-env', languages: ['elixir'], expression: /\bMix\.env\(?\)?\s{0,5}[!=]=\s{0,5}:test\b/ },
  { name: 'xctest', languages: ['swift'], expression: /\bNSClassFromString\(\s{0,5}"XCTest/ },
  {
    name: 'call-stack',
    expression:
      /\bnew\s{1,5}Error\([^\n)]{0,80}\)\s{0,3}\??\.stack\b|\bError\(\)\s{0,3}\.stack\b|\b(?:Error\.)?captureStackTrace\(|\bprepareStackTrace\b|\bstack\w{0,20}\??\.(?:includes|match|indexOf|search|split|some|find)\(|\binspect\.(?:stack|currentframe|getouterframes)\(|\bsys\._getframe\(|\b(?:extract|walk|format)_stack\(|\bco_filename\b|\bruntime\.(?:Callers?|CallersFrames|Stack)\(|\bgetStackTrace\(|\bStackWalker\b|\bdebug_backtrace\(|\bnew\s{1,5}StackTrace\(|\bEnvironment\.StackTrace\b|\bcaller_locations\b|\bBacktrace::(?:capture|new|force_capture)\(/,
    near: QUOTED_TEST,
  },
];
