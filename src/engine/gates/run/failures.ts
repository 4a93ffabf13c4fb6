/** What earlier lines of an output said. */
interface Memory {
  /** The last line that looked like the name of a file, for linters that write places under it. */
  file: string;
  /** The innermost frame of the project in the Python traceback so far. */
  pythonFrame?: string;
  /** An error was named, and its place in the project has not come yet. */
  wantsFrame: boolean;
  /** The lines report a test that is expected to fail. */
  muted: boolean;
  /** mocha's numbered list of failures has begun. */
  numbered: boolean;
  detailsInARow: number;
}

interface Found {
  failures: string[];
  /** Used only when there are no failures: a linter may be set to refuse warnings. */
  warnings: string[];
}

type Reader = (
  line: string,
  at: number,
  lines: readonly string[],
  memory: Memory,
) => Partial<Found> | undefined;

/** The first reader that knows a line decides what to show of it. */
const READERS: readonly Reader[] = [
  expectedFailure,
  pytestDetail,
  pythonTraceback,
  errorMessage,
  stackFrame,
  tapDiagnosis,
  nodeTestPlace,
  panic,
  mochaFailure,
  arrow,
  underFile,
  ruled,
  placed,
  knownFailure,
];

/** Longer lines are cut. No runner writes names further out. */
const LONGEST_LINE = 1000;

/** Finds failing tests, their messages and places, each once, in the order of the output. Takes lines without colours. */
export function findFailures(plain: readonly string[]): string[] {
  const short = plain.map((line) => line.slice(0, LONGEST_LINE));
  const lines = short.map((line) => line.trim());
  const memory: Memory = { file: '', wantsFrame: false, muted: false, numbered: false, detailsInARow: 0 };
  const failures = new Set<string>();
  const warnings = new Set<string>();
  lines.forEach((line, at) => {
    remember(line, short[at] ?? '', memory);
    const found = firstFound(line, at, lines, memory);
    for (const failure of found?.failures ?? []) failures.add(withoutDuration(failure));
    for (const warning of found?.warnings ?? []) warnings.add(withoutDuration(warning));
  });
  const found = [...(failures.size > 0 ? failures : warnings)];
  return [...found.filter(isPytestSummary), ...found.filter((line) => !isPytestSummary(line))];
}

/** At its end pytest names each test with the error that ended it. Above it shows causes of causes. */
const isPytestSummary = (line: string) => PYTEST_SUMMARY.test(line);

function firstFound(line: string, at: number, lines: readonly string[], memory: Memory) {
  if (line === '' || memory.muted) return undefined;
  for (const reader of READERS) {
    const found = reader(line, at, lines, memory);
    if (found) return found;
  }
  return undefined;
}

function remember(line: string, untrimmed: string, memory: Memory): void {
  if (line === '' || TAP_BLOCK_END.test(line)) memory.muted = false;
  if (!PYTEST_DETAIL.test(line)) memory.detailsInARow = 0;
  if (MOCHA_COUNT.test(line)) memory.numbered = true;
  if (/^\S/.test(untrimmed) && endsWithPath(untrimmed)) memory.file = line;
}

/** Whether the last word of a line looks like a path: it has a dot or a slash inside. */
function endsWithPath(line: string): boolean {
  const last = line.split(/\s/).at(-1) ?? '';
  const inside = last.length === line.length ? last.slice(1) : last;
  return /\w$/.test(last) && /[./]/.test(inside);
}

const failure = (...failures: string[]): Partial<Found> => ({ failures });
const NOT_A_FAILURE: Partial<Found> = {};

function expectedFailure(line: string, _at: number, _lines: readonly string[], memory: Memory) {
  if (!EXPECTED_FAILURE.test(line)) return undefined;
  memory.muted = true;
  return NOT_A_FAILURE;
}

function pytestDetail(line: string, _at: number, _lines: readonly string[], memory: Memory) {
  if (!PYTEST_DETAIL.test(line)) return undefined;
  memory.detailsInARow++;
  return memory.detailsInARow <= 3 ? failure(line) : NOT_A_FAILURE;
}

