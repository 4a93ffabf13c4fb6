import { type Answer, type PromptEvent, SILENCE } from '../../core/loop/event.ts';
import { newAnswers } from '../../core/loop/questions.ts';
import type { LoopState } from '../../core/loop/state.ts';
import type { SessionPorts } from '../../judging/ports.ts';
import type { SessionLoop } from '../../ports/session-loop.ts';
import { answerByPrompt } from '../guard/ask-person.ts';
import { guardPrompt } from '../guard/guard-prompt.ts';
import { sessionWithLoop } from '../guard/guarded-session.ts';
import { joined, withMessages } from '../stop/answers.ts';
import type { EventAnswer } from './answer-other.ts';
import { noteEvent } from './note-event.ts';

/** You send a prompt. It may be the answer to what the agent asked. */
export const userPrompt: EventAnswer<PromptEvent> = {
  async inLoop(event, loop, ports) {
    const answer = await judgePrompt(event, loop, ports);
    if (answer.kind === 'refuse') return answer;
    const heard = answerByPrompt(event, loop, ports);
    return withMessages(joined([answer, heard]), noteEvent(event, loop, ports).messages);
  },
  withoutLoop: guardPrompt,
};

/** Judges a prompt of the user. The prompts of a run come from untildone itself, so they are not judged. */
async function judgePrompt(event: PromptEvent, loop: SessionLoop, ports: SessionPorts): Promise<Answer> {
  const { state } = loop;
  const guarded = state.run ? SILENCE : await guardPrompt(event, sessionWithLoop(event, loop, ports), ports);
  return guarded.kind === 'refuse' ? guarded : joined([guarded, newAnswersIn(state)]);
}

/** Adds the answers to the loop's questions to the next prompt. */
function newAnswersIn({ answers = {}, questions, status, run }: LoopState): Answer {
  // The prompt of a run says them itself.
  const context = status === 'active' && !run ? newAnswers(answers, questions) : undefined;
  return context === undefined ? SILENCE : { kind: 'inject', context };
}
