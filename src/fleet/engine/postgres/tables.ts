/**
 * Our tables beside those of BullMQ, in the same schema. Versions only add: an older untildone goes on working on what a
 * newer one has made, and leaves it alone.
 */
import { within } from '../away.ts';
import type { Bull } from '../load.ts';

export interface Queryable {
  query<R>(text: string, values?: readonly unknown[]): Promise<{ rows: R[] }>;
}

export interface Database extends Queryable {
  /** All or nothing, on one connection. */
  together<T>(work: (client: Queryable) => Promise<T>): Promise<T>;
}

/** Milliseconds of the database's clock. */
export const NOW = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

/** The place in this list plus one is the version. Never change an entry: add one. */
const VERSIONS = [
  `
  CREATE TABLE IF NOT EXISTS fleet_lane (lane text PRIMARY KEY, labels jsonb NOT NULL);
  CREATE TABLE IF NOT EXISTS fleet_run (
    run text PRIMARY KEY, lane text NOT NULL, failures integer NOT NULL DEFAULT 0, why text, news jsonb, settled text,
    not_before bigint, holder text, waits_for text, waits_since bigint, base bigint NOT NULL DEFAULT 0,
    touched bigint NOT NULL DEFAULT ${NOW}, until bigint, lines_until bigint
  );
  CREATE INDEX IF NOT EXISTS fleet_run_waits ON fleet_run (waits_for, waits_since) WHERE waits_for IS NOT NULL;
  CREATE INDEX IF NOT EXISTS fleet_run_until ON fleet_run (until) WHERE until IS NOT NULL;
  CREATE INDEX IF NOT EXISTS fleet_run_lines ON fleet_run (lines_until) WHERE lines_until IS NOT NULL;
  CREATE TABLE IF NOT EXISTS fleet_line (run text NOT NULL, place bigint NOT NULL, line text NOT NULL, PRIMARY KEY (run, place));
  CREATE TABLE IF NOT EXISTS fleet_command (
    n bigserial PRIMARY KEY, run text NOT NULL, id text NOT NULL, command jsonb NOT NULL, asked bigint NOT NULL DEFAULT ${NOW},
    UNIQUE (run, id)
  );
  CREATE TABLE IF NOT EXISTS fleet_slot (
    name text NOT NULL, run text NOT NULL, claimed_by text NOT NULL, until bigint NOT NULL, PRIMARY KEY (name, run)
  );
  CREATE INDEX IF NOT EXISTS fleet_slot_run ON fleet_slot (run);
  CREATE TABLE IF NOT EXISTS fleet_places (name text PRIMARY KEY, most integer NOT NULL);
  CREATE TABLE IF NOT EXISTS fleet_worker (name text PRIMARY KEY, view jsonb, beaten bigint NOT NULL DEFAULT 0, drain_since bigint);
  CREATE TABLE IF NOT EXISTS fleet_value (name text PRIMARY KEY, value jsonb NOT NULL);
  CREATE TABLE IF NOT EXISTS fleet_spent (day text NOT NULL, source text NOT NULL, repo text NOT NULL, usd double precision NOT NULL, PRIMARY KEY (day, source));
  CREATE TABLE IF NOT EXISTS fleet_minute (minute bigint NOT NULL, model text NOT NULL, count integer NOT NULL, PRIMARY KEY (minute, model));
  `,
];
/** Any number that others hardly use for a lock in this database. */
const LOCK = 518_1800;

/** Makes or completes the tables of BullMQ and ours. Several may do this at once, and a user who may not create needs not. */
export async function prepareSchema(
  bull: Bull,
  client: Queryable,
  schema: string,
  answerMs: number,
): Promise<void> {
  const made = await within(answerMs, 'the tables', versions(bull, client, schema));
  if (made.bull < bull.LATEST_SCHEMA_VERSION) await bull.runMigrations(client, schema);
  if (made.ours >= VERSIONS.length) return;
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK, schema]);
    await client.query(`SET LOCAL search_path TO "${schema}"`);
    await client.query('CREATE TABLE IF NOT EXISTS fleet_version (version integer PRIMARY KEY)');
    const { rows } = await client.query<{ version: number }>(
      'SELECT coalesce(max(version), 0)::int AS version FROM fleet_version',
    );
    for (let version = (rows[0]?.version ?? 0) + 1; version <= VERSIONS.length; version += 1) {
      await client.query(VERSIONS[version - 1] ?? '');
      await client.query('INSERT INTO fleet_version VALUES ($1)', [version]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function versions(
  bull: Bull,
  client: Queryable,
  schema: string,
): Promise<{ bull: number; ours: number }> {
  const { rows } = await client.query<{ ours: string | null; theirs: string | null }>(
    'SELECT to_regclass($1)::text AS ours, to_regclass($2)::text AS theirs',
    [`"${schema}".fleet_version`, `"${schema}".migration`],
  );
  const theirs = rows[0]?.theirs == null ? 0 : await bull.assertSchemaCompatibility(client, schema);
  if (rows[0]?.ours == null) return { bull: theirs, ours: 0 };
  const made = await client.query<{ version: number }>(
    `SELECT coalesce(max(version), 0)::int AS version FROM "${schema}".fleet_version`,
  );
  return { bull: theirs, ours: made.rows[0]?.version ?? 0 };
}
