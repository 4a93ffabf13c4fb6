import { type Answer, type HookEvent, type SessionStartEvent, SILENCE } from '../../core/loop/event.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { oneLine } from '../../core/text/clip.ts';
import { iterationWords } from '../../core/words/reason.ts';
import type { LoopRef, Ports } from '../../ports/ports.ts';
import { situationOf } from '../stop/situation.ts';

const MOST_TOLD = 3;

/**
 * For a session without a loop. After `/clear`, and in a fork, a session has an id of its own: the loop stays with the one
 * before, and whoever thinks that it goes on here is told otherwise, and how it does.
 */
export function tellLeftLoops(event: HookEvent, ports: Ports): Answer {
  if (event.name !== 'SessionStart' || event.agentId) return SILENCE;
  try {
    return leftBy(event, ports);
  } catch {
    // A courtesy: nothing else of this session is to suffer from a loop that cannot be read.
    return SILENCE;
  }
}

function leftBy(event: SessionStartEvent, ports: Ports): Answer {
  const { source } = event;
  // For every source: what has ended is forgotten on the way.
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
