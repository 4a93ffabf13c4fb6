/** Events that Claude Code may not have sent. They are neither judged nor counted, and end nothing. */
import { type Caller, callerOf } from '../client/hooks/caller.ts';
import type { Entry } from '../core/loop/entry.ts';
import { type Answer, eventName, type HookEvent, type StopEvent } from '../core/loop/event.ts';
import { oneLine } from '../core/text/clip.ts';
import { wasRunningAt } from '../files/process-id.ts';
import { measures } from '../gates/traits.ts';
import { fallbackCounts } from '../home/fallback-counts.ts';
import type { Home } from '../home/layout.ts';
import { readStartRecord } from '../home/records/session-records.ts';
import { isOtherTranscript, recordTranscript } from '../home/records/transcript-record.ts';
import type { FileStore } from '../home/store.ts';
import { measuresSessions } from '../home/trust.ts';
import type { Ports, UnjudgedLoop } from '../judging/ports.ts';
import type { LoopRef } from '../ports/ports.ts';
import { DoubtfulStop, holdUnjudged, letGoUnjudged } from './unwritable-journal.ts';

const OTHER_TRANSCRIPT = 'it names another transcript than this session began with';

/** Why Claude Code may not have sent this event; undefined when nothing speaks against it. */
export function doubtAbout(event: HookEvent, home: Home, env: NodeJS.ProcessEnv): string | undefined {
  const caller = callerOfEvent(event.session, home, env);
  if (caller.by === 'agent') return caller.why;
  if (event.name === 'SessionStart') recordTranscript(home, event, caller.by === 'client');
  // What the ancestors prove needs no other proof: a session may move to another folder.
  if (event.name !== 'Stop' || caller.by === 'client') return undefined;
  return isOtherTranscript(home, event) ? OTHER_TRANSCRIPT : undefined;
}

export function callerOfEvent(session: string, home: Home, env: NodeJS.ProcessEnv): Caller {
  const record = readStartRecord(home, session);
  const runs = record !== undefined && wasRunningAt(record.pid, record.since);
  return callerOf(session, runs ? record.pid : undefined, env);
}

export type OpenedStore = Pick<Ports, 'projectOf'> & { store: FileStore };

/** Holds the session of a doubtful Stop, a few times in a row. Other doubtful events get no answer. Throws no error. */
export function answerDoubtful(event: HookEvent, why: string, ports: OpenedStore, home: Home): Answer {
  const held = event.name === 'Stop' ? heldUnjudged(event, new DoubtfulStop(why), ports, home) : undefined;
  note(event, why, ports);
  return held ?? { kind: 'ignore', why };
}

/** Holds the session of a Stop that could not be judged, a few times in a row. Undefined: it may stop. */
export function heldUnjudged(
  event: StopEvent,
  error: Error,
  ports: OpenedStore,
  home: Home,
): Answer | undefined {
  const loop = unjudgedLoop(event, ports.store) ?? doubtfulSession(event, error, ports, home);
  if (!loop) return undefined;
  const held = holdUnjudged(event, loop, error, {
    fallbackCounts: fallbackCounts(undefined, undefined, home),
  });
  if (held || !(error instanceof DoubtfulStop)) return held;
  return { kind: 'tell', message: letGoUnjudged(error.message) };
}

/** A session without a loop whose project has gates for every session. After another failure it may stop, as ever. */
function doubtfulSession(
  event: StopEvent,
  error: Error,
  { store, projectOf }: OpenedStore,
  home: Home,
): UnjudgedLoop | undefined {
  if (!(error instanceof DoubtfulStop) || store.activeLoopOf(event.session)) return undefined;
  return measuresSessions(home, projectOf(event)) ? { measures: true } : undefined;
}

/** The loop that a Stop belongs to, as far as that can be told when files cannot be read. Undefined: there is none. */
function unjudgedLoop({ session }: StopEvent, store: FileStore): UnjudgedLoop | undefined {
  let ref: LoopRef | undefined;
  try {
    ref = store.loopToJudge(session);
    if (!ref) return undefined;
    return { ref, measures: measures(store.contract(ref).contract), iteration: store.read(ref).iteration };
  } catch {
    // Its marker says as much: it has content where gates run commands.
    const marked = store.markOf(session);
    return marked === 'none' ? undefined : { ref, measures: marked !== 'empty' };
  }
}

/** Records the event for its loop, under a name that changes nothing of what is counted. */
function note(event: HookEvent, why: string, { store }: OpenedStore): void {
  try {
    const ref = store.loopOfSession(event.session);
    if (!ref || store.read(ref).status !== 'active') return;
    const name = eventName(event);
    const entry: Entry =
      name === 'Stop'
        ? { kind: 'event', event: name, detail: { refused: why } }
        : { kind: 'event', event: MADE_UP, detail: { made: oneLine(name, 100), refused: why } };
    store.append(ref, (state) => (state.session === event.session ? entry : undefined), { durable: false });
  } catch {
    // Who sent it reads the same on stderr.
  }
}

const MADE_UP = 'MadeUpEvent';
