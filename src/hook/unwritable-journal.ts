import type { Entry } from '../core/loop/entry.ts';
import type { Answer, HookEvent, StopEvent } from '../core/loop/event.ts';
import type { LoopState } from '../core/loop/state.ts';
import { oneLine } from '../core/text/clip.ts';
import type { SessionPorts } from '../judging/ports.ts';
import type { Recorded } from '../ports/guarded-session.ts';
import type { LoopRef, StandingState } from '../ports/ports.ts';

/** What happens when the journal cannot be written (a full disk, a folder that is read-only): rulings are made all the same. */

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
  const count = ports.fallbackCounts.next(event.session, 'told');
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
  const count = ports.fallbackCounts.next(event.session, what);
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
  { fallbackCounts }: Pick<SessionPorts, 'fallbackCounts'>,
): Answer | undefined {
  const count = fallbackCounts.next(event.session, `room for ${ref.loop}`);
  if (count === undefined ? event.stopHookActive : count > ASKED_FOR_ROOM) return undefined;
  return {
    kind: 'refuse',
    reason: noRoomReason(ref.dir),
    message: noRoomMessage(ref.dir, count ?? 1, count === undefined ? 1 : ASKED_FOR_ROOM),
  };
}

const PROBLEM_LIMIT = 200;

/** For the person: rulings hold, only the record of them has a gap. */
function unwrittenMessage(problem: string, folder: string): string {
  return `untildone: the journal in ${folder} cannot be written (${said(problem)}). What is refused stays refused. The journal has a gap until there is room, or until the folder can be written again.`;
}

/** For the agent: a stop that could not be written down because the disk is full, which it may be able to mend. */
function noRoomReason(folder: string): string {
  return [
    `untildone: the disk that holds ${folder} is full. This stop could not be written down, so nothing is proven yet.`,
    'Make room first: remove what this work made and can be made again (build output, caches, logs, temporary files). Remove nothing that belongs to the work or to other people, and nothing in that folder. If you cannot make room, say what fills the disk.',
    'Then go on with the task, or stop again if it is done.',
  ].join('\n\n');
}

function noRoomMessage(folder: string, count: number, most: number): string {
  return `untildone: the disk that holds ${folder} is full. The session is held all the same, uncounted, so that it can make room (${count} of ${most}).`;
}

function said(problem: string): string {
  return oneLine(problem, PROBLEM_LIMIT);
}
