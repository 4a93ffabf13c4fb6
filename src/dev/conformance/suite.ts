import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseScenario } from './parse.ts';
import { type HookUnderTest, type Outcome, probe, replay } from './replay.ts';
import { permissionsCount } from './run-command.ts';
import { FORMATS, type Format, type Scenario } from './scenario.ts';

/** The whole suite: all scenarios, in all formats that a hook reads. */

export interface Result {
  scenario: string;
  title: string;
  format: Format;
  outcome: Outcome;
}

export interface SuiteReport {
  hook: HookUnderTest;
  results: Result[];
}

interface SuiteOptions {
  line: string;
  scenarios: readonly Scenario[];
  /** Only these formats. */
  formats: readonly Format[];
  untildone: readonly string[];
  signal?: AbortSignal | undefined;
}

/** Every scenario of a folder, by name. Throws `ScenarioError` for one that cannot be understood. */
export function loadScenarios(folder: string): Scenario[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .map((file) => file.slice(0, -'.txt'.length))
    .sort()
    .map((name) => parseScenario(name, readFileSync(join(folder, `${name}.txt`), 'utf8')));
}

/** Throws `UnusableHook` when the command cannot be judged at all. */
export async function runSuite(options: SuiteOptions): Promise<SuiteReport> {
  const { line, scenarios, formats, untildone, signal } = options;
  const hook = await probe(line, formats, { signal });
  const bench = { untildone, permissionsCount: permissionsCount(), signal };
  const results = await inParallel(casesOf(scenarios, formats), signal, async ({ scenario, format }) => ({
    scenario: scenario.name,
    title: scenario.title,
    format,
    outcome: await replay(scenario, format, hook, bench),
  }));
  return { hook, results };
}

/** Each scenario once for every format that it is about. */
export function casesOf(
  scenarios: readonly Scenario[],
  formats: readonly Format[],
): { scenario: Scenario; format: Format }[] {
  return scenarios.flatMap((scenario) =>
    FORMATS.filter((format) => formats.includes(format) && scenario.formats.includes(format)).map(
      (format) => ({
        scenario,
        format,
      }),
    ),
  );
}

/** In the order of the items, however long each takes. */
async function inParallel<T, R>(
  items: readonly T[],
  signal: AbortSignal | undefined,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = [...items.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next && !signal?.aborted; next = queue.shift())
      results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: Math.min(8, availableParallelism()) }, worker));
  return results;
}

export interface Counts {
  passed: number;
  failed: number;
  not_applicable: number;
}

export function countsOf(results: readonly Result[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, not_applicable: 0 };
  for (const { outcome } of results) counts[outcome.kind] += 1;
  return counts;
}

const CELLS = { passed: 'passed', failed: 'FAILED', not_applicable: 'n/a' } as const;

/** A row for each scenario, a column for each format; then what failed, and how; then the counts. */
export function tableOf({ results, hook }: SuiteReport): string[] {
  const formats = FORMATS.filter((format) => results.some((result) => result.format === format));
  const names = [...new Set(results.map((result) => result.scenario))];
  const width = Math.max(8, ...names.map((name) => name.length));
  const rows = names.map((name) => {
    const ofScenario = results.filter((result) => result.scenario === name);
    return [name.padEnd(width), ...formats.map((format) => cellOf(ofScenario, format))].join('  ').trimEnd();
  });
  const head = ['scenario'.padEnd(width), ...formats].join('  ');
  const { passed, failed, not_applicable: notApplicable } = countsOf(results);
  return [
    head,
    ...rows,
    ...failuresOf(results),
    '',
    hook.line,
    `reads ${readBy(hook).join(', ')}; ${passed} passed, ${failed} failed, ${notApplicable} not applicable`,
  ];
}

function readBy({ reads }: SuiteReport['hook']): Format[] {
  return FORMATS.filter((format) => reads[format].length > 0);
}

function cellOf(ofScenario: readonly Result[], format: Format): string {
  const result = ofScenario.find((r) => r.format === format);
  return (result ? CELLS[result.outcome.kind] : '-').padEnd(format.length);
}

function failuresOf(results: readonly Result[]): string[] {
  const lines = results.flatMap(({ scenario, format, outcome }) =>
    outcome.kind === 'failed'
      ? [
          `FAILED  ${format}  ${scenario}.txt:${outcome.line}  ${outcome.step.replace(/:$/, '')}: ${outcome.difference}`,
        ]
      : [],
  );
  return lines.length === 0 ? [] : ['', ...lines];
}

/** The same for programs; fields are added, never changed. */
export function jsonOf({ results, hook }: SuiteReport): object {
  return {
    hook: hook.line,
    untildone: hook.isUntildone,
    reads: readBy(hook),
    results: results.map(({ scenario, title, format, outcome }) => {
      const { kind, ...rest } = outcome;
      return { scenario, title, dialect: format, result: kind, ...rest };
    }),
    counts: countsOf(results),
  };
}
