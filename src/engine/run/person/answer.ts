import { cleanAnswer, openQuestions, questionWords } from '../../core/loop/asked.ts';
import { type AskedQuestion, hasEnded, isDone, type LoopState } from '../../core/loop/state.ts';
import { UsageError } from '../../core/text/errors.ts';
import { describeEnding } from '../../core/words/endings.ts';
import type { FileStore } from '../../home/store.ts';
import type { LoopRef } from '../../ports/ports.ts';
import { howItGoesOn } from './how-it-goes-on.ts';

/** The open question of the agent that is meant: by its number, else the only one. */
export function questionMeant(state: LoopState, number: number | undefined): AskedQuestion {
  const open = openQuestions(state);
  if (isDone(state.status) || (hasEnded(state) && !state.run))
    throw new UsageError(`loop ${state.loop} has ended already: ${describeEnding(state)}`);
  if (number !== undefined) {
    const meant = open.find(({ name }) => name === `question ${number}`);
    if (meant) return meant;
    throw new UsageError(`question ${number} of loop ${state.loop} is not open; see: untildone status`);
  }
  const [only, second] = open;
  if (!only) throw new UsageError(`the agent of loop ${state.loop} asks nothing now; see: untildone status`);
  if (!second) return only;
  const which = open.map(questionWords).join('; ');
  throw new UsageError(`the agent asks ${open.length} questions; name one with --question: ${which}`);
}

interface Given {
  text: string;
  option?: number;
}

/** Your answer in words; an option may stand for them. */
export function answerIn({ options = [] }: AskedQuestion, text: string, option: number | undefined): Given {
  if (option === undefined) {
    if (cleanAnswer(text) === '')
      throw new UsageError('the answer is empty; type for example: untildone answer "use the first one"');
    return { text };
  }
  const chosen = options[option - 1];
  if (chosen === undefined)
    throw new UsageError(
      options.length === 0
        ? 'this question has no options; answer in your own words'
        : `there is no option ${option}; there are: ${options.map((each, i) => `${i + 1}: ${each}`).join(', ')}`,
    );
  return { text: text.trim() === '' ? chosen : `${chosen} (${text.trim()})`, option };
}

/** Writes your answer to the journal. Returns what you are told. */
export function answerAgent(
  ref: LoopRef,
  { name }: AskedQuestion,
  { text, option }: Given,
  store: FileStore,
): string[] {
  const note = cleanAnswer(text);
  let isLate = false;
  const after = store.append(ref, (state) => {
    isLate = openQuestions(state).every((question) => question.name !== name);
    return isLate ? undefined : { kind: 'answered', gate: name, said: 'answered', note, option };
  });
  if (isLate)
    throw new UsageError(`${name} of loop ${ref.loop} was answered meanwhile; see: untildone status`);
  const secret = /\[redacted\]/.test(note) && !text.includes('[redacted]');
  return [
    `Loop ${ref.loop}: ${name} is answered: ${note}`,
    ...(secret
      ? [
          'What looks like a secret was left out: put it where the agent finds it (a variable, a file), and say where.',
        ]
      : []),
    howItGoesOn(ref, after, store),
  ];
}
