import { renderPromise } from '../../core/loop/promise.ts';
import type { LoopState } from '../../core/loop/state.ts';
import { keepShort } from '../../core/text/clip.ts';
import { describeEnding } from '../../core/words/endings.ts';
import { DIFFERENT_APPROACH, failuresOf, howToFinish, REASON_LIMIT } from '../../core/words/reason.ts';
import type { Held, Words } from '../../ports/session-loop.ts';

const PROMPT_LIMIT = 6000;
const BREAK = '\n\n';

/** The prompt itself, as the plugin does it; what fails and how to finish comes after it. */
export function instruct(prompt: string, promise: string | undefined, held: Held): Words {
  const fails = failuresOf(held.verdicts.filter((v) => v.gate !== 'promise'));
  const after = [
    ...(held.notes ?? []),
    ...(held.instruction === 'different_approach' ? [DIFFERENT_APPROACH] : []),
    ...(fails === '' ? [] : [keepShort(fails, REASON_LIMIT / 4)]),
    ...(promise === undefined ? [] : [howToFinish(promise)]),
  ];
  const reason = [promptOf(prompt, held.taskFile), ...after].join(BREAK);
  return { reason: keepShort(reason, REASON_LIMIT), message: messageOf(promise, held) };
}

function promptOf(prompt: string, taskFile: string): string {
  if (prompt.length <= PROMPT_LIMIT) return prompt;
  return `${keepShort(prompt, PROMPT_LIMIT)}\n(The whole prompt is in ${taskFile}: read it.)`;
}

function messageOf(promise: string | undefined, { iteration, maxIterations }: Held): string {
  if (promise !== undefined)
    return `Ralph iteration ${iteration} | To stop: output ${renderPromise(promise)}`;
  const end =
    maxIterations === 'unlimited' ? 'untildone cancel-ralph ends it' : `it ends at ${maxIterations}`;
  return `Ralph iteration ${iteration} | No completion promise is set: ${end}`;
}

export function outputOf(after: LoopState, promise: string | undefined): Record<string, string> {
  switch (after.status) {
    case 'verified_done':
    case 'claimed_done':
      return promise === undefined ? {} : { message: `Ralph loop: Detected ${renderPromise(promise)}` };
    case 'reached_limit':
      return { message: `Ralph loop: ${limitWords(after)}` };
    default:
      return { message: `Ralph loop: ${describeEnding(after)}` };
  }
}

function limitWords({ ending, maxIterations, iteration }: LoopState): string {
  if (ending?.cause !== 'iterations') return `stopped at the limit of ${ending?.cause ?? 'the loop'}.`;
  if (maxIterations !== 'unlimited') return `Max iterations (${maxIterations}) reached.`;
  return `safety stop after ${iteration} iterations, although max_iterations is 0; "safety_stop: off" in its file takes it away.`;
}
