import { type Answer, type HookEvent, SILENCE } from '../../core/loop/event.ts';
import type { Ports } from '../../judging/ports.ts';

/** Tells a session without a loop the lessons of earlier loops, and tells you that it did. */
export function tellLessons(event: HookEvent, { lessons, clock, ...ports }: Ports): Answer {
  if (event.name !== 'SessionStart' || event.agentId || !lessons) return SILENCE;
  // What a resumed session was told is in its conversation still.
  if (event.source === 'resume') return SILENCE;
  const context = wordsFor(event, { lessons, clock, ...ports });
  if (context === undefined) return SILENCE;
  const count = context.split('\n').length - 1;
  const message = `untildone: this session is told ${count === 1 ? 'a lesson' : `${count} lessons`} of earlier loops: untildone lessons`;
  // After a compaction you know already.
  return event.source === 'compact' ? { kind: 'inject', context } : { kind: 'inject', context, message };
}

/** A session goes on without lessons when they cannot be read. */
function wordsFor(event: HookEvent, { lessons, clock, ...ports }: Ports): string | undefined {
  try {
    return lessons?.session(ports.projectOf(event), clock.now());
  } catch {
    return undefined;
  }
}
