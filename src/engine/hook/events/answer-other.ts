/** Answers events that are no judged Stops. How each of them is answered stands in a file of its own in this folder. */
import type { FrozenContract } from '../../core/contract/contract.ts';
import {
  type Answer,
  eventName,
  type HookEvent,
  type KnownEventName,
  type OtherEvent,
  SILENCE,
} from '../../core/loop/event.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { GuardedSession } from '../../ports/guarded-session.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { sessionWithoutLoop } from '../guard/guarded-session.ts';
import { withMessages } from '../stop/answers.ts';
import { noteCutOff, watchForeign } from '../stop/interrupted-judging.ts';
import { noteMissedStop } from './missed-stops.ts';
import { noteEvent } from './note-event.ts';

/** How an event is answered. Where a member is absent, a loop notes the event, and a session without a loop hears nothing. */
export interface EventAnswer<Event extends HookEvent> {
  /** In a session with a loop. Undefined: the event is only noted. */
  inLoop?(event: Event, loop: SessionLoop, ports: SessionPorts): Promise<Answer> | Answer | undefined;
  /** In a session without a loop, in a project whose contract guards every session. */
  withoutLoop?(event: Event, session: GuardedSession, ports: SessionPorts): Promise<Answer>;
  /** In every session without a loop, besides. */
  unguarded?(event: Event, ports: SessionPorts): Answer[];
}

type Named<Name, Event = HookEvent> = Event extends HookEvent
  ? Name extends Event['name']
    ? Event
    : never
  : never;

/** Events by name, with the answers to them. An event that is not listed is noted in a loop. */
export type EventAnswers = {
  readonly [Name in KnownEventName]?: EventAnswer<Name extends HookEvent['name'] ? Named<Name> : OtherEvent>;
};

function answerTo(event: HookEvent, answers: EventAnswers): EventAnswer<HookEvent> {
  return (answers[eventName(event) as KnownEventName] ?? {}) as EventAnswer<HookEvent>;
}

/** Answers an event of a session that has a loop. */
export async function answerInLoop(
  event: HookEvent,
  before: SessionLoop,
  ports: SessionPorts,
  answers: EventAnswers,
): Promise<Answer> {
  const { ref } = before;
  const { state, messages } = noteMissedStop(event, ref, noteCutOff(ref, before.state, ports), ports);
  watchForeign(before, ports);
  const loop = { ...before, state };
  const answer = await answerTo(event, answers).inLoop?.(event, loop, ports);
  return withMessages(answer ?? withMessages(SILENCE, noteEvent(event, loop, ports).messages), messages);
}

/** Answers an event of a session without a loop. */
export async function answerWithoutLoop(
  event: HookEvent,
  ports: SessionPorts,
  answers: EventAnswers,
): Promise<Answer[]> {
  const { withoutLoop, unguarded } = answerTo(event, answers);
  const frozen = withoutLoop && standingContract(event, ports);
  const guarded = frozen && (await withoutLoop(event, sessionWithoutLoop(event, frozen, ports), ports));
  return [...(guarded ? [guarded] : []), ...(unguarded?.(event, ports) ?? [])];
}

/** The trusted contract that guards this session. */
function standingContract(event: HookEvent, ports: SessionPorts): FrozenContract | undefined {
  const project = ports.projectOf(event);
  const frozen = ports.standing.contract(project);
  if (!frozen || !ports.store.isTrusted(project, frozen.frozen.fingerprint)) return undefined;
  return isSwitchedOff(event, project, ports) ? undefined : frozen;
}

/**
 * Removing untildone.yaml switches its gates off for sessions that begin later. A session that began under the contract
 * stays guarded, because its agent may have removed the file.
 */
function isSwitchedOff({ session }: HookEvent, project: string, ports: SessionPorts): boolean {
  return !ports.guard.hasContract(project) && ports.standing.read(session).baseTree === undefined;
}
