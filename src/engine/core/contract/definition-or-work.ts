/**
 * Tells whether a file that a command runs defines what "done" means, or is the work itself. A check that the agent could
 * rewrite would prove nothing, and a program that may not be changed could not be written.
 */
import { simpleCommands } from '../shell/words.ts';

/** How a command runs a file, as far as its words tell. */
export interface FileCall {
  /** The file is only read: `sh -n`, `node --check`. */
  isOnlyParsed?: boolean;
  /** It is only asked for its help or its version. */
  asksHelp?: boolean;
  /** Another command looks at what it writes: `| grep`, `$(...)`, `> file`. */
  isExamined?: boolean;
  /** It is loaded before another program: `node --import`. */
  isPreloaded?: boolean;
}

/** What else is known of a file when a loop starts. The agent has not touched it then. */
export interface FileFacts {
  /** The scripts, targets and files by which the command leads to it, outermost first. */
  via: readonly string[];
  text: string;
  /** The manifest of the project names it as its program. */
  isProduct: boolean;
}

export type FileRole = 'definition' | 'work';

export function roleOf(path: string, call: FileCall, facts: FileFacts): FileRole {
  const decided = RULES.find(({ holds }) => holds({ path, call, facts, words: wordsOf(fileName(path)) }));
  return decided?.role ?? 'work';
}

interface Case {
  path: string;
  call: FileCall;
  facts: FileFacts;
  /** The words of its name. */
  words: readonly string[];
}

/** The first rule that holds decides. */
const RULES: readonly { role: FileRole; holds(file: Case): boolean }[] = [
  { role: 'work', holds: ({ call }) => call.isOnlyParsed === true || call.asksHelp === true },
  { role: 'work', holds: ({ facts }) => facts.text.includes('\0') },
  { role: 'definition', holds: ({ path, words }) => INSTALLED.test(path) || words.some(isLauncher) },
  { role: 'work', holds: ({ path, facts }) => facts.isProduct && !TEST_FOLDER.test(path) },
  { role: 'work', holds: ({ path, words }) => isTestFile(path, words) },
  { role: 'work', holds: ({ path }) => CODE_FOLDER.test(path) && !TEST_FOLDER.test(path) },
  { role: 'definition', holds: ({ path, words }) => CHECK_FOLDER.test(path) || words.some(isCheckWord) },
  { role: 'work', holds: ({ path }) => PROGRAM_FOLDER.test(path) },
  { role: 'definition', holds: ({ call }) => call.isPreloaded === true },
  { role: 'work', holds: ({ path, call }) => call.isExamined === true || PROGRAM_NAME.test(fileName(path)) },
  { role: 'definition', holds: ({ facts }) => facts.via.some((step) => wordsOf(step).some(isCheckWord)) },
  { role: 'definition', holds: ({ path, facts }) => runsTools(path, facts.text) },
  { role: 'work', holds: ({ facts }) => READS_INPUT.test(facts.text) },
  { role: 'definition', holds: ({ facts }) => CHECKS.test(facts.text) },
];

/** Programs that others wrote. */
const INSTALLED = /(?:^|\/)(?:node_modules|vendor|\.?venv|site-packages|\.yarn)\//;

/** Files that start a build tool or a test runner. */
const LAUNCHERS = new Set(
  'gradlew mvnw bazel bazelisk pants sbtx rails rake rspec rubocop manage artisan phpunit jest vitest mocha pytest tox nox configure autogen setup make'.split(
    ' ',
  ),
);
const isLauncher = (word: string) => LAUNCHERS.has(word);

const TEST_FOLDER = /(?:^|\/)(?:tests?|specs?|__tests__|e2e|acceptance|integration|cypress|playwright|t)\//i;
const CHECK_FOLDER =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e|acceptance|integration|qa|checks?|ci|\.ci|\.github|\.gitlab|\.circleci|\.buildkite|\.husky|\.?git-?hooks|hooks|scripts?|hack|tools?|devtools|build-tools|verify|verification|gates?|benchmarks?|bench)\//i;
const CODE_FOLDER = /(?:^|\/)(?:src|source|sources|lib|app|internal|pkg|cmd)\//i;
/** Folders of programs, and of what is made of code. */
const PROGRAM_FOLDER =
  /(?:^|\/)(?:apps|bin|exe|server|client|api|web|public|packages|crates|modules|services|examples?|dist|out|build|target|release|debug)\//i;
