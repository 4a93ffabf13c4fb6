/** Writes into a real store what only its password is needed for: the rows of somebody who does not have the secret. */
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Store } from './stores.ts';

export interface Forge {
  /** `text`: JSON, or what is none. */
  command(run: string, id: string, text: string): Promise<void>;
  limits(value: unknown): Promise<void>;
  /** The text in a shelf; undefined takes it away. */
  kept(shelf: string, name: string, text: string | undefined): Promise<void>;
  /** Lowers what was spent to nothing, and says that everything was counted. */
  nothingSpent(day: string): Promise<void>;
  news(run: string, value: unknown): Promise<void>;
  worker(name: string, value: unknown): Promise<void>;
  close(): Promise<void>;
}

/** `space`: the prefix or the schema. */
export function forgeIn({ kind, url }: Store, space: string): Forge {
  return kind === 'redis' ? inRedis(url, `${space}:fleet:`) : inPostgres(url, space);
}

function inRedis(url: string, p: string): Forge {
  const client = new Redis(url);
  return {
    command: async (run, id, text) => {
      await client.hset(`${p}commands:${run}`, id, `${'9'.repeat(20)}${text}`);
    },
    limits: async (value) => void (await client.set(`${p}limits`, JSON.stringify(value))),
    kept: async (shelf, name, text) => {
      if (text === undefined) await client.hdel(`${p}kept:${shelf}`, name);
      else await client.hset(`${p}kept:${shelf}`, name, text);
    },
    nothingSpent: async (day) => void (await client.del(`${p}spent:${day}`, `${p}kept:spent:${day}`)),
    news: async (run, value) => void (await client.hset(`${p}run:${run}`, 'news', JSON.stringify(value))),
    worker: async (name, value) => {
      await client.set(`${p}worker:${name}`, JSON.stringify(value));
      await client.zadd(`${p}workers`, Date.now(), name);
    },
    close: async () => client.disconnect(),
  };
}

function inPostgres(url: string, schema: string): Forge {
  const pool = new pg.Pool({ connectionString: url, max: 1, options: `-c search_path=${schema}` });
  const query = async (text: string, values: unknown[] = []) => void (await pool.query(text, values));
  return {
    command: (run, id, text) =>
      query('INSERT INTO fleet_command (run, id, command) VALUES ($1, $2, $3)', [run, id, jsonOf(text)]),
    limits: (value) =>
      query(
        `INSERT INTO fleet_value VALUES ('limits', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [JSON.stringify(value)],
      ),
    kept: (shelf, name, text) =>
      text === undefined
        ? query('DELETE FROM fleet_value WHERE name = $1', [`kept ${shelf} ${name}`])
        : query(
            'INSERT INTO fleet_value VALUES ($1, to_jsonb($2::text)) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
            [`kept ${shelf} ${name}`, text],
          ),
    nothingSpent: async (day) => {
      await query('DELETE FROM fleet_spent WHERE day = $1', [day]);
      await query('DELETE FROM fleet_value WHERE starts_with(name, $1)', [`kept spent:${day}`]);
    },
    news: (run, value) =>
      query('UPDATE fleet_run SET news = $2 WHERE run = $1', [run, JSON.stringify(value)]),
    worker: (name, value) =>
      query('INSERT INTO fleet_worker (name, view, beaten) VALUES ($1, $2, $3)', [
        name,
        JSON.stringify(value),
        Date.now(),
      ]),
    close: () => pool.end(),
  };
}

/** A column of JSON takes nothing else: what is none becomes a text there. */
function jsonOf(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
