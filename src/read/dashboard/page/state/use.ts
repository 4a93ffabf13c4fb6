/** What components follow besides the overview: the clock, the address, the width of the window, answers of the server. */
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../view/types.ts';
import { load, problemOf, wasAborted } from './api.ts';
import { serverNow } from './live.ts';
import { addressOf, type Route, routeOf } from './route.ts';
import { makeStore, useStore } from './store.ts';

const clock = makeStore({ now: serverNow() });
setInterval(() => {
  if (!document.hidden) clock.set({ now: serverNow() });
}, 1000);

/** The time, every second. */
export function useNow(): number {
  return useStore(clock, ({ now }) => Math.max(now, 0));
}

export function go(route: Route, { replace = false } = {}): void {
  const address = addressOf(route);
  if (address === location.hash) return;
  if (replace) {
    history.replaceState(null, '', address);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else location.hash = address;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const look = () => setHash(location.hash);
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return routeOf(hash);
}

export function useWide(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const look = () => setMatches(list.matches);
    look();
    list.addEventListener('change', look);
    return () => list.removeEventListener('change', look);
  }, [query]);
  return matches;
}

export interface Loaded<Answer> {
  answer?: Answer;
  problem?: Problem;
  /** Asks once more; what is shown stays until the new answer is there. */
  again(): void;
}

/** What the server says at this path; nothing is asked while it is undefined. */
export function useAnswer<Answer>(path: string | undefined): Loaded<Answer> {
  const [got, setGot] = useState<{ path?: string; answer?: Answer; problem?: Problem }>({});
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (path === undefined) return;
    const asked = new AbortController();
    load<Answer>(path, asked.signal).then(
      (answer) => setGot({ path, answer }),
      (error) => {
        if (!wasAborted(error))
          setGot((before) => ({
            path,
            answer: before.path === path ? before.answer : undefined,
            problem: problemOf(error),
          }));
      },
    );
    return () => asked.abort();
  }, [path, times]);
  const mine = got.path === path ? got : {};
  return { answer: mine.answer, problem: mine.problem, again: () => setTimes((n) => n + 1) };
}
