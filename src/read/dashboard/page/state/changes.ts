/** What an event of the server makes of an overview. */
import type { LoopRow, Overview, ServerEvent } from '../../view/types.ts';

type Changes = Extract<ServerEvent, { type: 'changes' }>;

/** Loops keep their places, so that nothing jumps; new ones come first. Rows that did not change stay the same objects. */
export function withChanges(overview: Overview, changes: Changes): Overview {
  madeNow(changes.loops, changes.now);
  const news = new Map(changes.loops.map((row) => [row.id, row]));
  const gone = new Set(changes.gone);
  const kept = overview.loops.filter(({ id }) => !gone.has(id)).map((row) => taken(news, row));
  const { needs = overview.needs, totals = overview.totals, ended = overview.ended } = changes;
  return { ...overview, now: changes.now, loops: [...news.values(), ...kept], needs, totals, ended };
}

function taken(news: Map<string, LoopRow>, row: LoopRow): LoopRow {
  const changed = news.get(row.id);
  news.delete(row.id);
  return changed ?? row;
}

const made = new WeakMap<LoopRow, number>();

/** Remembers when the server made these rows: the working time in them is that of this moment. */
export function madeNow(rows: readonly LoopRow[], now: number): void {
  for (const row of rows) made.set(row, now);
}

export function madeAt(row: LoopRow): number {
  return made.get(row) ?? row.lastAt;
}
