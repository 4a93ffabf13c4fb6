/** Asks the test runner behind a command for a report, and finds what it wrote. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { joinResults, type TestResults } from '../../core/proof/test-results.ts';
import { type ShellCall, shellCalls } from '../../core/shell/calls.ts';
import { simpleCommands, singleQuoted } from '../../core/shell/words.ts';
import { namesIn } from '../../files/whole-file.ts';
import { resolveParts } from '../facts/command-parts.ts';
import type { CanaryRunner } from './canary-forms.ts';
import { readCargo } from './cargo.ts';
import { readGoJson, readRunnerJson } from './json.ts';
import { MOCHA_REPORTER } from './mocha-reporter.ts';
import { NODE_REPORTER, REPORTS, readNodeReport } from './node-reporter.ts';
import { readUnittest } from './unittest.ts';

export interface Asked {
  command: string;
  env: Record<string, string>;
  /** A build tool is called that leaves JUnit's XML in the project. */
  leavesXml: boolean;
  /** The one runner that the command calls, if it is known how a test of it is written, and nothing else. */
  runner?: CanaryRunner;
}

const NODE_FILE = 'node-reporter.mjs';
const RUNNER_JSON = 'runner.json';
const PYTEST_XML = 'pytest.xml';

/** The command and the variables by which runners report into `reports`, an empty folder. The tests that run are the same. */
export function askForReport(
  command: string,
  project: string,
  reports: string,
  env: Readonly<Record<string, string | undefined>>,
): Asked {
  const scripts = Object.values(resolveParts(project, [command]));
  const calls = [command, ...scripts].flatMap((line) => shellCalls(line));
  const all = [command, ...scripts].join('\n');
  const more: Record<string, string> = { [REPORTS]: reports };
  if (calls.some(isNodeTest) && !all.includes('--test-reporter')) {
    writeFileSync(join(reports, NODE_FILE), NODE_REPORTER);
    // An address: NODE_OPTIONS is split at spaces.
    const options = ['spec', pathToFileURL(join(reports, NODE_FILE)).href].flatMap((reporter) => [
      `--test-reporter=${reporter}`,
      '--test-reporter-destination=stdout',
    ]);
    more.NODE_OPTIONS = [env.NODE_OPTIONS, ...options].filter(Boolean).join(' ');
  }
  if (calls.some(isPytest) && !all.includes('--junit'))
    more.PYTEST_ADDOPTS = [env.PYTEST_ADDOPTS, `--junitxml=${singleQuoted(join(reports, PYTEST_XML))}`]
      .filter(Boolean)
      .join(' ');
  return {
    command: withReport(command, scripts, calls, join(reports, RUNNER_JSON)),
    env: more,
    leavesXml: calls.some(({ program }) => LEAVES_XML.test(program)),
    runner: runnerOf(command, scripts, calls),
  };
}

/** A command that does more than test may look at a file that is not the project's: a linter, a compiler. */
function runnerOf(
  command: string,
  scripts: readonly string[],
  calls: readonly ShellCall[],
): CanaryRunner | undefined {
  const lines = [command, ...scripts.filter((script) => script.trim() !== '')];
  if (lines.length > 2 || lines.some((line) => simpleCommands(line).length !== 1)) return undefined;
  const found = calls.flatMap((call) => RUNNERS.find(([, is]) => is(call))?.[0] ?? []);
  return found.length === 1 ? found[0] : undefined;
}

const LEAVES_XML = /^(?:.*\/)?(?:mvnw?|gradlew?|ant|sbt)$/;

const isNodeTest = ({ program, args }: ShellCall) => program === 'node' && args.includes('--test');

function isPytest({ program, args }: ShellCall): boolean {
  return (
    /^(?:py\.?test)$/.test(program) ||
    (/^python[\d.]*$/.test(program) && /^-m (?:pytest|py\.test)$/.test(args.slice(0, 2).join(' ')))
  );
}

function isUnittest({ program, args }: ShellCall): boolean {
  return (
    /^python[\d.]*$/.test(program.split('/').at(-1) ?? '') && args.slice(0, 2).join(' ') === '-m unittest'
  );
}

function mochaReporter(reports: string): string {
  const file = join(reports, 'mocha-reporter.cjs');
  writeFileSync(file, MOCHA_REPORTER);
  return file;
}

const RUNNERS: readonly [CanaryRunner, (call: ShellCall) => boolean][] = [
  ['node', isNodeTest],
  ['vitest', ({ program }) => program === 'vitest'],
  ['jest', ({ program }) => program === 'jest'],
  ['mocha', ({ program }) => program === 'mocha'],
  ['pytest', isPytest],
  ['unittest', isUnittest],
  ['go', ({ program, args }) => program === 'go' && args[0] === 'test'],
];