function pythonTraceback(line: string, _at: number, _lines: readonly string[], memory: Memory) {
  if (PYTHON_FRAME.test(line)) {
    memory.pythonFrame = line;
    return NOT_A_FAILURE;
  }
  const frame = memory.pythonFrame;
  if (frame === undefined || !(ERROR_MESSAGE.test(line) || BARE_ERROR.test(line))) return undefined;
  delete memory.pythonFrame;
  return failure(frame, line);
}

function errorMessage(line: string, at: number, lines: readonly string[], memory: Memory) {
  if (!ERROR_MESSAGE.test(line)) return undefined;
  memory.wantsFrame = true;
  return failure(line, ...(line.endsWith(':') ? following(lines, at, 1) : []));
}

function stackFrame(line: string, _at: number, _lines: readonly string[], memory: Memory) {
  if (!SCRIPT_FRAME.test(line) && !JAVA_FRAME.test(line)) return undefined;
  if (!memory.wantsFrame || FOREIGN_FRAME.test(line)) return NOT_A_FAILURE;
  memory.wantsFrame = false;
  return failure(line.replace(/ \{$/, ''));
}

/** The YAML under `not ok` of TAP: a place, and a message of one or more lines. That of a suite says nothing new. */
function tapDiagnosis(line: string, at: number, lines: readonly string[]) {
  const [, key, value = ''] = /^(location|error): (.+)$/.exec(line) ?? [];
  if (key === undefined) return undefined;
  if (/^'\d+ subtests? failed'$/.test(value)) return NOT_A_FAILURE;
  if (key === 'location') return /:\d+:\d+'$/.test(value) ? failure(`at ${value.slice(1, -1)}`) : undefined;
  if (value === '|-') return failure(following(lines, at, 2).join(' '));
  return value.startsWith("'") ? failure(value.slice(1, -1)) : undefined;
}

function nodeTestPlace(line: string, at: number, lines: readonly string[]) {
  if (!/^test at \S+:\d+:\d+$/.test(line)) return undefined;
  return EXPECTED_FAILURE.test(lines[at + 1] ?? '') ? NOT_A_FAILURE : failure(line);
}

function panic(line: string, at: number, lines: readonly string[]) {
  if (!PANIC.test(line)) return undefined;
  const message = lines.slice(at + 1, at + 4);
  const end = message.findIndex((text) => text === '' || /^(?:stack backtrace|note):/.test(text));
  return failure(
    line.replace(/ \(\d+\) panicked/, ' panicked'),
    ...(end < 0 ? message : message.slice(0, end)),
  );
}

/** A failure of mocha: `1) suite`, then names below it up to a colon. */
function mochaFailure(line: string, at: number, lines: readonly string[], memory: Memory) {
  const [, , suite] = memory.numbered ? (NUMBERED.exec(line) ?? []) : [];
  if (suite === undefined) return undefined;
  if (suite.endsWith(':')) return failure(line.slice(0, -1));
  const names = lines.slice(at + 1, at + 8);
  const last = names.findIndex((name) => name.endsWith(':'));
  return last < 0 ? undefined : failure(`${[line, ...names.slice(0, last + 1)].join(' › ').slice(0, -1)}`);
}

function arrow(line: string, at: number, lines: readonly string[]) {
  const place = ARROW.exec(line)?.[1];
  const message = lines[at - 1] ?? '';
  if (place === undefined || message === '') return undefined;
  const text = `${place}: ${message}`;
  return MILD.test(message) ? mild(message, text) : failure(text);
}

function underFile(line: string, _at: number, _lines: readonly string[], memory: Memory) {
  const [, row, column, severity, message = ''] = UNDER_FILE.exec(line) ?? [];
  if (row === undefined || memory.file === '') return undefined;
  const text = `${memory.file}:${row}:${column} ${message.replace(/\s+/g, ' ')}`;
  return severity === 'warning' || severity === '⚠' ? { warnings: [text] } : failure(text);
}

/** A failure of biome. Its message stands two lines below and begins with × for an error, ! for a warning. */
function ruled(line: string, at: number, lines: readonly string[]) {
  const head = RULED.exec(line)?.[1];
  if (head === undefined) return undefined;
  const message = following(lines, at, 1).join('');
  const text = `${head}: ${message.replace(/^\S /, '')}`;
  return message.startsWith('!') ? { warnings: [text] } : failure(text);
}

function placed(line: string) {
  const message = PLACED.exec(line)?.[1];
  if (message === undefined) return undefined;
  return MILD.test(message) ? mild(message, line) : failure(line);
}

function mild(message: string, text: string): Partial<Found> {
  return WARNING.test(message) ? { warnings: [text] } : NOT_A_FAILURE;
}

function knownFailure(line: string, at: number, lines: readonly string[], memory: Memory) {
  if (!FAILURES.some((pattern) => pattern.test(line)) || isSaidWithPlace(line, at, lines)) return undefined;
  if (/^(?:●|Expected|Received)/.test(line)) memory.wantsFrame = true;
  return failure(line);
}

/** Whether `arrow` or `ruled` shows this message with its place: rustc has the place below, biome above. */
function isSaidWithPlace(line: string, at: number, lines: readonly string[]): boolean {
  return line.startsWith('error')
    ? ARROW.test(lines[at + 1] ?? '')
    : line.startsWith('×') && RULED.test(lines[at - 2] ?? '');
}

function following(lines: readonly string[], at: number, count: number): string[] {
  return lines
    .slice(at + 1, at + 8)
    .filter((line) => line !== '')
    .slice(0, count);
}

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
const PLACED = /^(?:[A-Za-z]:)?[^\s:()[\]]+\.[A-Za-z]\w*:\d+(?::\d+)?: ?(.*)$/;
/** biome puts a rule and a ruler behind the place. */
const RULED = /^(\S+(?::\d+:\d+)? (?:lint|assist|parse|format|organizeImports|suppressions)\S*).*━$/;
/** rustc and ruff put the message before the place. */
const ARROW = /^--> (\S+:\d+:\d+)$/;
/** eslint and stylelint put the file above the places. */
const UNDER_FILE = /^(\d+):(\d+)\s+(error|warning|✖|⚠)\s+(.+)$/;

const MILD = /^(?:warning|note|info|hint|help)\b/i;
export const WARNING = /^warning\b/i;

/** An error and its message, in JavaScript, Python and Java. */
const ERROR_MESSAGE = /^(?:Uncaught )?[\w$.]*(?:Error|Exception|Failure)(?: \[\w+\])?:\s*\S/;
const BARE_ERROR = /^[\w.]*(?:Error|Exception|Exit|Interrupt)$/;
const SCRIPT_FRAME = /^at .*?(?:\(|\s)((?!node:)[^()\s]+:\d+:\d+)\)?/;
const JAVA_FRAME = /^at [\w$./]+\([\w$]+\.(?:java|kt|scala):\d+\)$/;
const FOREIGN_FRAME =
  /node_modules|\bnode:|^at (?:java|javax|jdk|sun|kotlin|scala|org\.junit|org\.opentest4j|org\.hamcrest|org\.gradle)[./]/;
const PYTHON_FRAME = /^File "(?!.*(?:site-packages|\/lib\/python|<frozen))[^"]+", line \d+/;
const PYTEST_SUMMARY = /^(?:FAILED|ERROR) \S+(?:::|\.py\b)/;
const PYTEST_DETAIL = /^E {2,}\S/;

/** A test that is expected to fail. It does not count, nor does the block that explains it. */
const EXPECTED_FAILURE = /^(?:not ok \d+ - |✖ ).*# (?:TODO|SKIP)\b/;
const TAP_BLOCK_END = /^\.\.\.$/;

const PANIC = /^thread '.+' (?:\(\d+\) )?panicked at /;
const MOCHA_COUNT = /^\d+ failing$/;
const NUMBERED = /^(\d+)\) (.+)$/;

/** A duration at the end of a line. It differs from run to run. */
const DURATION = /(?<!\s)\s+(?:-- Time elapsed: )?\(?\d+(?:\.\d+)? ?(?:ms|s|m|min)\)?(?= <<<|$)/;

function withoutDuration(line: string): string {
  return line.replace(DURATION, '').trimEnd();
}
