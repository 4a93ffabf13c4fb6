import { useEffect, useRef } from 'preact/hooks';
import type { LoopPage, TimelineKind } from '../../view/types.ts';
import { Empty, Trouble } from '../parts/state.tsx';
import { Windowed } from '../parts/windowed.tsx';
import { KINDS_OF } from '../state/entries.ts';
import { ONLY, type Only } from '../state/route.ts';
import { go, useWide } from '../state/use.ts';
import { EntryLine } from './entry.tsx';
import { useEntries } from './use-entries.ts';

const ONLY_WORDS: Record<Only, string> = {
  all: 'Everything',
  stops: 'Stops',
  sessions: 'Sessions and waits',
  you: 'You',
  guards: 'Guards and tools',
};

interface TimelineProps {
  view: LoopPage;
  only: Only;
  at?: number;
}

/** The journal, newest line first. */
export function Timeline({ view, only, at }: TimelineProps) {
  const loop = view.row.id;
  const { entries, isOpening, problem, want } = useEntries(loop, only, view.entries);
  const rowHeight = useWide('(min-width: 720px)') ? 56 : 92;
  const { total, known } = entries;
  const rowOf = (index: number) => total - 1 - index;
  const open = openRow(entries.known, total, only, at);
  useSteadyScroll(total, rowHeight);
  const toggle = (place: number) =>
    go(
      { view: 'loop', loop, part: 'timeline', only, ...(place === at ? {} : { at: place }) },
      { replace: true },
    );
  return (
    <div>
      <fieldset class="choices">
        <legend class="hidden">Lines of the journal</legend>
        {ONLY.filter((one) => one === only || one === 'all' || countOf(view, one) > 0).map((one) => (
          <button
            type="button"
            key={one}
            class="choice"
            aria-pressed={only === one}
            onClick={() => go({ view: 'loop', loop, part: 'timeline', only: one })}
          >
            {ONLY_WORDS[one]} <span class="count">{countOf(view, one)}</span>
          </button>
        ))}
      </fieldset>
      {problem && <Trouble problem={problem} />}
      {total === 0 ? (
        <div class="card">
          {isOpening ? (
            <Empty title="Reading the journal …" />
          ) : (
            <Empty title="Nothing of this kind happened" />
          )}
        </div>
      ) : (
        <div class="card timeline">
          <Windowed
            count={total}
            rowHeight={rowHeight}
            open={open === undefined ? [] : [open]}
            label="Timeline, newest first"
            seen={(first, last) => want(rowOf(last - 1), rowOf(first) + 1)}
            {...(open === undefined ? {} : { show: open })}
            row={(row, measured) => {
              const entry = known.get(rowOf(row));
              const isOpen = entry !== undefined && entry.place === at;
              return (
                <EntryLine
                  key={rowOf(row)}
                  loop={loop}
                  entry={entry}
                  isOpen={isOpen}
                  height={rowHeight}
                  place={{ row, total }}
                  measured={isOpen ? measured : undefined}
                  toggle={toggle}
                />
              );
            }}
          />
        </div>
      )}
    </div>
  );
}

/** The row of the open line. With a filter it is only found once it has been fetched. */
function openRow(
  known: ReadonlyMap<number, { place: number }>,
  total: number,
  only: Only,
  at: number | undefined,
): number | undefined {
  if (at === undefined) return undefined;
  if (only === 'all') return at < total ? total - 1 - at : undefined;
  const found = [...known].find(([, entry]) => entry.place === at);
  return found && total - 1 - found[0];
}

function countOf(view: LoopPage, only: Only): number {
  const kinds = KINDS_OF[only] ?? (Object.keys(view.kinds) as TimelineKind[]);
  return kinds.reduce((sum, kind) => sum + (view.kinds[kind] ?? 0), 0);
}

/** New lines come in above: who reads further down keeps the lines before their eyes. */
function useSteadyScroll(total: number, rowHeight: number): void {
  const before = useRef(total);
  useEffect(() => {
    const added = total - before.current;
    before.current = total;
    const list = document.querySelector('.windowed');
    if (added <= 0 || added === total || !list) return;
    if (list.getBoundingClientRect().top < 0) scrollBy({ top: added * rowHeight, behavior: 'instant' });
  }, [total, rowHeight]);
}
