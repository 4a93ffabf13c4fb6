import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { EntriesPage, Problem } from '../../view/types.ts';
import { load, problemOf } from '../state/api.ts';
import {
  type Entries,
  KINDS_OF,
  missingPages,
  NO_ENTRIES,
  PAGE,
  withNews,
  withPage,
} from '../state/entries.ts';
import { onEvent } from '../state/live.ts';
import type { Only } from '../state/route.ts';

export interface EntriesInView {
  entries: Entries;
  /** Nothing has been answered yet. */
  isOpening: boolean;
  problem?: Problem;
  /** Fetches what is not known of these places. */
  want(first: number, last: number): void;
}

/** Lines of a journal, fetched as they come into view, the newest first; new ones arrive by themselves. */
export function useEntries(loop: string, only: Only, lines: number): EntriesInView {
  const [state, setState] = useState<{ entries: Entries; isOpening: boolean; problem?: Problem }>(OPENING);
  const asked = useRef(new Set<number>());
  const latest = useRef(state.entries);
  latest.current = state.entries;

  const fetchPage = useCallback(
    async (from: number) => {
      if (asked.current.has(from)) return;
      const mine = asked.current;
      mine.add(from);
      const kinds = KINDS_OF[only];
      const query = new URLSearchParams({
        from: String(from),
        count: String(PAGE),
        ...(kinds ? { only: kinds.join() } : {}),
      });
      try {
        const page = await load<EntriesPage>(`api/loops/${encodeURIComponent(loop)}/entries?${query}`);
        if (asked.current !== mine) return;
        setState(({ entries }) => ({
          entries: withPage(entries, page.from, page.total, page.entries),
          isOpening: false,
        }));
      } catch (error) {
        if (asked.current === mine)
          setState((before) => ({ ...before, isOpening: false, problem: problemOf(error) }));
      } finally {
        mine.delete(from);
      }
    },
    [loop, only],
  );

  useEffect(() => {
    asked.current = new Set();
    setState(OPENING);
    void fetchPage(only === 'all' ? Math.floor(Math.max(0, lines - 1) / PAGE) * PAGE : 0);
    return onEvent((event) => {
      if (event.type === 'reset') void fetchPage(0);
      if (event.type !== 'entries' || event.loop !== loop) return;
      setState((before) =>
        before.isOpening ? before : { ...before, entries: withNews(before.entries, event.entries, only) },
      );
    });
  }, [fetchPage]);

  const want = useCallback(
    (first: number, last: number) => {
      for (const page of missingPages(latest.current, first, last)) void fetchPage(page * PAGE);
    },
    [fetchPage],
  );
  return { ...state, want };
}

const OPENING = { entries: NO_ENTRIES, isOpening: true };
