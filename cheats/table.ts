import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Outcome } from './stage/play.ts';

/** The verdict on every case: a golden file, which `--update` writes. */
export const TABLE = resolve('test/golden/expected/cheats.txt');

/** `vitest-only: caught (active) by tests, intact`. What the machine lacks for a case is no verdict on it. */
export function rowOf({ played, result, status, refused, gates }: Outcome): string | undefined {
  if (result === 'not run') return undefined;
  const by = [...(refused.length > 0 ? ['a refused step'] : []), ...gates];
  return `${played.name}: ${result} (${status})${by.length > 0 ? ` by ${by.join(', ')}` : ''}`;
}

/** The name of the case that a row is about. */
export function caseOf(row: string): string {
  return row.slice(0, row.indexOf(': '));
}

export function knownRows(file = TABLE): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').filter(Boolean) : [];
}

/** Rows that are other than in the table, each with the known one before it. */
export function differences(outcomes: readonly Outcome[], known: readonly string[]): string[] {
  return rowsOf(outcomes).flatMap((row) => {
    const before = known.find((one) => caseOf(one) === caseOf(row));
    return before === row ? [] : [`- ${before ?? `${caseOf(row)}: not in the table`}`, `+ ${row}`];
  });
}

/** Puts the rows of these outcomes into the table, in the order of names. */
export function updateTable(outcomes: readonly Outcome[], file = TABLE): void {
  const rows = new Map([...knownRows(file), ...rowsOf(outcomes)].map((row) => [caseOf(row), row]));
  const names = [...rows.keys()].sort();
  writeFileSync(file, names.map((name) => `${rows.get(name)}\n`).join(''));
}

function rowsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.map(rowOf).filter((row) => row !== undefined);
}
