/** Lines of a journal that were fetched so far, by their place among those that are shown. Pure. */
import type { TimelineEntry, TimelineKind } from '../../view/types.ts';
import type { Only } from './route.ts';

export const PAGE = 100;
/** More than this is not kept: a journal may have a million lines. */
const MOST_KEPT = 4000;

export const KINDS_OF: Record<Only, readonly TimelineKind[] | undefined> = {
  all: undefined,
  stops: ['start', 'hold', 'let_go', 'end'],
  sessions: ['session', 'hand_over', 'compaction', 'wait', 'child'],
  you: ['person', 'question', 'contract'],
  guards: ['guard', 'tool', 'damage'],
};

export interface Entries {
  total: number;
  known: ReadonlyMap<number, TimelineEntry>;
}

export const NO_ENTRIES: Entries = { total: 0, known: new Map() };

export function withPage(
  { total, known }: Entries,
  from: number,
  ofAll: number,
  page: readonly TimelineEntry[],
): Entries {
  const kept = new Map(known.size > MOST_KEPT ? [] : known);
  for (const [i, entry] of page.entries()) kept.set(from + i, entry);
  return { total: Math.max(total, ofAll), known: kept };
}

/** Lines that were just written. Those that are there already are not added twice. */
export function withNews(entries: Entries, news: readonly TimelineEntry[], only: Only): Entries {
  const kinds = KINDS_OF[only];
  const last = entries.known.get(entries.total - 1)?.place ?? -1;
  const fresh = news.filter(({ kind, place }) => place > last && (!kinds || kinds.includes(kind)));
  if (fresh.length === 0) return entries;
  // Without a filter, the place in the journal is the place in the list.
  const from = kinds ? entries.total : (fresh[0]?.place ?? entries.total);
  return withPage(entries, from, from + fresh.length, fresh);
}

/** The page that holds the first unknown line of these, counted in pages. */
export function missingPages({ total, known }: Entries, first: number, last: number): number[] {
  const pages = new Set<number>();
  for (let i = Math.max(0, first); i < Math.min(last, total); i++)
    if (!known.has(i)) pages.add(Math.floor(i / PAGE));
  return [...pages];
}
