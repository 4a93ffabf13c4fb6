/** The whole suite: all scenarios, in all formats that a hook reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseScenario } from './parse.ts';
import { probe } from './probe.ts';
import { type HookUnderTest, type Outcome, replay } from './replay.ts';
import { permissionsCount } from './run-command.ts';
import { FORMATS, type Format, type Scenario } from './scenario.ts';

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

export interface SuiteOptions {
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
  const hook = await probe(line, formats, signal);
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
