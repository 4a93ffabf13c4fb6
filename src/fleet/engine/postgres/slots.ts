/** Slots, who waits for them, and the beat of a worker, which renews them. */
import type { Slot } from '../../../core/fleet/limits.ts';
import type { WorkerView } from '../../../ports/fleet.ts';
import { type Beaten, type Records, SLOT_MS } from '../records.ts';
import { storable } from '../storable.ts';
import { keptIn } from './kept.ts';
import { type Database, NOW, type Queryable } from './tables.ts';

type SlotRecords = Pick<Records, 'claimSlots' | 'releaseSlots' | 'wakeable' | 'wakeAll' | 'beat'>;

export function slotRecords(db: Database): SlotRecords {
  return {
    async claimSlots(run, by, slots: readonly Slot[]) {
      return db.together(async (client) => {
        await lockSlots(client);
        const full = await fullOne(client, run, slots);
        if (full !== undefined) return full;
        const names = slots.map(({ name }) => name);
        await client.query('DELETE FROM fleet_slot WHERE run = $1 AND name <> ALL($2)', [run, names]);
        await client.query(
          `INSERT INTO fleet_slot SELECT name, $1, $2, ${NOW} + ${SLOT_MS} FROM unnest($3::text[]) AS name
           ON CONFLICT (name, run) DO UPDATE SET claimed_by = excluded.claimed_by, until = excluded.until`,
          [run, by, names],
        );
        return undefined;
      });
    },
    async releaseSlots(run, by) {
      return db.together(async (client) => {
        await lockSlots(client);
        const { rows } = await client.query<{ name: string }>(
          'DELETE FROM fleet_slot WHERE run = $1 AND claimed_by = $2 RETURNING name',
          [run, by],
        );
        const woken: string[] = [];
        for (const { name } of rows) woken.push(...(await wakeSome(client, name, 1)));
        return woken;
      });
    },
    async wakeable(of) {
      // Without the lock first: mostly nobody waits.
      const waited = await db.query<{ name: string }>(
        'SELECT DISTINCT waits_for AS name FROM fleet_run WHERE waits_for IS NOT NULL AND ($1::text IS NULL OR waits_for = $1)',
        [of ?? null],
      );
      if (waited.rows.length === 0) return [];
      return db.together(async (client) => {
        await lockSlots(client);
        const woken: string[] = [];
        for (const { name } of waited.rows) woken.push(...(await wakeSome(client, name, 100)));
        return woken;
      });
    },
    async wakeAll() {
      const { rows } = await db.query<{ run: string }>(
        'UPDATE fleet_run SET waits_for = NULL WHERE waits_for IS NOT NULL RETURNING run',
      );
      return rows.map(({ run }) => run);
    },
    async beat(worker: WorkerView, by, runs) {
      const { rows } = await db.query<{ drain: boolean; paused: boolean }>(
        `WITH renewed AS (
           UPDATE fleet_slot SET until = ${NOW} + ${SLOT_MS} WHERE run = ANY($4) AND claimed_by = $5
         )
         INSERT INTO fleet_worker (name, view, beaten) VALUES ($1, $2, ${NOW})
         ON CONFLICT (name) DO UPDATE SET view = excluded.view, beaten = excluded.beaten
         RETURNING coalesce(drain_since >= $3::bigint, false) AS drain,
           EXISTS (SELECT 1 FROM fleet_value WHERE name = 'paused') AS paused`,
        [worker.name, storable(worker), worker.startedAt, runs, by],
      );
      const asked = await db.query<{ run: string; id: string; command: unknown }>(
        'SELECT run, id, command FROM fleet_command WHERE run = ANY($1) ORDER BY n',
        [runs],
      );
      const commands: Beaten['commands'] = {};
      for (const { run, ...row } of asked.rows) {
        commands[run] ??= [];
        commands[run].push(row);
      }
      const orders = await keptIn(db, 'orders');
      return { commands, drain: rows[0]?.drain === true, paused: rows[0]?.paused === true, orders };
    },
  };
}

/** Claims and releases of a schema come one after the other. They are short. */
async function lockSlots(client: Queryable): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtext('untildone slots'), hashtext(current_schema()))");
}

async function fullOne(client: Queryable, run: string, slots: readonly Slot[]): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `WITH wanted AS (SELECT * FROM unnest($2::text[], $3::int[]) WITH ORDINALITY AS w(name, most, place)),
       known AS (
         INSERT INTO fleet_places SELECT name, most FROM wanted ON CONFLICT (name) DO UPDATE SET most = excluded.most
       ),
       lapsed AS (DELETE FROM fleet_slot WHERE until < ${NOW} AND run <> $1 AND name = ANY($2))
     SELECT name FROM wanted
      WHERE NOT EXISTS (SELECT 1 FROM fleet_slot s WHERE s.name = wanted.name AND s.run = $1)
        AND (SELECT count(*) FROM fleet_slot s WHERE s.name = wanted.name AND s.until >= ${NOW}) >= most
      ORDER BY place LIMIT 1`,
    [run, slots.map(({ name }) => name), slots.map(({ most }) => most)],
  );
  return rows[0]?.name;
}

async function wakeSome(client: Queryable, name: string, atMost: number): Promise<string[]> {
  const { rows } = await client.query<{ run: string }>(
    `UPDATE fleet_run SET waits_for = NULL WHERE run IN (
       SELECT run FROM fleet_run WHERE waits_for = $1 ORDER BY waits_since
        LIMIT greatest(0, least($2::int, coalesce((SELECT most FROM fleet_places WHERE name = $1), 0)
          - (SELECT count(*)::int FROM fleet_slot WHERE name = $1 AND until >= ${NOW}))))
     RETURNING run`,
    [name, atMost],
  );
  return rows.map(({ run }) => run);
}
