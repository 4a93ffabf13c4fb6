import { sayDuration } from '../../../../engine/core/text/duration.ts';
import { clockOf, dateOf, momentOf } from '../../../../engine/core/text/moment.ts';
import type { LoopRow } from '../../view/types.ts';
import { madeAt } from '../state/changes.ts';
import { useNow } from '../state/use.ts';
import { sayAge } from '../words/figures.ts';

/** `3 min ago`; the exact moment is its title. */
export function Age({ at }: { at: number }) {
  const now = useNow();
  return (
    <time dateTime={isoOf(at)} title={dateOf(at, now)}>
      {sayAge(now - at)}
    </time>
  );
}

export function Since({ at }: { at: number }) {
  const now = useNow();
  return <span title={dateOf(at, now)}>{sayDuration(Math.max(0, now - at))}</span>;
}

export function Moment({ at, exact = false }: { at: number; exact?: boolean }) {
  const now = useNow();
  return (
    <time dateTime={isoOf(at)} title={`${dateOf(at, now)}, ${sayAge(now - at)}`}>
      {exact ? clockOf(at) : momentOf(at, now)}
    </time>
  );
}

const GROWS = new Set<LoopRow['doing']>(['thinks', 'gate_runs', 'not_held']);

/** Working time: it grows while the loop works. */
export function Elapsed({ row }: { row: LoopRow }) {
  if (GROWS.has(row.doing)) return <Growing from={row.elapsedMs} asOf={madeAt(row)} />;
  return <span>{sayDuration(row.elapsedMs)}</span>;
}

function Growing({ from, asOf }: { from: number; asOf: number }) {
  const now = useNow();
  return <span>{sayDuration(from + Math.max(0, now - asOf))}</span>;
}

/** A journal may name a moment that no calendar has. */
function isoOf(at: number): string | undefined {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
