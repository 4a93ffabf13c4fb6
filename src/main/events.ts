/** The bundle that answers every event but tool calls and Stops, and holds what a held Stop does not need. */
import { answerBy } from '../engine/hook/answer-event.ts';
import type { Input } from '../engine/hook/read-input.ts';
import { type AnsweringBundle, endHook } from '../engine/hook/wiring/end-hook.ts';
import { OTHER_EVENTS } from '../engine/hook/wiring/other-events.ts';

export { queueEnding } from '../engine/hook/wiring/reflection.ts';
export { openSession, openTools } from '../engine/hook/wiring/session.ts';

export async function answer(input: Input): Promise<never> {
  const said = await answerBy(OTHER_EVENTS(), input);
  return said === 'answered' ? endHook(input) : (require('./hook.cjs') as AnsweringBundle).answer(input);
}
