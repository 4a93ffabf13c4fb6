/** Loops that ended long ago are asked for when you want them. */
import { useEffect, useState } from 'preact/hooks';
import type { EndedPage, LoopRow, Problem } from '../../view/types.ts';
import { Trouble } from '../parts/state.tsx';
import { load, problemOf } from '../state/api.ts';
import type { Filter } from '../state/route.ts';

const AT_ONCE = 100;

interface OlderState {
  loops: LoopRow[];
  /** The next place to ask from. */
  from: number;
  total?: number;
  problem?: Problem;
}

export interface OlderLoops extends OlderState {
  more(): void;
}

export function useOlder({ words, project }: Filter, shown: readonly LoopRow[]): OlderLoops {
  const [state, setState] = useState<OlderState>({ loops: [], from: 0 });
  useEffect(() => setState({ loops: [], from: 0 }), [words, project]);
  const more = async () => {
    const asked = new URLSearchParams({
      from: String(state.from),
      count: String(AT_ONCE),
      q: words,
      project,
    });
    try {
      const page = await load<EndedPage>(`api/ended?${asked}`);
      const known = new Set([...shown, ...state.loops].map(({ id }) => id));
      const loops = [...state.loops, ...page.loops.filter(({ id }) => !known.has(id))];
      setState({ loops, from: page.from + Math.max(page.loops.length, 1), total: page.total });
    } catch (error) {
      setState({ ...state, problem: problemOf(error) });
    }
  };
  const known = new Set(shown.map(({ id }) => id));
  return { ...state, loops: state.loops.filter(({ id }) => !known.has(id)), more: () => void more() };
}

export function Older({ older, ended }: { older: OlderLoops; ended: number }) {
  const left = older.total === undefined ? ended : older.total - older.from;
  return (
    <>
      {older.problem && <Trouble problem={older.problem} />}
      {left > 0 && (
        <p class="older">
          <button type="button" class="button" onClick={older.more}>
            Show older loops
          </button>
        </p>
      )}
    </>
  );
}
