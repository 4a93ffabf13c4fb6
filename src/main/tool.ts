/** The bundle that answers events of tool calls, and nothing else. */
import { answerBy } from '../engine/hook/answer-event.ts';
import type { Input } from '../engine/hook/read-input.ts';
import { endHook } from '../engine/hook/wiring/end-hook.ts';
import { TOOL_CALLS } from '../engine/hook/wiring/tool-calls.ts';
import type * as hook from './hook.ts';

export async function answer(input: Input): Promise<never> {
  const said = await answerBy(TOOL_CALLS, input);
  return said === 'answered' ? endHook(input) : (require('./hook.cjs') as typeof hook).answer(input);
}
