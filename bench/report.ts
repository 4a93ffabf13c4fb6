import type { Samples } from './sampler.ts';
import { pairedRatios, quartiles } from './statistics.ts';

/** One line of the table: a variant against what it is compared with. */
export interface Row {
  /** What is measured. */
  name: string;
  /** What it is compared with. */
  against: string;
  unit: 'ms' | 'MB' | 'KB' | 'per s' | 'of them';
  ratioOfMedians: number;
  /** Quartiles of the ratios within the rounds; absent where the samples are not paired. */
  paired?: { first: number; median: number; third: number };
  cpuRatio?: number;
  median: number;
  baseMedian: number;
  /** The ratio may be this large. */
  target?: number;
  /** Instead of a ratio: the median may be so many milliseconds larger. */
  mostMoreMs?: number;
}

export interface Compared {
  name: string;
  against: string;
  unit?: Row['unit'];
  target?: number;
  mostMoreMs?: number;
}

/** Samples of the same rounds. */
export function comparePaired(samples: Samples, base: Samples, compared: Compared): Row {
  const ratios = pairedRatios(samples.values, base.values);
  const cpuRatio = samples.cpuMs && base.cpuMs ? samples.cpuMs / base.cpuMs : undefined;
  return {
    ...compareMedians(samples.values, base.values, compared),
    paired: quartiles(ratios),
    ...(cpuRatio === undefined || compared.unit === 'MB' ? {} : { cpuRatio }),
  };
}

export function compareMedians(values: readonly number[], base: readonly number[], compared: Compared): Row {
  const { median } = quartiles(values);
  const { median: baseMedian } = quartiles(base);
  return { unit: 'ms', ...compared, ratioOfMedians: median / baseMedian, median, baseMedian };
}

/** The figure that is held against the target. */
export function ratioOf(row: Row): number {
  return row.paired?.median ?? row.ratioOfMedians;
}

const HEAD = ['measured', 'against', 'ratio', 'quartiles', 'of medians', 'CPU', 'medians', 'target', ''];

export function renderTable(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

function cellsOf(row: Row): string[] {
  const { paired, cpuRatio } = row;
  return [
    row.name,
    row.against,
    ratioOf(row).toFixed(2),
    paired ? `${paired.first.toFixed(2)} to ${paired.third.toFixed(2)}` : '',
    row.ratioOfMedians.toFixed(2),
    cpuRatio?.toFixed(2) ?? '',
    `${amount(row.median)} / ${amount(row.baseMedian)} ${row.unit}`,
    ...targetCells(row),
  ];
}

function targetCells({ target, mostMoreMs, ...row }: Row): string[] {
  const verdict = (isMet: boolean) => (isMet ? 'target met' : 'target missed');
  if (mostMoreMs !== undefined) {
    const more = row.median - row.baseMedian;
    return [`<= ${mostMoreMs} ms more`, `${more.toFixed(1)} ms more, ${verdict(more <= mostMoreMs)}`];
  }
  return target === undefined ? ['', ''] : [`<= ${target}`, verdict(ratioOf(row) <= target)];
}

function amount(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}
