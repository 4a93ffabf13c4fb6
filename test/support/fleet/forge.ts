/** Writes into a real store what only its password is needed for: the rows of somebody who does not have the secret. */
import { Redis } from 'ioredis';
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

/** `space`: the prefix of keys. */
export function forgeIn({ url }: Store, space: string): Forge {
  const p = `${space}:fleet:`;
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
