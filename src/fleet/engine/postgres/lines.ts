/** Told journal lines. */
import type { RunNews } from '../../../ports/fleet.ts';
import { LINES_KEPT, type Records } from '../records.ts';
import { storable } from '../storable.ts';
import { type Database, NOW } from './tables.ts';

export function lineRecords(db: Database): Pick<Records, 'tell' | 'lines'> {
  return {
    async tell(run, news: RunNews, lines, from) {
      await db.together(async (client) => {
        const known = await client.query<{ base: string; next: string }>(
          `SELECT base, (SELECT coalesce(max(place) + 1, base) FROM fleet_line WHERE run = $1) AS next
             FROM fleet_run WHERE run = $1 FOR UPDATE`,
          [run],
        );
        const row = known.rows[0];
        if (row === undefined) return;
        const next = Number(row.next);
        const first = from ?? next;
        // After a gap, what was told before has no place any more.
        if (first > next) await client.query('DELETE FROM fleet_line WHERE run = $1', [run]);
        else if (first < next)
          await client.query('DELETE FROM fleet_line WHERE run = $1 AND place >= $2', [run, first]);
        const oldest = first > next || first < Number(row.base) ? first : Number(row.base);
        await client.query(
          'INSERT INTO fleet_line SELECT $1, $2::bigint + place - 1, line FROM unnest($3::text[]) WITH ORDINALITY AS l(line, place)',
          [run, first, lines],
        );
        const base = Math.max(oldest, first + lines.length - LINES_KEPT);
        if (base > oldest)
          await client.query('DELETE FROM fleet_line WHERE run = $1 AND place < $2', [run, base]);
        await client.query(`UPDATE fleet_run SET news = $2, base = $3, touched = ${NOW} WHERE run = $1`, [
          run,
          storable(news),
          base,
        ]);
      });
    },
    async lines(run, from, most) {
      const { rows } = await db.query<{ base: string; line: string | null }>(
        `SELECT base, line FROM fleet_run LEFT JOIN LATERAL (
           SELECT place, line FROM fleet_line WHERE fleet_line.run = $1 AND place >= $2 ORDER BY place
            LIMIT greatest(0, $3::bigint - greatest(0, least(base - $2::bigint, $3::bigint)))
         ) AS kept ON true WHERE fleet_run.run = $1 ORDER BY place`,
        [run, from, most],
      );
      if (rows[0] === undefined) return [];
      const gone = Math.min(Math.max(Number(rows[0].base) - from, 0), most);
      return [
        ...new Array<string>(gone).fill(''),
        ...rows.flatMap(({ line }) => (line === null ? [] : [line])),
      ];
    },
  };
}
