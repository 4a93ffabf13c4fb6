/** The overview out of the rows of all loops. Pure. */
import { isDone } from '../../../engine/core/loop/state.ts';
import type { EndedPage, LoopRow, Need, Totals } from './overview-types.ts';

/** How many loops that have ended come with the overview. */
export const NEWEST_ENDED = 100;
const PAGE = 200;

export function hasRowEnded({ doing }: LoopRow): boolean {
  return doing === 'ended';
}

/** Loops that have not ended, the newest first; then the newest that have. Children of a run follow it. */
export function shownRows(rows: readonly LoopRow[]): { loops: LoopRow[]; ended: number } {
  const open = rows.filter((row) => !hasRowEnded(row)).sort((a, b) => b.startedAt - a.startedAt);
  const ended = newestFirst(rows);
  return { loops: withChildren([...open, ...ended.slice(0, NEWEST_ENDED)]), ended: ended.length };
}

function newestFirst(rows: readonly LoopRow[]): LoopRow[] {
  return rows
    .filter(hasRowEnded)
    .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0) || (a.id < b.id ? 1 : -1));
}

function withChildren(rows: readonly LoopRow[]): LoopRow[] {
  const ids = new Set(rows.map(({ id }) => id));
  const children = new Map<string, LoopRow[]>();
  const first: LoopRow[] = [];
  for (const row of rows) {
    const parent = row.run?.parent;
    if (parent === undefined || !ids.has(parent)) first.push(row);
    else children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  const withOwn = (row: LoopRow): LoopRow[] => [row, ...(children.get(row.id) ?? []).flatMap(withOwn)];
  return first.flatMap(withOwn);
}

export interface EndedQuery {
  from: number;
  count: number;
  /** Words that the task, the id or the ending has to hold. */
  q?: string;
  project?: string;
}

export function endedPage(rows: readonly LoopRow[], { from, count, q = '', project }: EndedQuery): EndedPage {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (row: LoopRow) => {
    const text = `${row.id} ${row.task} ${row.status} ${row.words}`.toLowerCase();
    return (project === undefined || row.project === project) && words.every((word) => text.includes(word));
  };
  const found = newestFirst(rows).filter(fits);
  return { total: found.length, from, loops: found.slice(from, from + Math.min(count, PAGE)) };
}

/** `midnight`: when today began where you are. */
export function totalsOf(rows: readonly LoopRow[], needs: readonly Need[], midnight: number): Totals {
  const open = rows.filter((row) => !hasRowEnded(row));
  const today = rows.filter(({ endedAt }) => endedAt !== undefined && endedAt >= midnight);
  const done = today.filter(({ status }) => isDone(status) && status !== 'claimed_done').length;
  // A parent counts what its children have cost.
  const costs = [...open, ...today].filter(({ run }) => run?.parent === undefined);
  return {
    active: open.filter(({ status }) => status === 'active').length,
    paused: open.filter(({ status }) => status === 'paused').length,
    waitingForYou: new Set(needs.map(({ loop, id }) => loop ?? id)).size,
    notHeld: open.filter(({ doing }) => doing === 'not_held').length,
    doneToday: done,
    otherEndingsToday: today.length - done,
    costTodayUsd: costs.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
  };
}
