import type { ToolEvent } from '../../core/loop/event.ts';
import { askByTool } from '../guard/ask-by-tool.ts';
import { guardTool } from '../guard/guard-session.ts';
import { sessionWithLoop } from '../guard/guarded-session.ts';
import { ruleOn } from '../guard/tool-rules.ts';
import type { EventAnswer } from './answer-other.ts';

/** A tool is called. */
export const preToolUse: EventAnswer<ToolEvent> = {
  async inLoop(event, loop, ports) {
    const answer = await guardTool(event, sessionWithLoop(event, loop, ports), ports);
    return answer.kind === 'silence' ? askByTool(event, loop.ref, ports) : answer;
  },
  withoutLoop: ruleOn,
};
