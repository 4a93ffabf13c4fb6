/** The bundle that answers Stops, and nothing else. */
import { answerBy } from '../engine/hook/answer-event.ts';
import { type Input, readInput } from '../engine/hook/read-input.ts';
import { type AnsweringBundle, endHook } from '../engine/hook/wiring/end-hook.ts';
import { STOPS } from '../engine/hook/wiring/stops.ts';

declare const module: NodeJS.Module;

export async function answer(input: Input): Promise<never> {
  const said = await answerBy(STOPS(), input);
  return said === 'answered' ? endHook(input) : (require('./events.cjs') as AnsweringBundle).answer(input);
}

if (require.main === module) void readInput().then(answer);
