import { useEffect, useRef } from 'preact/hooks';
import type { LoopPage } from '../../view/types.ts';
import { madeNow } from '../state/changes.ts';
import { live, onEvent } from '../state/live.ts';
import { useStore } from '../state/store.ts';
import { type Loaded, useAnswer } from '../state/use.ts';

/** The whole view is asked for again after changes, but not more often than this. */
const AGAIN_MS = 400;

/** A loop as the server has it; its row is that of the newest event. */
export function useLoop(loop: string): Loaded<LoopPage> {
  const loaded = useAnswer<LoopPage>(`api/loops/${encodeURIComponent(loop)}`);
  const row = useStore(live, ({ overview }) => overview?.loops.find(({ id }) => id === loop));
  const again = useRef(loaded.again);
  again.current = loaded.again;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvent((event) => {
      const concerns =
        event.type === 'reset' ||
        (event.type === 'changes' ? event.loops.some(({ id }) => id === loop) : event.loop === loop);
      if (!concerns) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        again.current();
      }, AGAIN_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [loop]);
  const { answer } = loaded;
  if (!answer) return loaded;
  madeNow([answer.row], answer.now);
  return { ...loaded, answer: row && row.lastAt > answer.row.lastAt ? { ...answer, row } : answer };
}