/** Names by which programs are started everywhere. */
const PROGRAM_NAME = /^(?:index|main|__main__|app|server|cli|program)\.\w+$/i;

const CHECK_WORDS = new Set(
  (
    'test tests testing spec specs check checks checker checking verify verifier verification verified lint linter lints ci ' +
    'validate validates validator validation assert asserts assertions smoke e2e acceptance gate gates suite harness sanity ' +
    'preflight precommit prepush conformance regress regression regressions qa audit ensure prove proof grade grader ' +
    'grading judge evaluate eval benchmark bench coverage compile build golden compare runner run runall'
  ).split(' '),
);
const CHECK_ENDING =
  /^(?:unit|run|all|runall|pre|post|type|fuzz|doc|js|es|py|go|system|func|self)(?:test|check|lint|spec)s?$/;

function isCheckWord(word: string): boolean {
  return CHECK_WORDS.has(word) || CHECK_ENDING.test(word);
}

/** Names of files in a folder of tests that start tests, and hold none. */
const STARTS_TESTS = new Set(
  'run runner runall all main index harness suite suites helper helpers setup teardown conftest bootstrap start entry common util utils lib support'.split(
    ' ',
  ),
);
const TEST_NAME = /\.(?:test|spec)s?\.\w+$|^tests?_[^/]+$|_(?:test|spec)s?\.\w+$|[a-z]Tests?\.\w+$/;
const SHELL_NAME = /\.(?:sh|bash|zsh|dash|ksh|fish|bat|cmd|ps1)$|^[^.]+$/;

/** Whether the file holds tests. They are work, too: other gates tell whether they were weakened. */
function isTestFile(path: string, words: readonly string[]): boolean {
  const name = fileName(path);
  if (TEST_NAME.test(name)) return !/^(?:run|runner|runall|all)$/.test(words[0] ?? '');
  if (SHELL_NAME.test(name)) return false;
  return TEST_FOLDER.test(path) && !words.some((word) => STARTS_TESTS.has(word) || isRunning(word));
}

const isRunning = (word: string) =>
  /^(?:run|check|verify|validate|lint|smoke|gate)/.test(word) || isLauncher(word);

/** Starts tests, linters or builds: such a script says what is run, and is not what is run. */
const TOOLS = new Set(
  'npm pnpm yarn npx pytest tox nox ruff mypy flake8 pylint go cargo make mvn gradle tsc eslint vitest jest mocha biome rspec phpunit composer dotnet shellcheck diff cmp'.split(
    ' ',
  ),
);

export function isShellScript(path: string, text: string): boolean {
  const [first = ''] = text.split('\n', 1);
  return first.startsWith('#!') ? /\b(?:ba|da|z|k)?sh\b/.test(first) : SHELL_NAME.test(fileName(path));
}

function runsTools(path: string, text: string): boolean {
  if (!isShellScript(path, text)) return false;
  return simpleCommands(text.slice(0, 20_000)).some(({ words: [name = '', ...rest] }) => {
    const isRunner =
      /^(?:node|python\d?)$/.test(name) && /^(?:--test|-m (?:pytest|unittest))\b/.test(rest.join(' '));
    return isRunner || TOOLS.has(name);
  });
}

/** Reads its arguments or an input, or serves requests: a program that somebody uses. */
const READS_INPUT =
  /\bprocess\.(?:argv|stdin)\b|\bparseArgs\b|\bsys\.(?:argv|stdin)\b|\bargparse\b|\b(?:import|from) (?:click|typer|fire)\b|\binput\(|\bARG[VF]\b|\$argv\b|\bSTDIN\b|\$\{?[1-9@*]|\bgetopts\b|\bDeno\.args\b|\bBun\.argv\b|\breadline\b|\bcreateServer\(|\.listen\(|\bserve\(|\bapp\.run\(|\buvicorn\b|\bcommander\b|\byargs\b/;

/** Compares, and fails when something is wrong. */
const CHECKS =
  /\bassert\w*\b|\bnode:test\b|\bunittest\b|\bpytest\b|\bexpect\(|\bprocess\.exit(?:Code)?\b|\bsys\.exit\(|\bexit \d/;

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The words of a name, in lower case: `runAll-tests.mjs` has `run`, `all`, `tests` and `mjs`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}
