/** The bundle that answers events of tool calls, and nothing else. */
import { answerBy } from '../hook/answer-event.ts';
import type { Input } from '../hook/read-input.ts';
import { endHook } from '../hook/wiring/end-hook.ts';
import { TOOL_CALLS } from '../hook/wiring/tool-calls.ts';
import type * as hook from './hook.ts';

export function answer(input?: Input): void {
  void answerBy(TOOL_CALLS, input).then((said) => {
    if (said !== 'unknown') return endHook();
    (require('./hook.cjs') as typeof hook).answer(input);
  });
}
