import type { ConfigChangeEvent } from '../../core/loop/event.ts';
import { guardSettings } from '../guard/guard-session.ts';
import { sessionWithLoop } from '../guard/guarded-session.ts';
import type { EventAnswer } from './answer-other.ts';

/** Settings of Claude Code change. Without a loop, that is nobody's business but yours. */
export const configChange: EventAnswer<ConfigChangeEvent> = {
  inLoop: (event, loop, ports) => guardSettings(event, sessionWithLoop(event, loop, ports), ports),
};