/** Options that make a runner write JSON beside what it prints. */
const JSON_OPTIONS: Record<string, (file: string) => string> = {
  vitest: (file) => `--reporter=default --reporter=json --outputFile.json=${singleQuoted(file)}`,
  jest: (file) => `--json --outputFile=${singleQuoted(file)}`,
  mocha: (file) => `--reporter ${singleQuoted(mochaReporter(dirname(file)))}`,
};

/** Adds options to a command that does nothing but call one runner, itself or by one script of a package. */
function withReport(
  command: string,
  scripts: readonly string[],
  calls: readonly ShellCall[],
  file: string,
): string {
  if (simpleCommands(command).length !== 1) return command;
  const [own] = shellCalls(command);
  if (own?.program === 'go' && own.args[0] === 'test' && !own.args.includes('-json'))
    return command.replace(/\bgo test\b/, 'go test -json');
  // Cargo leaves out the other targets after the first one that fails.
  if (own?.program === 'cargo' && own.args[0] === 'test' && !own.args.includes('--no-fail-fast'))
    return command.replace(/\bcargo test\b/, 'cargo test --no-fail-fast');
  if (own && isUnittest(own) && !own.args.some((arg) => /^(?:-v|--verbose)$/.test(arg)))
    return `${command} -v`;
  const bare = scripts.filter((script) => script.trim() !== '');
  const runners = calls.filter(({ program }) => Object.hasOwn(JSON_OPTIONS, program));
  const isAlone =
    runners.length === 1 && bare.length <= 1 && bare.every((script) => simpleCommands(script).length === 1);
  const options = isAlone && JSON_OPTIONS[runners[0]?.program ?? '']?.(file);
  if (!options) return command;
  const isNpm = own?.program === 'npm';
  return `${command} ${isNpm && !/ -- /.test(command) ? '-- ' : ''}${options}`;
}

/** The first of the options that are added to a command, as its runner or package manager may quote it. */
const OUR_OPTIONS = /[ "']--(?:reporter|json|outputFile|junitxml)\b/;

/** An output without what asking added to it: options in the line that a package manager repeats, places of reports. */
export function withoutAsked(text: string, reports: string): string {
  const name = basename(reports);
  if (!text.includes(name)) return text;
  return text
    .split('\n')
    .flatMap((line) => {
      const at = line.includes(name) ? line.search(OUR_OPTIONS) : line.length;
      return at < 0 ? [] : [line.slice(0, at).replace(/[ "'-]{1,9}$/, '')];
    })
    .join('\n');
}

/** Places where build tools leave JUnit's XML, relative to a module. */
const XML_FOLDERS = ['target/surefire-reports', 'target/failsafe-reports', 'build/test-results'];
const REPORT_LIMIT = 64 * 1024 * 1024;

/** What the runners wrote; undefined when there is no report that can be read. `xml`: also files in `root`, written since then. */
export async function collectReports(
  reports: string,
  root: string,
  stdout: string,
  xml: { since: number } | undefined,
): Promise<TestResults | undefined> {
  const found: TestResults[] = [];
  for (const name of namesIn(reports)) {
    const text = contentOf(join(reports, name));
    if (text === undefined) continue;
    if (/^node-\d+\.jsonl$/.test(name)) found.push(readNodeReport(text, root));
    else if (name === PYTEST_XML) found.push(await readXml(text));
    else if (name === RUNNER_JSON)
      found.push(readRunnerJson(text, root) ?? { tests: new Map(), whole: false });
  }
  for (const path of xml ? xmlFilesBelow(root, xml.since) : [])
    found.push(await readXml(contentOf(path) ?? ''));
  const printed = readGoJson(stdout) ?? readCargo(stdout) ?? readUnittest(stdout);
  if (printed) found.push(printed);
  return found.length === 0 ? undefined : joinResults(found);
}

/** The parser of XML is loaded for the first report that needs it. */
async function readXml(text: string): Promise<TestResults> {
  return (await import('./junit.ts')).readJunit(text);
}

function contentOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.size <= REPORT_LIMIT ? readFileSync(path, 'utf8') : undefined;
}

const DEEPEST = 4;

function xmlFilesBelow(root: string, since: number, depth = 0): string[] {
  const isNew = (path: string) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since;
  const own = XML_FOLDERS.flatMap((folder) => xmlIn(join(root, folder), 3)).filter(isNew);
  if (depth === DEEPEST) return own;
  const below = foldersIn(root).flatMap((folder) => xmlFilesBelow(join(root, folder), since, depth + 1));
  return [...own, ...below];
}

function xmlIn(folder: string, depth: number): string[] {
  const files = namesIn(folder).filter((name) => /^TEST-.*\.xml$/.test(name));
  const inner = depth > 0 ? foldersIn(folder).flatMap((name) => xmlIn(join(folder, name), depth - 1)) : [];
  return [...files.map((name) => join(folder, name)), ...inner];
}

const NOT_ENTERED = new Set(['node_modules', '.git', 'target', 'build', '.venv', 'vendor']);

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !NOT_ENTERED.has(entry.name))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
