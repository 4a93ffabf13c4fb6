/** The file of rows with which an interrupted run goes on. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Row } from './row.ts';
import type { Source } from './source.ts';

/** The last row of each project that was played to its end. A line that was cut off is none. */
export function keptRows(file: string): Row[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const last = new Map(lines.flatMap(parsed).map((row) => [row.name, row]));
  return [...last.values()].filter(({ result }) => result === 'played');
}

function parsed(line: string): Row[] {
  try {
    return [JSON.parse(line) as Row];
  } catch {
    return [];
  }
}

/** The kept row of a source as it is now. */
export function rowFor(source: Source, rows: readonly Row[]): Row | undefined {
  return rows.find(
    ({ name, commit, scale }) => name === source.name && commit === source.commit && scale === source.scale,
  );
}

export function keepRow(file: string, row: Row): void {
  // What follows a line that was cut off begins a line of its own.
  const isCut = existsSync(file) && !/(^|\n)$/.test(readFileSync(file, 'utf8').slice(-1));
  appendFileSync(file, `${isCut ? '\n' : ''}${JSON.stringify(row)}\n`);
}
