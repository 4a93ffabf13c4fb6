/** Questions of the agent (`untildone ask`). Your answers to them stand among those for gates. */
import type { AskRule } from '../run/options.ts';
import { stripAnsi } from '../text/ansi.ts';
import { oneLine } from '../text/clip.ts';
import { redact } from '../text/redact.ts';
import { type Answered, type AskedQuestion, hasEnded, type LoopState, openWait } from './state.ts';

/** So many questions may be asked before something has to change in what fails. */
export const MOST_IN_A_ROW = 3;
export const MOST_OPTIONS = 9;
const TEXT_LIMIT = 1000;
const OPTION_LIMIT = 200;
const ANSWER_LIMIT = 2000;
/** Longer texts are cut before they are searched for secrets. */
const READ_LIMIT = 16_000;
/** Every line of the journal holds them. */
const REMEMBERED = 20;

/** A text from outside in one line: without escape sequences, control characters and secrets. */
function cleaned(text: string, limit: number): string {
  return oneLine(redact(stripAnsi(text.slice(0, READ_LIMIT))), limit);
}

export function cleanQuestion(text: string, options: readonly string[]): { text: string; options: string[] } {
  return {
    text: cleaned(text, TEXT_LIMIT),
    options: options.map((option) => cleaned(option, OPTION_LIMIT)).filter((option) => option !== ''),
  };
}

export function cleanAnswer(text: string): string {
  return cleaned(text, ANSWER_LIMIT);
}

type Questioned = Pick<LoopState, 'questions' | 'answers'>;

export function answerTo({ answers = {} }: Questioned, { name }: AskedQuestion): Answered | undefined {
  return Object.hasOwn(answers, name) ? answers[name] : undefined;
}

export function openQuestions(state: Questioned): AskedQuestion[] {
  return (state.questions ?? []).filter((question) => answerTo(state, question) === undefined);
}

/** The open questions that only you can answer. */
export function questionsForYou(state: Questioned): AskedQuestion[] {
  return openQuestions(state).filter(({ policy }) => policy !== 'decide');
}

/** The open questions that the agent has to decide itself. */
export function questionsToDecide(state: Questioned): AskedQuestion[] {
  return openQuestions(state).filter(({ policy }) => policy === 'decide');
}

/** The entry of a question in the journal. */
export type AskedEntry = { kind: 'asked' } & Omit<AskedQuestion, 'at'>;

/** What a call of `untildone ask` does. */
export type Asking =
  | { kind: 'asks'; entry: AskedEntry }
  /** The same was asked before. */
  | { kind: 'open'; question: AskedQuestion }
  | { kind: 'answered'; question: AskedQuestion; answered: Answered }
  | { kind: 'too_many' };

/** Call it under the lock of the journal: two calls at once must not count as one. */
export function ask(
  state: LoopState,
  { text, options }: { text: string; options: readonly string[] },
  rule: AskRule,
): Asking {
  const question = state.questions?.findLast((known) => isSame(known.text, text));
  if (question) {
    const answered = answerTo(state, question);
    return answered ? { kind: 'answered', question, answered } : { kind: 'open', question };
  }
  const { count = 0, inARow = 0 } = state.asked ?? {};
  if (inARow >= MOST_IN_A_ROW) return { kind: 'too_many' };
  const name = `question ${count + 1}`;
  return {
    kind: 'asks',
    entry: { kind: 'asked', name, text, ...rule, options: options.length > 0 ? [...options] : undefined },
  };
}

function isSame(one: string, other: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return one === other || (plain(one) !== '' && plain(one) === plain(other));
}

export function advanceAsked(state: LoopState, entry: AskedEntry, at: number): LoopState {
  if (hasEnded(state)) return state;
  const { kind: _, options, ...rest } = entry;
  const { count = 0, inARow = 0 } = state.asked ?? {};
  return {
    ...state,
    questions: [...(state.questions ?? []), { ...rest, options: options || undefined, at }].slice(
      -REMEMBERED,
    ),
    asked: { count: count + 1, inARow: inARow + 1 },
  };
}

/** Something changed in what fails: three more questions may be asked. */
export function afterProgress({ asked }: LoopState): Pick<LoopState, 'asked'> {
  return asked ? { asked: { ...asked, inARow: 0 } } : {};
}

const DETAIL_LIMIT = 500;

/** `question 1: Which one? (1: this, 2: that)`. */
export function questionWords({ name, text, options = [] }: AskedQuestion): string {
  const choice = options.map((option, index) => `${index + 1}: ${option}`).join(', ');
  return `${name}: ${text}${choice === '' ? '' : ` (${choice})`}`;
}

/** What a wait for you says of the questions; empty when none is open. */
export function openWords(state: Questioned): string {
  return oneLine(questionsForYou(state).map(questionWords).join('; '), DETAIL_LIMIT);
}

/** Lets a loop that goes on wait for you again, when a question is still open. */
export function waitingAgain(state: LoopState, at: number): LoopState {
  const open = state.status === 'active' ? openWords(state) : '';
  return open === '' ? state : openWait(state, 'approval', at, open);
}

/** When a run no longer waits for an answer; undefined when it waits for as long as it takes. */
export function answerUntil(state: LoopState): number | undefined {
  const { waiting } = state;
  const limits = questionsForYou(state).flatMap(({ waitMs }) => (waitMs === 'unlimited' ? [] : [waitMs]));
  return waiting?.why !== 'approval' || limits.length === 0 ? undefined : waiting.since + Math.min(...limits);
}
