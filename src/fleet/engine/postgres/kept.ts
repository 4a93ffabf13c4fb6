/** Texts that are kept by shelf and name, among the values of the fleet. */
import { type Records, SPENT_DAYS } from '../records.ts';
import type { Database, Queryable } from './tables.ts';

const nameOf = (shelf: string, name: string) => `kept ${shelf} ${name}`;

export function keptRecords(db: Database): Pick<Records, 'keep' | 'kept'> {
  return {
    async keep(shelf, name, text) {
      await db.query(
        'INSERT INTO fleet_value VALUES ($1, to_jsonb($2::text)) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        [nameOf(shelf, name), text],
      );
    },
    kept: (shelf) => keptIn(db, shelf),
  };
}

export async function keptIn(db: Queryable, shelf: string): Promise<Record<string, string>> {
  const begin = nameOf(shelf, '');
  const { rows } = await db.query<{ name: string; value: unknown }>(
    'SELECT name, value FROM fleet_value WHERE starts_with(name, $1)',
    [begin],
  );
  return Object.fromEntries(
    rows.flatMap(({ name, value }) =>
      typeof value === 'string' ? [[name.slice(begin.length), value] as const] : [],
    ),
  );
}

export async function pruneKept(db: Queryable): Promise<void> {
  await db.query(
    `DELETE FROM fleet_value WHERE starts_with(name, 'kept spent:')
       AND substr(name, 12, 10) < to_char(now() - interval '${SPENT_DAYS} days', 'YYYY-MM-DD')`,
  );
}
