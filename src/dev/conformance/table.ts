import { FORMATS, type Format } from './scenario.ts';
import type { Result, SuiteReport } from './suite.ts';

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
