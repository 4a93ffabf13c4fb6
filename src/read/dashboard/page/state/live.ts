/** The overview as the server has it, kept fresh by its events. */
import type { Overview, Problem, ServerEvent } from '../../view/types.ts';
import { load, problemOf } from './api.ts';
import { madeNow, withChanges } from './changes.ts';
import { makeStore } from './store.ts';

export interface Link {
  /** opening: never connected so far. lost: the last words are old. over: the server ended. */
  state: 'opening' | 'live' | 'lost' | 'over';
  since: number;
}

interface Live {
  overview?: Overview;
  problem?: Problem;
  link: Link;
  /** How far the clock of the server is ahead of this one. */
  ahead: number;
  /** How often the fleet has changed. */
  fleetTimes: number;
}

export const live = makeStore<Live>({
  link: { state: 'opening', since: Date.now() },
  ahead: 0,
  fleetTimes: 0,
});

/** The time of the server: ages are right although this device's clock is not. */
export function serverNow(): number {
  return Date.now() + live.get().ahead;
}

type Heard = Extract<ServerEvent, { type: 'entries' | 'request' | 'changes' | 'reset' }>;
const listeners = new Set<(event: Heard) => void>();

/** Tells of every event that may concern a page of a loop. */
export function onEvent(told: (event: Heard) => void): () => void {
  listeners.add(told);
  return () => listeners.delete(told);
}

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let watched: string | undefined;
let lastId = '';
let tries = 0;

/** Begins, or goes on with another loop whose lines are wanted. */
export function watch(loop: string | undefined): void {
  if (source && watched === loop) return;
  watched = loop;
  if (live.get().overview) connect();
}

export async function begin(): Promise<void> {
  try {
    const overview = await load<Overview>('api/overview');
    lastId = overview.eventId;
    madeNow(overview.loops, overview.now);
    live.set({ overview, problem: undefined, ahead: overview.now - Date.now() });
    tries = 0;
    connect();
  } catch (error) {
    live.set({ problem: problemOf(error) });
    lose();
    again();
  }
}

function connect(): void {
  source?.close();
  clearTimeout(retry);
  const asked = new URLSearchParams({ after: lastId, ...(watched === undefined ? {} : { loop: watched }) });
  const stream = new EventSource(`api/events?${asked}`);
  source = stream;
  stream.onopen = () => {
    tries = 0;
    setLink('live');
  };
  stream.onerror = () => {
    if (source !== stream || live.get().link.state === 'over') return;
    lose();
    // The browser connects again by itself, unless the server refused.
    if (stream.readyState === EventSource.CLOSED) again();
  };
  for (const type of ['hello', 'reset', 'changes', 'entries', 'sessions', 'request', 'fleet', 'bye'] as const)
    stream.addEventListener(type, (event) => {
      if (source === stream) hear(type, event as MessageEvent<string>);
    });
}

function hear(type: ServerEvent['type'], message: MessageEvent<string>): void {
  if (message.lastEventId !== '') lastId = message.lastEventId;
  const event = { type, ...JSON.parse(message.data || '{}') } as ServerEvent;
  setLink('live');
  const { overview } = live.get();
  switch (event.type) {
    case 'hello':
      live.set({ ahead: event.now - Date.now() });
      return;
    case 'changes':
      if (overview) live.set({ overview: withChanges(overview, event), ahead: event.now - Date.now() });
      break;
    case 'sessions':
      if (overview) live.set({ overview: { ...overview, sessions: event.sessions } });
      return;
    case 'fleet':
      live.set({ fleetTimes: live.get().fleetTimes + 1 });
      return;
    case 'reset':
      void begin();
      break;
    case 'bye':
      source?.close();
      setLink('over');
      again();
      return;
  }
  for (const told of [...listeners]) told(event as Heard);
}

function lose(): void {
  const { link } = live.get();
  if (link.state === 'live') setLink('lost');
}

/** Sooner at first, then every 10 s. */
function again(): void {
  clearTimeout(retry);
  tries += 1;
  retry = setTimeout(() => void begin(), Math.min(10_000, 500 * 2 ** Math.min(tries, 6)));
}

function setLink(state: Link['state']): void {
  if (live.get().link.state !== state) live.set({ link: { state, since: Date.now() } });
}
