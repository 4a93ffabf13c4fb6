/** The bundle that answers every event, and of those of tool calls none, as long as `tool.cjs` is there. */
import { answerEvent } from '../hook/answer-event.ts';
import type { Input } from '../hook/read-input.ts';
import { endHook } from '../hook/wiring/end-hook.ts';

declare const module: NodeJS.Module;

export function answer(input?: Input): void {
  void answerEvent(input).then(endHook);
}

if (require.main === module) answer();
