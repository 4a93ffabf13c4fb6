/** How the common test runners, compilers and linters write what fails. All patterns look at a trimmed line. */

/** Lines that name a failing test, a place in a file, or both. */
export const FAILURES: readonly RegExp[] = [
  // node --test: TAP and spec
  /^not ok \d+ - /,
  /^✖ (?!failing tests:|\d+ problems?\b)/,
  // vitest, jest
  /^[×✕✗] \S/,
  /^FAIL\s+\S/,
  /^● \S/,
  /^❯ (?:\S+ )?\S+:\d+:\d+$/,
  /^(?:Expected|Received)(?: [a-z ]+)?:\s*\S/,
  // pytest, unittest
  /^(?:FAILED|ERROR) \S+(?:::|\.py\b)/,
  /^(?:FAIL|ERROR): \w+ \(/,
  // go test
  /^--- FAIL: /,
  /^actual {2}: \S/,
  /^panic: /,
  /^(?!.*\/go\/src\/)\/?\S+\.go:\d+(?: \+0x[0-9a-f]+)?$/,
  // cargo
  /^test .+ \.\.\. FAILED$/,
  /^error: (?!aborting due to|could not compile)/,
  // maven, gradle
  /^\[ERROR\]\s+\S+\.\S+:\d+ \S/,
  /^\[ERROR\] \S+\.(?:java|kt|scala):\[\d+,\d+\] /,
  /^\[ERROR\] (?!Tests run:).* <<< (?:FAILURE|ERROR)!$/,
  /^\S+ > .+ FAILED$/,
  /^[\w$.]+(?:Error|Exception|Failure) at \S+:\d+$/,
  // rspec
  /^rspec \.\/\S+:\d+/,
  // tsc and other compilers of its house; tsc for people
  /^[^()]+\.\w+\(\d+,\d+\): (?:fatal )?error\b/,
  /^\S+:\d+:\d+ - error\b/,
  // linkers, make
  /\bundefined reference to\b/,
  /^g?make(?:\[\d+\])?: \*\*\* /,
];

/** `file:line:column: message`, as gcc, go, mypy, ruff, flake8 and many more write it. */
export const PLACED = /^(?:[A-Za-z]:)?[^\s:()[\]]+\.[A-Za-z]\w*:\d+(?::\d+)?: ?(.*)$/;
/** biome puts a rule and a ruler behind the place. */
export const RULED = /^(\S+(?::\d+:\d+)? (?:lint|assist|parse|format|organizeImports|suppressions)\S*).*━$/;
/** rustc and ruff put the message before the place. */
export const ARROW = /^--> (\S+:\d+:\d+)$/;
/** eslint and stylelint put the file above the places. */
export const UNDER_FILE = /^(\d+):(\d+)\s+(error|warning|✖|⚠)\s+(.+)$/;

export const MILD = /^(?:warning|note|info|hint|help)\b/i;
export const WARNING = /^warning\b/i;

/** An error and its message, in JavaScript, Python and Java. */
export const ERROR_MESSAGE = /^(?:Uncaught )?[\w$.]*(?:Error|Exception|Failure)(?: \[\w+\])?:\s*\S/;
export const BARE_ERROR = /^[\w.]*(?:Error|Exception|Exit|Interrupt)$/;
export const SCRIPT_FRAME = /^at .*?(?:\(|\s)((?!node:)[^()\s]+:\d+:\d+)\)?/;
export const JAVA_FRAME = /^at [\w$./]+\([\w$]+\.(?:java|kt|scala):\d+\)$/;
export const FOREIGN_FRAME =
  /node_modules|\bnode:|^at (?:java|javax|jdk|sun|kotlin|scala|org\.junit|org\.opentest4j|org\.hamcrest|org\.gradle)[./]/;
export const PYTHON_FRAME = /^File "(?!.*(?:site-packages|\/lib\/python|<frozen))[^"]+", line \d+/;
export const PYTEST_DETAIL = /^E {2,}\S/;

/** A test that is expected to fail does not count; what follows explains it, up to the end of its block. */
export const EXPECTED_FAILURE = /^(?:not ok \d+ - |✖ ).*# (?:TODO|SKIP)\b/;
export const TAP_BLOCK_END = /^\.\.\.$/;

export const PANIC = /^thread '.+' (?:\(\d+\) )?panicked at /;
export const MOCHA_COUNT = /^\d+ failing$/;
export const NUMBERED = /^(\d+)\) (.+)$/;

/** How long something took, at the end of a line: it differs from run to run. */
const DURATION = /\s+(?:-- Time elapsed: )?\(?\d+(?:\.\d+)? ?(?:ms|s|m|min)\)?(?= <<<|$)/;

export function withoutDuration(line: string): string {
  return line.replace(DURATION, '').trimEnd();
}
