import type { RunCommand } from '../../../ports/fleet.ts';
import { labelsIn, limitsIn, newsIn, workerIn } from '../readable.ts';
import {
  DAY_MS,
  DEAD_LINES_DAYS,
  ENDED_DAYS,
  ENDED_LINES_DAYS,
  PRESENCE_MS,
  type Records,
  type RunRecord,
} from '../records.ts';
import { storable } from '../storable.ts';
import { keptRecords, pruneKept } from './kept.ts';
import { lineRecords } from './lines.ts';
import { slotRecords } from './slots.ts';
import { type Database, NOW } from './tables.ts';

interface RunRow {
  run: string;
  lane: string;
  failures: number;
  why: string | null;
  news: unknown;
  settled: string | null;
  not_before: string | null;
}

export function postgresRecords(db: Database): Records {
  const value = async (name: string): Promise<unknown> => {
    const { rows } = await db.query<{ value: unknown }>('SELECT value FROM fleet_value WHERE name = $1', [
      name,
    ]);
    return rows[0]?.value;
  };
  const setValue = (name: string, to: unknown) =>
    db.query(
      'INSERT INTO fleet_value VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [name, storable(to)],
    );

  return {
    ...slotRecords(db),
    ...lineRecords(db),
    ...keptRecords(db),
    async lanes() {
      const { rows } = await db.query<{ lane: string; labels: unknown; paused: boolean }>(
        `SELECT lane, labels, EXISTS (SELECT 1 FROM fleet_value WHERE name = 'paused') AS paused
           FROM (VALUES (1)) AS one(n) LEFT JOIN fleet_lane ON true`,
      );
      const lanes = rows.flatMap(({ lane, labels }) => {
        const known = labelsIn(labels);
        return lane === null || known === undefined ? [] : [[lane, known] as const];
      });
      return { lanes: Object.fromEntries(lanes), paused: rows[0]?.paused === true };
    },
    async claimRun(run, lane, labels, notBefore) {
      await db.query('INSERT INTO fleet_lane VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        lane,
        storable(labels),
      ]);
      const made = await db.query<{ lane: string }>(
        'INSERT INTO fleet_run (run, lane, not_before) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING lane',
        [run, lane, notBefore],
      );
      if (made.rows.length > 0) return { lane, fresh: true };
      const known = await db.query<{ lane: string }>('SELECT lane FROM fleet_run WHERE run = $1', [run]);
      return { lane: known.rows[0]?.lane ?? lane, fresh: false };
    },
    async setLane(run, lane) {
      await db.query('UPDATE fleet_run SET lane = $2 WHERE run = $1', [run, lane]);
    },
    async runs(runs) {
      const { rows } = await db.query<RunRow>(
        'SELECT run, lane, failures, why, news, settled, not_before FROM fleet_run WHERE run = ANY($1)',
        [runs],
      );
      const byRun = new Map(rows.map((row) => [row.run, recordOf(row)]));
      return runs.map((run) => byRun.get(run));
    },
    async taken(run, lane, token) {
      const { rows } = await db.query<{ failures: number }>(
        `INSERT INTO fleet_run (run, lane, holder) VALUES ($1, $2, $3)
         ON CONFLICT (run) DO UPDATE SET lane = $2, holder = $3, settled = NULL, waits_for = NULL, until = NULL,
           lines_until = NULL, touched = ${NOW}
         RETURNING failures`,
        [run, lane, token],
      );
      return rows[0]?.failures ?? 0;
    },
    async putBack(run, { token, why, failures, waitsFor, notBefore }) {
      await db.query(
        `UPDATE fleet_run SET settled = $2, why = $3, not_before = $6, waits_for = $5, waits_since = ${NOW}, touched = ${NOW},
           failures = CASE $4 WHEN 'more' THEN failures + 1 WHEN 'none' THEN 0 ELSE failures END
         WHERE run = $1 AND settled IS DISTINCT FROM $2`,
        [run, token, why ?? null, failures, waitsFor ?? null, notBefore],
      );
    },
    async settle(run, token, why) {
      await db.query(`UPDATE fleet_run SET settled = $2, why = $3, touched = ${NOW} WHERE run = $1`, [
        run,
        token,
        why ?? null,
      ]);
    },
    async ended(run, dead) {
      await db.query(
        `WITH gone AS (DELETE FROM fleet_command WHERE run = $1)
         UPDATE fleet_run SET waits_for = NULL, failures = 0, until = ${NOW} + $2::bigint, lines_until = ${NOW} + $3::bigint WHERE run = $1`,
        [run, dead ? null : (ENDED_DAYS + 1) * DAY_MS, (dead ? DEAD_LINES_DAYS : ENDED_LINES_DAYS) * DAY_MS],
      );
    },
    async revive(run) {
      await db.query(
        `UPDATE fleet_run SET waits_for = NULL, failures = 0, why = NULL, settled = NULL, until = NULL, lines_until = NULL,
           touched = ${NOW} WHERE run = $1`,
        [run],
      );
    },
    async forget(run) {
      await db.query(
        `WITH lines AS (DELETE FROM fleet_line WHERE run = $1), commands AS (DELETE FROM fleet_command WHERE run = $1)
         DELETE FROM fleet_run WHERE run = $1`,
        [run],
      );
    },
    async command(run, command: RunCommand) {
      await db.query(
        'INSERT INTO fleet_command (run, id, command) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [run, command.id, storable(command)],
      );
    },
    async acknowledge(run, commands) {
      await db.query('DELETE FROM fleet_command WHERE run = $1 AND id = ANY($2)', [run, commands]);
    },
    async pending(run) {
      const { rows } = await db.query<{ id: string }>('SELECT id FROM fleet_command WHERE run = $1', [run]);
      return rows.map(({ id }) => id);
    },
    async workers() {
      const { rows } = await db.query<{ view: unknown }>(
        `SELECT view FROM fleet_worker WHERE view IS NOT NULL AND beaten > ${NOW} - $1 ORDER BY name`,
        [PRESENCE_MS],
      );
      return rows.flatMap(({ view }) => workerIn(view) ?? []);
    },
    async drain(worker, on) {
      const since = on ? NOW : 'NULL::bigint';
      await db.query(
        `INSERT INTO fleet_worker (name, drain_since) VALUES ($1, ${since}) ON CONFLICT (name) DO UPDATE SET drain_since = excluded.drain_since`,
        [worker],
      );
    },
    async pause(on) {
      if (on) await setValue('paused', true);
      else await db.query("DELETE FROM fleet_value WHERE name = 'paused'");
    },
    async limits() {
      return limitsIn(await value('limits'));
    },
    async setLimits(limits) {
      await setValue('limits', limits);
    },
    async spend(day, repo, usd, of) {
      await db.query(
        'INSERT INTO fleet_spent (day, source, repo, usd) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
        [day, of, repo, usd],
      );
    },
    async spent(day) {
      const { rows } = await db.query<{ repo: string; usd: number }>(
        'SELECT repo, sum(usd) AS usd FROM fleet_spent WHERE day = $1 GROUP BY repo',
        [day],
      );
      const byRepo = Object.fromEntries(rows.map(({ repo, usd }) => [repo, usd]));
      return { day, usd: rows.reduce((sum, { usd }) => sum + usd, 0), byRepo };
    },
    async countIteration(model, mostPerMinute) {
      const counted = await db.query(
        `INSERT INTO fleet_minute AS m SELECT ${NOW} / 60000, $1, 1 WHERE $2 > 0
         ON CONFLICT (minute, model) DO UPDATE SET count = m.count + 1 WHERE m.count < $2
         RETURNING count`,
        [model, mostPerMinute],
      );
      if (counted.rows.length > 0) return 0;
      const { rows } = await db.query<{ left: string }>(`SELECT 60000 - ${NOW} % 60000 AS left`);
      return Number(rows[0]?.left ?? 1_000);
    },
    async prune() {
      await db.query(
        `DELETE FROM fleet_line USING fleet_run r WHERE r.run = fleet_line.run AND r.lines_until < ${NOW}`,
      );
      await db.query(`UPDATE fleet_run SET lines_until = NULL WHERE lines_until < ${NOW}`);
      await db.query(
        `WITH gone AS (DELETE FROM fleet_run WHERE until < ${NOW} RETURNING run)
         DELETE FROM fleet_line WHERE run IN (SELECT run FROM gone)`,
      );
      await db.query(`DELETE FROM fleet_minute WHERE minute < ${NOW} / 60000 - 2`);
      await db.query(
        `DELETE FROM fleet_worker WHERE beaten < ${NOW} - $1 AND coalesce(drain_since, 0) < ${NOW} - $1`,
        [DAY_MS],
      );
      await pruneKept(db);
      await db.query(`DELETE FROM fleet_spent WHERE day < to_char(now() - interval '62 days', 'YYYY-MM-DD')`);
      await db.query(`DELETE FROM fleet_command WHERE asked < ${NOW} - $1`, [60 * DAY_MS]);
      await db.query(`DELETE FROM fleet_slot WHERE until < ${NOW} - $1`, [DAY_MS]);
    },
  };
}

function recordOf(row: RunRow): RunRecord {
  const news = newsIn(row.news);
  return {
    lane: row.lane,
    failures: row.failures,
    ...(row.why === null ? {} : { why: row.why }),
    ...(news === undefined ? {} : { news }),
    ...(row.not_before === null ? {} : { notBefore: Number(row.not_before) }),
    ...(row.settled === null ? {} : { settled: row.settled }),
  };
}
