import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepRow, keptRows, rowFor } from '../../foreign/kept.ts';
import { SOURCES } from '../../foreign/sources/all.ts';
import { temporaryFolder } from '../support/files/workers.ts';
import { played } from './rows.ts';

test('what was played is kept, also behind a line that was cut off; what was not played is played again', () => {
  const file = join(temporaryFolder(), 'rows.jsonl');
  expect(keptRows(file)).toEqual([]);
  const rows = [played(), played({ name: 'b/b', result: 'broken' }), played({ name: 'c/c' })];
  for (const row of rows.slice(0, 2)) keepRow(file, row);
  appendFileSync(file, '{"name":"cut');
  keepRow(file, played({ name: 'c/c' }));
  expect(keptRows(file)).toEqual([played(), played({ name: 'c/c' })]);
});

test('a row counts for the same commit and size only', () => {
  const [source] = SOURCES;
  if (source === undefined) throw new Error('there are no sources');
  const { name, commit } = source;
  const row = played({ name, commit });
  expect(rowFor(source, [row])).toBe(row);
  expect(rowFor(source, [{ ...row, commit: 'b'.repeat(40) }])).toBeUndefined();
  expect(rowFor({ ...source, scale: 1 }, [{ ...row, scale: 0.1 }])).toBeUndefined();
});
