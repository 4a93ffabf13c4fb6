import { isCompactionAgent, type SubagentStartEvent } from '../../core/loop/event.ts';
import { beginAgent } from '../guard/guard-work.ts';
import { sessionWithLoop } from '../guard/guarded-session.ts';
import type { EventAnswer } from './answer-other.ts';

/** A subagent begins. */
export const subagentStart: EventAnswer<SubagentStartEvent> = {
  inLoop: (event, loop, ports) =>
    isCompactionAgent(event) ? undefined : beginAgent(event, sessionWithLoop(event, loop, ports), ports),
  withoutLoop: beginAgent,
};
