/** The bundle that answers every event. Those of tool calls go to `tool.cjs`, which is smaller. */
import { homeRoot } from '../home/layout.ts';
import { thisProgram } from '../home/program.ts';
import { refreshScripts } from '../home/scripts.ts';
import { answerEvent } from '../hook/answer-event.ts';
import { type Input, readInput } from '../hook/read-input.ts';
import { endHook } from '../hook/wiring/end-hook.ts';

declare const module: NodeJS.Module;

/** After an upgrade the scripts in the home are those of an older version: they are brought up to date once there is an answer. */
export async function answer(input: Input): Promise<never> {
  await answerEvent(input);
  refreshScripts(homeRoot(process.env), thisProgram());
  return endHook(input);
}

if (require.main === module) void readInput().then(answer);
