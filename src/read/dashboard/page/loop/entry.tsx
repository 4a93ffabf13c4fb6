import type { TimelineEntry } from '../../view/types.ts';
import { Shape } from '../parts/shape.tsx';
import { GateMarks } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { Moment } from '../parts/time.tsx';
import { sayCount, sayMoney, sayMs, sayShare } from '../words/figures.ts';
import { KINDS, toneLook } from '../words/states.ts';
import { EntryDetails } from './entry-details.tsx';

interface EntryLineProps {
  loop: string;
  entry: TimelineEntry | undefined;
  isOpen: boolean;
  height: number;
  place: { row: number; total: number };
  measured: ((element: HTMLElement | null) => void) | undefined;
  toggle(place: number): void;
}

export function EntryLine({ loop, entry, isOpen, height, place, measured, toggle }: EntryLineProps) {
  const position = { 'aria-setsize': place.total, 'aria-posinset': place.row + 1 };
  if (!entry)
    return (
      <li class="entry" style={{ height: `${height}px` }} {...position}>
        <span class="soft entry-waiting">…</span>
      </li>
    );
  const { tone, shape } = toneLook(entry.tone);
  const kind = KINDS[entry.kind];
  return (
    <li
      class={`entry ${isOpen ? 'open' : ''}`}
      style={isOpen ? {} : { height: `${height}px` }}
      ref={measured ?? null}
      {...position}
    >
      <button
        type="button"
        class="entry-line"
        data-row
        aria-expanded={isOpen}
        style={{ height: `${height - 1}px` }}
        onClick={() => toggle(entry.place)}
      >
        <span class={`entry-kind tone-${tone}`}>
          <Shape name={entry.kind === 'end' ? shape : kind.shape} />
          <span>
            {kind.words}
            {entry.iteration !== undefined && <span class="soft"> {entry.iteration}</span>}
          </span>
        </span>
        <span class="entry-said">
          <Line text={entry.words} class="entry-words" />
          <span class="entry-facts soft small">{factsOf(entry)}</span>
        </span>
        <span class="entry-marks">
          {entry.gates && entry.gates.length > 0 && <GateMarks gates={entry.gates} />}
        </span>
        <span class="entry-time soft small">{entry.at !== undefined && <Moment at={entry.at} />}</span>
      </button>
      {isOpen && <EntryDetails loop={loop} place={entry.place} measured={measured} />}
    </li>
  );
}

function factsOf({ judgedMs, tokens, costUsd, context }: TimelineEntry): string {
  const said = [
    judgedMs === undefined ? '' : `judged ${sayMs(judgedMs)}`,
    tokens ? `${sayCount(tokens)} tokens` : '',
    costUsd ? sayMoney(costUsd) : '',
    context === undefined ? '' : `context ${sayShare(context)}`,
  ];
  return said.filter(Boolean).join(' · ');
}
