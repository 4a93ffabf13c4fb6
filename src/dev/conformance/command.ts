import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { quoteForShell } from '../../engine/core/shell/words.ts';
import { UsageError } from '../../engine/core/text/errors.ts';
import { jsonLines } from '../../engine/core/text/visible.ts';
import { EXIT } from '../../engine/core/words/exit-codes.ts';
import type { Interruption } from '../../engine/terminal/interruption.ts';
import { UnusableHook } from './replay.ts';
import { FORMATS, type Format, type Scenario } from './scenario.ts';
import { countsOf, jsonOf, loadScenarios, runSuite, type SuiteReport, tableOf } from './suite.ts';

export interface ConformanceOptions {
  /** What stands behind `--`: the words of a command, or one whole command line. */
  command: readonly string[];
  dialect?: Format;
  /** A part of a scenario's name, or a whole one with `*` for anything. */
  scenario?: string;
  json: boolean;
  /** Where the program lies: the scenarios are beside it. */
  programFolder: string;
}

/** Replays known bugs against a Stop hook. Returns 0 when all scenarios passed, 1 when one failed. */
export async function conformance(
  options: ConformanceOptions,
  interruption: Interruption,
  out: (line: string) => void,
): Promise<number> {
  const line = commandLine(options.command);
  const scenarios = chosen(loadScenarios(scenarioFolder(options.programFolder)), options);
  const report = await replayAll(line, scenarios, options, interruption.signal);
  const interrupted = interruption.exitCode();
  if (interrupted !== undefined || report === undefined) return interrupted ?? 2;
  if (options.json) for (const line of jsonLines(jsonOf(report))) out(line);
  else for (const row of tableOf(report)) out(row);
  return countsOf(report.results).failed > 0 ? EXIT.no : EXIT.ok;
}

async function replayAll(
  line: string,
  scenarios: readonly Scenario[],
  { dialect, programFolder }: ConformanceOptions,
  signal: AbortSignal,
): Promise<SuiteReport | undefined> {
  const formats = dialect ? [dialect] : FORMATS;
  const untildone = [process.execPath, join(programFolder, 'untildone.cjs')];
  try {
    return await runSuite({ line, scenarios, formats, untildone, signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof UnusableHook) throw new UsageError(error.message);
    throw error;
  }
}

/** Finds the scenarios: beside the bundle when installed, else in the repository. */
function scenarioFolder(programFolder: string): string {
  const places = [join(programFolder, 'scenarios'), join(programFolder, '..', 'test', 'scenarios', 'bugs')];
  const found = places.find((place) => existsSync(place));
  if (!found) throw new UsageError(`the scenarios are missing in ${places[0]}: install untildone again`);
  return found;
}

function chosen(scenarios: Scenario[], { scenario, dialect }: ConformanceOptions): Scenario[] {
  const pattern = scenario === undefined ? /^/ : patternOf(scenario);
  const found = scenarios.filter(
    ({ name, formats }) => pattern.test(name) && (dialect === undefined || formats.includes(dialect)),
  );
  if (found.length === 0)
    throw new UsageError(
      `no scenario has a name like "${scenario}"; leave --scenario out for all ${scenarios.length}`,
    );
  return found;
}

/** A pattern with `*` fits the whole name, one without fits any part of it. */
function patternOf(words: string): RegExp {
  const literal = words.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(literal.includes('*') ? `^${literal.replaceAll('*', '.*')}$` : literal);
}

/**
 * Makes the line that would stand in the settings. Paths become absolute, for the hook runs in a scratch project. One word
 * that is not the path of a file is a whole command line and stays as it is.
 */
function commandLine(words: readonly string[]): string {
  const [first, ...rest] = words;
  if (first === undefined || first.trim() === '')
    throw new UsageError(`the command is missing; type: ${USAGE}`);
  if (rest.length === 0 && !isFile(first)) return first;
  refuseNotExecutable(first);
  const program = first.includes('/') ? resolve(first) : first;
  const paths = rest.map((word) => (isFile(word) ? resolve(word) : word));
  return [program, ...paths].map(quoteForShell).join(' ');
}

const USAGE = 'untildone conformance -- bash /path/to/stop-hook.sh';

function refuseNotExecutable(program: string): void {
  if (!program.includes('/') || !isFile(program)) return;
  try {
    accessSync(program, constants.X_OK);
  } catch {
    const path = quoteForShell(resolve(program));
    throw new UsageError(
      `${program} is not executable, so Claude Code cannot start it either: chmod +x ${path}`,
    );
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
