/** The bundle that answers every event. Those of tool calls go to `tool.cjs`, which is smaller. */
import { answerEvent } from '../hook/answer-event.ts';
import { type Input, readInput } from '../hook/read-input.ts';
import { endHook } from '../hook/wiring/end-hook.ts';

declare const module: NodeJS.Module;

export async function answer(input: Input): Promise<never> {
  await answerEvent(input);
  return endHook(input);
}

if (require.main === module) void readInput().then(answer);
