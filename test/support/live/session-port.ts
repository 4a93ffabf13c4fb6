/** What a session port is asked in tests: the real one, and the one that is played in unit tests. */

import type { Script, Turn } from '../../../src/dev/simulator/script.ts';
import type { Answer, HookEvent } from '../../../src/engine/core/loop/event.ts';
import { nameEnd } from '../../../src/engine/core/run/session-end.ts';
import type {
  SessionHappening,
  SessionLimits,
  SessionListener,
  SessionPlan,
  SessionPort,
} from '../../../src/engine/ports/ports.ts';

export interface OpenedSessions {
  port: SessionPort;
  /** A new session in a project of its own, in which Bash may be used. */
  plan(more?: Partial<SessionPlan>): SessionPlan;
  /** What the model was asked, one JSON text a request, summaries included. */
  asked(): string[];
  /** Resolves when the model has been asked so often. */
  untilAsked(times: number): Promise<unknown>;
  /** As `kill -9` of the client. */
  killClient(): Promise<void>;
}

export type OpenSessions = (script: Script) => Promise<OpenedSessions>;

/** Far beyond what any of these sessions takes. */
const IDLE_MS = 120_000;

export function limits(more: Partial<SessionLimits> = {}): SessionLimits {
  return { idleMs: IDLE_MS, signal: new AbortController().signal, ...more };
}

export interface Heard extends SessionListener {
  events: HookEvent[];
  happenings: SessionHappening[];
}

/** Remembers everything; answers what `answer` says, and nothing otherwise. */
export function listener(answer: (event: HookEvent) => Answer | undefined = () => undefined): Heard {
  const events: HookEvent[] = [];
  const happenings: SessionHappening[] = [];
  return {
    events,
    happenings,
    async event(event) {
      events.push(event);
      return answer(event) ?? { kind: 'silence' };
    },
    happened: (happening) => void happenings.push(happening),
  };
}

export function named(heard: Heard, name: HookEvent['name']): HookEvent[] {
  return heard.events.filter((event) => event.name === name);
}

export function calling(command: string, more: Partial<Turn> = {}): Turn {
  return { tools: [{ name: 'Bash', input: { command } }], ...more };
}

/** One whole session over a script, from its prompt to its end. */
export async function runIn(
  open: OpenSessions,
  script: Script,
  heard = listener(),
  more: Partial<SessionPlan> = {},
) {
  const opened = await open(script);
  const facts = await opened.port.run(opened.plan(more), 'Build a cuckoo clock', heard, limits());
  return { ...opened, facts, end: nameEnd(facts) };
}
