import { type Asking, answerTo, MOST_IN_A_ROW, questionsToDecide, questionWords } from '../loop/asked.ts';
import { givenWords } from '../loop/questions.ts';
import type { AskedQuestion, LoopState } from '../loop/state.ts';
import type { AskPolicy } from '../run/option-values.ts';
import { keepShort, oneLine } from '../text/clip.ts';

/** What the agent reads about asking you something. */

/** Tells an agent that it may ask, in one line. */
export function howToAsk(policy: AskPolicy): string {
  switch (policy) {
    case 'wait':
      return 'Only if you cannot go on without a person (not for what you can find out or decide): untildone ask "your question" [--option A --option B], then stop. The answer is your next instruction.';
    case 'decide':
      return 'Nobody is there to answer questions. Decide yourself, choose what is easy to change later, and write it down: untildone ask "the question" --decided "what you decided, and why"';
    case 'end':
      return 'Only if you cannot go on without a person (not for what you can find out or decide): untildone ask "your question", then stop. Nobody is there to answer, so this run ends then.';
  }
}

/** The answer to `untildone ask`, for the agent that called it. */
export function askingWords(asking: Asking): string {
  switch (asking.kind) {
    case 'asks':
      return `Asked as ${asking.entry.name}. ${afterAsking(asking.entry.policy, asking.entry.text)}`;
    case 'open':
      return `You asked this before (${asking.question.name}), and it is still open. ${afterAsking(asking.question.policy, asking.question.text)}`;
    case 'answered':
      return `You asked this before (${asking.question.name}). ${givenWords(asking.answered)}`;
    case 'too_many':
      return `not asked: ${MOST_IN_A_ROW} questions were asked since something last changed in what fails. Go on with what you know: decide it yourself, and say in your final message what you decided. You may ask again when the work has moved on.`;
  }
}

function afterAsking(policy: AskPolicy, text: string): string {
  switch (policy) {
    case 'wait':
      return 'A person is told when you stop. Do what does not depend on the answer, if there is anything; then end your turn. Do not wait in the shell, and do not ask again: nothing is counted while the loop waits, and the answer is your next instruction.';
    case 'decide':
      return `Nobody is there to answer. ${toDecide(text)}`;
    case 'end':
      return 'Nobody is there to answer: the loop ends at your next stop, and a person goes on with it. Leave the files in order, and say in your final message what is done and what is not.';
  }
}

const QUOTED_LIMIT = 200;

function toDecide(text: string): string {
  const quoted = oneLine(text.replace(/["'`$\\]/g, ''), QUOTED_LIMIT);
  return `Decide it yourself: choose what is easy to change later. Then write down what you decided and why: untildone ask "${quoted}" --decided "your decision"`;
}

/** Reminds the agent of questions that it has to decide, and of which it has not written down how. */
export function decideNotes(state: LoopState): string[] {
  return questionsToDecide(state).map(
    ({ text }) => `You asked: "${text}" Nobody answers here. ${toDecide(text)}`,
  );
}

const SHOWN = 8;
const LINE_LIMIT = 600;
const RECORD_LIMIT = 2500;

/** What was asked and answered so far, for a session that does not remember it; empty when nothing was asked. */
export function askedSoFar(state: LoopState): string {
  const lines = (state.questions ?? [])
    .slice(-SHOWN)
    .map((question) => oneLine(soFar(question, state), LINE_LIMIT));
  if (lines.length === 0) return '';
  return keepShort(['What was asked so far:', ...lines].join('\n'), RECORD_LIMIT);
}

function soFar(question: AskedQuestion, state: LoopState): string {
  const answered = answerTo(state, question);
  if (!answered) return `- ${questionWords(question)} - still open`;
  if (answered.said === 'prompted') return `- ${questionWords(question)} - a person answered in the session`;
  const who = answered.said === 'decided' ? 'decided without a person' : 'a person answered';
  return `- ${questionWords(question)} - ${who}: "${answered.note ?? ''}"`;
}
