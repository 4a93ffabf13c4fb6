import type { Entry } from '../core/loop/entry.ts';
import type { Answer, HookEvent, StopEvent } from '../core/loop/event.ts';
import type { LoopState } from '../core/loop/state.ts';
import { oneLine } from '../core/text/clip.ts';
import { visible } from '../core/text/visible.ts';
import { cannotBeWritten, isDiskFull } from '../files/unwritable.ts';
import type { SessionPorts, UnjudgedLoop } from '../judging/ports.ts';
import type { Recorded } from '../ports/guarded-session.ts';
import type { LoopRef, StandingState } from '../ports/ports.ts';

/** What happens when the journal cannot be written (a full disk, a read-only folder): answers are given all the same. */

interface Noted extends Recorded {
  /** The state after the entry; the state before it when the entry could not be written. */
  state: LoopState;
}

/** Records what was decided. Never throws, so that it cannot change the decision. */
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

/** Writes the record of a session without a loop. Never throws. */
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

/** Events whose messages Claude Code does not show. */
const UNSEEN = new Set(['PreCompact', 'SessionEnd', 'TaskCreated', 'TeammateIdle']);
/** Events that are rare enough for a message each time, when nothing can be counted. */
const SELDOM = new Set(['SessionStart', 'UserPromptSubmit']);

export function toldOnce(event: HookEvent, problem: string, folder: string, ports: SessionPorts): string[] {
  if (UNSEEN.has(event.name)) return [];
  const count = ports.fallbackCounts.next(event.session, 'told');
  const isNews = count === undefined ? SELDOM.has(event.name) : count === 1;
  return isNews ? [unwrittenMessage(problem, folder)] : [];
}

/** Events that Claude Code or the user stops repeating. */
const ENDS_BY_ITSELF = new Set(['SubagentStop', 'TaskCreated']);

/**
 * Whether a refusal stands although the journal could not count it. Fallback counts bound it as the journal would. When
 * nothing can be counted, only events that cannot repeat for ever are refused.
 */
export function standsUncounted(event: HookEvent, what: string, most: number, ports: SessionPorts): boolean {
  const count = ports.fallbackCounts.next(event.session, what);
  if (count !== undefined) return count <= most;
  return ENDS_BY_ITSELF.has(event.name) || (event.name === 'Stop' && !event.stopHookActive);
}

/** How often in a row a Stop that could not be judged is held before its session may stop. */
const HELD_UNJUDGED = 3;

/** A Stop that Claude Code may not have sent. Its message says why. */
export class DoubtfulStop extends Error {}

/**
 * Holds a Stop that could not be judged or recorded. It counts as no iteration, and is bounded without the journal. A loop
 * that measures nothing is held only while its journal cannot be written. Undefined: the session may stop. Never throws.
 */
export function holdUnjudged(
  event: StopEvent,
  { ref, measures, iteration = 0 }: UnjudgedLoop,
  error: Error,
  { fallbackCounts }: Pick<SessionPorts, 'fallbackCounts'>,
): Answer | undefined {
  if (!measures && !cannotBeWritten(error)) return undefined;
  // Every doubt has its own count, so that events which the agent makes up use up no other.
  const what = error instanceof DoubtfulStop ? `${error.message} ${event.promptId ?? ''}` : 'room for';
  const count = fallbackCounts.next(event.session, `${what} ${ref?.loop ?? ''} ${iteration}`);
  if (count === undefined ? event.stopHookActive : count > HELD_UNJUDGED) return undefined;
  const often = `this is no iteration (${count ?? 1} of ${count === undefined ? 1 : HELD_UNJUDGED})`;
  const folder = ref?.dir ?? 'its home';
  if (isDiskFull(error))
    return { kind: 'refuse', reason: noRoomReason(folder), message: noRoomMessage(folder, often) };
  const problem = said(error.message);
  return {
    kind: 'refuse',
    reason: cannotBeWritten(error) ? unusableReason(problem, folder) : unjudgedReason(problem),
    message: `untildone could not judge this Stop: ${problem}. The session is held; ${often}.`,
  };
}

/** For you. Without a word, the session would look as if it were done. */
export function letGoUnjudged(problem: string): string {
  return `untildone could not judge this Stop, so the session may stop; nothing is proven: ${visible(oneLine(problem, 300))}`;
}

const PROBLEM_LIMIT = 200;

function unwrittenMessage(problem: string, folder: string): string {
  return `untildone: the journal in ${folder} cannot be written (${said(problem)}). What is refused stays refused. The journal has a gap until there is room, or until the folder can be written again.`;
}

function noRoomReason(folder: string): string {
  return [
    `untildone: the disk that holds ${folder} is full. This Stop could not be recorded, so nothing is proven yet.`,
    'Make room first: remove what this work made and can be made again (build output, caches, logs, temporary files). Remove nothing that belongs to the work or to other people, and nothing in that folder. If you cannot make room, say what fills the disk.',
    GO_ON,
  ].join('\n\n');
}

function noRoomMessage(folder: string, often: string): string {
  return `untildone: the disk that holds ${folder} is full. The session is held so that it can make room; ${often}.`;
}

const GO_ON = 'Then go on with the task, or stop again if it is done.';

function unusableReason(problem: string, folder: string): string {
  return [
    `untildone: files in ${folder} cannot be read or written now (${problem}). This Stop could not be judged and recorded, so nothing is proven yet.`,
    'If this work caused it (a folder that was made read-only, processes that keep many files open), undo that. Change nothing in that folder by hand. If you did not cause it, say what you found.',
    GO_ON,
  ].join('\n\n');
}

function unjudgedReason(problem: string): string {
  return [
    `untildone could not judge this Stop: ${problem}. So nothing is proven yet.`,
    'If this work caused it, undo that. If you did not cause it, say so, with the words above.',
    GO_ON,
  ].join('\n\n');
}

function said(problem: string): string {
  return oneLine(problem, PROBLEM_LIMIT);
}
