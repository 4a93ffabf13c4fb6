import type { ToolEvent } from '../../core/loop/event.ts';
import { guardPermission } from '../guard/guard-session.ts';
import { sessionWithLoop } from '../guard/guarded-session.ts';
import { ruleOn } from '../guard/tool-rules.ts';
import type { EventAnswer } from './answer-other.ts';

/** Claude Code would ask you whether a tool may run. */
export const permissionRequest: EventAnswer<ToolEvent> = {
  inLoop: (event, loop, ports) => guardPermission(event, loop, sessionWithLoop(event, loop, ports), ports),
  withoutLoop: ruleOn,
};
