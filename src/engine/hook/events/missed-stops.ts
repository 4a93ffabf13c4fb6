import type { HookEvent } from '../../core/loop/event.ts';
import { MISSED_WORDS, missedEntry, missedStop } from '../../core/loop/missed-stop.ts';
import type { LoopState } from '../../core/loop/state.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';

/** Events between turns: the Stop of the turn before has been answered by now, if there was one. */
const BETWEEN_TURNS = new Set(['UserPromptSubmit', 'SessionStart', 'SessionEnd']);

/**
 * Notes that the session ended a turn and that its Stop did not reach us: once, until a Stop does. Never throws, because the
 * event can be answered without the note.
 */
export function noteMissedStop(
  event: HookEvent,
  ref: LoopRef,
  state: LoopState,
  { store, transcripts }: Pick<Ports, 'store' | 'transcripts'>,
): { state: LoopState; messages: string[] } {
  const nothing = { state, messages: [] };
  if (!BETWEEN_TURNS.has(event.name) || event.agentId || !event.transcript || state.missed) return nothing;
  if (event.name === 'SessionStart' && event.source === 'compact') return nothing;
  try {
    const at = missedStop(state, transcripts.turnEnd(event.transcript));
    if (at === undefined) return nothing;
    const after = store.append(ref, (now) =>
      missedStop(now, at) && !now.missed ? missedEntry(at) : undefined,
    );
    return { state: after, messages: [`untildone: loop ${ref.loop}: ${MISSED_WORDS}.`] };
  } catch {
    return nothing;
  }
}
