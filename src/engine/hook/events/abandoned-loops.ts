import { type Answer, type HookEvent, type SessionStartEvent, SILENCE } from '../../core/loop/event.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { iterationWords } from '../../core/words/reason.ts';
import type { Ports } from '../../judging/ports.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { situationOf } from '../stop/situation.ts';

const MOST_TOLD = 3;

/**
 * Tells a new session about the loops it does not have. After `/clear`, and in a fork, the session gets a new id, and the
 * loop stays with the old one.
 */
export function tellLeftLoops(event: HookEvent, ports: Ports): Answer {
  if (event.name !== 'SessionStart' || event.agentId) return SILENCE;
  try {
    return leftBy(event, ports);
  } catch {
    // A loop that cannot be read must not disturb a session that does not own it.
    return SILENCE;
  }
}

function leftBy(event: SessionStartEvent, ports: Ports): Answer {
  const { source } = event;
  // Asked for every source, because this also removes ended loops from the index.
  const living = ports.store.unendedLoops(ports.projectOf(event));
  if (source !== 'clear' && source !== 'fork') return SILENCE;
  const left = living
    .map((ref) => ({ ref, state: ports.store.read(ref) }))
    .filter(({ state }) => !state.run && (source === 'fork' || wasCleared(state)));
  if (left.length === 0) return SILENCE;
  const lines = left.slice(-MOST_TOLD).map(({ ref, state }) => whereItIs(ref, state, ports));
  return { kind: 'tell', message: [OPENING[source], ...lines].join('\n') };
}

function wasCleared({ waiting }: LoopState): boolean {
  return waiting?.why === 'session_ended' && waiting.detail === 'clear';
}

const OPENING = {
  clear: 'untildone: /clear began a session of its own, which is not held.',
  fork: 'untildone: this copy is a session of its own, which is not held.',
};

function whereItIs(ref: LoopRef, state: LoopState, ports: Ports): string {
  const task = oneLine(ports.store.taskDigest(ref).preview, 80);
  return (
    `Loop ${ref.loop} (${task}; ${iterationWords(situationOf(ref, state, ports))}) stays with session ${state.session}. ` +
    `Go on with it: claude --resume ${state.session}; look at it: untildone status; end it: untildone cancel ${ref.loop}`
  );
}
