import { type HookEvent, isCompactionAgent } from '../../core/loop/event.ts';
import { guardWork } from '../guard/guard-work.ts';
import { sessionWithLoop } from '../guard/guarded-session.ts';
import type { EventAnswer } from './answer-other.ts';

/** A subagent stops, a task is made or completed, a teammate has nothing left to do: gates may send each of them back. */
export const guardedWork: EventAnswer<HookEvent> = {
  inLoop: (event, loop, ports) =>
    loop.state.status !== 'active' || isCompactionAgent(event)
      ? undefined
      : guardWork(event, sessionWithLoop(event, loop, ports), ports),
  withoutLoop: guardWork,
};
