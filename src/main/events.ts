/** The bundle that answers every event but tool calls and Stops, and holds what a held Stop does not need. */
import { answerBy } from '../hook/answer-event.ts';
import type { Input } from '../hook/read-input.ts';
import { type AnsweringBundle, endHook } from '../hook/wiring/end-hook.ts';
import { OTHER_EVENTS } from '../hook/wiring/other-events.ts';

export { queueEnding } from '../hook/wiring/reflection.ts';
export { openSession, openTools } from '../hook/wiring/session.ts';

export async function answer(input: Input): Promise<never> {
  const said = await answerBy(OTHER_EVENTS(), input);
  return said === 'answered' ? endHook(input) : (require('./hook.cjs') as AnsweringBundle).answer(input);
}
