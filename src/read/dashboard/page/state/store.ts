/** A value that components follow. A component is made again when what it picks has changed. */
import { useEffect, useRef, useState } from 'preact/hooks';

export interface Store<State> {
  get(): State;
  set(change: Partial<State>): void;
  follow(told: () => void): () => void;
}

export function makeStore<State extends object>(first: State): Store<State> {
  let state = first;
  const followers = new Set<() => void>();
  return {
    get: () => state,
    set(change) {
      state = { ...state, ...change };
      for (const told of [...followers]) told();
    },
    follow(told) {
      followers.add(told);
      return () => followers.delete(told);
    },
  };
}

export function useStore<State extends object, Picked>(
  store: Store<State>,
  pick: (state: State) => Picked,
): Picked {
  const [picked, setPicked] = useState(() => pick(store.get()));
  const latest = useRef(pick);
  latest.current = pick;
  useEffect(() => {
    const look = () => setPicked(() => latest.current(store.get()));
    // It may have changed between the first look and now.
    look();
    return store.follow(look);
  }, [store]);
  return picked;
}
