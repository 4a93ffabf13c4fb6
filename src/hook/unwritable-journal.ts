/** What happens when the journal cannot be written (a full disk, a folder that is read-only): rulings are made all the same. */
import type { Answer } from '../core/loop/answer.ts';
import type { Entry } from '../core/loop/entry.ts';
import type { HookEvent, StopEvent } from '../core/loop/event.ts';
import type { LoopState } from '../core/loop/state.ts';
import type { SessionPorts } from '../judging/ports.ts';
import type { Recorded } from '../ports/guarded-session.ts';
import type { LoopRef, StandingState } from '../ports/ports.ts';
import { noRoomMessage, noRoomReason, unwrittenMessage } from './unwritten-words.ts';

interface Noted extends Recorded {
  /** The state after the entry; the one before it where it could not be written. */
  state: LoopState;
}

/** Writes down what was ruled. Called after the ruling, which it never changes: it does not throw. */
export function noteDown(
  event: HookEvent,
  { ref, state }: { ref: LoopRef; state: LoopState },
  entry: Entry,
  ports: SessionPorts,
  options: { durable?: boolean } = {},
): Noted {
  try {
    return { state: ports.store.append(ref, () => entry, options), written: true, messages: [] };
  } catch (error) {
    const { message } = error as Error;
    return { state, written: false, messages: toldOnce(event, message, ref.dir, ports) };
  }
}

export const KEPT: Recorded = { written: true, messages: [] };

/** The same for what is remembered of a session without a loop. */
export function keepStanding(
  event: HookEvent,
  state: StandingState,
  project: string,
  ports: SessionPorts,
): Recorded {
  try {
    ports.standing.write(event.session, state);
    return KEPT;
  } catch (error) {
    const { message } = error as Error;
    return { written: false, messages: toldOnce(event, message, ports.standing.outputDir(project), ports) };
  }
}

/** Of these the client shows a person nothing. */
const UNSEEN = new Set(['PreCompact', 'SessionEnd', 'TaskCreated', 'TeammateIdle']);
/** Seldom enough to say it each time, where nothing can be counted. */
const SELDOM = new Set(['SessionStart', 'UserPromptSubmit']);

export function toldOnce(event: HookEvent, problem: string, folder: string, ports: SessionPorts): string[] {
  if (UNSEEN.has(event.name)) return [];
  const count = ports.spare.next(event.session, 'told');
  const isNews = count === undefined ? SELDOM.has(event.name) : count === 1;
  return isNews ? [unwrittenMessage(problem, folder)] : [];
}

/** Here the client, or a person, brings the repetition to an end. */
const ENDS_BY_ITSELF = new Set(['SubagentStop', 'TaskCreated']);

/**
 * Whether a refusal stands although it could not be counted where refusals are: as often as one that could. Where nothing
 * can be counted at all, only what cannot go on for ever is refused.
 */
export function standsUncounted(event: HookEvent, what: string, most: number, ports: SessionPorts): boolean {
  const count = ports.spare.next(event.session, what);
  if (count !== undefined) return count <= most;
  return ENDS_BY_ITSELF.has(event.name) || (event.name === 'Stop' && !event.stopHookActive);
}

/** So often an agent is asked to make room before its session is let go. */
const ASKED_FOR_ROOM = 3;

/**
 * A Stop that could not be written down because the disk is full. Held, so that the agent can make room; no iteration, and
 * bounded without the journal. Undefined: the session is let go.
 */
export function holdForRoom(
  event: StopEvent,
  ref: LoopRef,
  { spare }: Pick<SessionPorts, 'spare'>,
): Answer | undefined {
  const count = spare.next(event.session, `room for ${ref.loop}`);
  if (count === undefined ? event.stopHookActive : count > ASKED_FOR_ROOM) return undefined;
  return {
    kind: 'refuse',
    reason: noRoomReason(ref.dir),
    message: noRoomMessage(ref.dir, count ?? 1, count === undefined ? 1 : ASKED_FOR_ROOM),
  };
}
