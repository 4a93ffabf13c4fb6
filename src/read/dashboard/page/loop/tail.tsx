import { useEffect } from 'preact/hooks';
import { clockOf } from '../../../../engine/core/text/moment.ts';
import type { LoopPage } from '../../view/types.ts';
import { Empty, Trouble } from '../parts/state.tsx';
import { Line } from '../parts/text.tsx';
import { KINDS, toneLook } from '../words/states.ts';
import { useEntries } from './use-entries.ts';

const SHOWN = 60;

/** The last lines of the journal as they are written, the newest at the end. */
export function Tail({ view }: { view: LoopPage }) {
  const { entries, isOpening, problem, want } = useEntries(view.row.id, 'all', view.entries);
  const { total, known } = entries;
  useEffect(() => want(total - SHOWN, total), [total]);
  const places = Array.from({ length: Math.min(SHOWN, total) }, (_, i) => total - Math.min(SHOWN, total) + i);
  if (problem) return <Trouble problem={problem} />;
  if (isOpening)
    return (
      <div class="card">
        <Empty title="Reading the journal …" />
      </div>
    );
  return (
    <ol class="card tail code" aria-label="Live tail" aria-live="polite">
      {places.map((place) => {
        const entry = known.get(place);
        if (!entry) return null;
        return (
          <li key={place}>
            <span class="soft">{entry.at === undefined ? '' : clockOf(entry.at)}</span>{' '}
            <strong class={`tail-kind tone-${toneLook(entry.tone).tone}`}>{KINDS[entry.kind].words}</strong>{' '}
            <Line text={entry.words} />
          </li>
        );
      })}
    </ol>
  );
}
