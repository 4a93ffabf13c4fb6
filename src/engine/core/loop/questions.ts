import { oneLine } from '../text/clip.ts';
import { withoutLoopSection } from './notes.ts';
import type { Answered, AskedQuestion, LoopState } from './state.ts';
import type { Verdict } from './verdict.ts';

const REMEMBERED = 50;

export function answer(
  answers: Readonly<Record<string, Answered>>,
  name: string,
  answered: Answered,
): Record<string, Answered> {
  const others = Object.entries(answers).filter(([other]) => other !== name);
  return Object.fromEntries([...others.slice(1 - REMEMBERED), [name, answered]]);
}

export function allTold(answers: Readonly<Record<string, Answered>>): Record<string, Answered> {
  return Object.fromEntries(
    Object.entries(answers).map(([name, each]) => [name, { ...each, told: true as const }]),
  );
}

const TICKED = /^(\s*(?:[-*+]|\d{1,9}[.)])\s+)\[[xX]\]/;

/** The part of a file that an approval is about: without ticks, white space at line ends and the section of a loop. */
export function approvedText(text: string): string {
  const lines = withoutLoopSection(text)
    .split('\n')
    .map((line) => line.trimEnd().replace(TICKED, '$1[ ]'));
  return lines.join('\n').trim();
}

const QUOTED_LIMIT = 300;

type Answers = Readonly<Record<string, Answered>>;

/** Tells the agent your answers that it has not been told; undefined when there are none. */
export function newAnswers(answers: Answers, questions?: readonly AskedQuestion[]): string | undefined {
  const news = Object.entries(answers).filter(([, { told }]) => !told);
  if (news.length === 0) return undefined;
  return news.map(([name, answered]) => answerWords(name, answered, questions)).join('\n');
}

/** The same without rejections: those are told by the verdicts of their gates. */
export function newApprovals(answers: Answers, questions?: readonly AskedQuestion[]): string | undefined {
  return newAnswers(
    Object.fromEntries(Object.entries(answers).filter(([, { said }]) => said !== 'rejected')),
    questions,
  );
}

function answerWords(name: string, answered: Answered, questions: readonly AskedQuestion[] = []): string {
  const { said, note } = answered;
  const words = note ? `: "${note}"` : '';
  const asked = questions.find((question) => question.name === name);
  switch (said) {
    case 'approved':
      return `untildone: a person approved ${name}${words}. Go on with what comes next.`;
    case 'rejected':
      return `untildone: a person rejected ${name}${words}. Change the work accordingly; they are asked again.`;
    default:
      return `untildone: ${asked ? `you asked (${name}): "${oneLine(asked.text, QUOTED_LIMIT)}"` : `about ${name}`}\n${givenWords(answered)}`;
  }
}

/** What became of a question of the agent, for the agent. */
export function givenWords({ said, note = '', option }: Answered): string {
  const chosen = option === undefined ? '' : `option ${option}, `;
  switch (said) {
    case 'prompted':
      return 'A person sent a prompt in the session after it: that is the answer. Read it again, and go on with that.';
    case 'decided':
      return `You decided it yourself: "${note}".`;
    default:
      return `A person answered: ${chosen}"${note}". That is your next instruction: go on with it.`;
  }
}

/** The verdict with its question, when the agent was held for this very failure before and stops with it again. */
export function askedIfRepeated(verdict: Verdict, { gates }: Pick<LoopState, 'gates'>): Verdict {
  const { asksIfRepeated, ...rest } = verdict;
  if (asksIfRepeated === undefined) return verdict;
  const before = gates.find(({ name }) => name === verdict.gate);
  const isSame = before?.verdict === verdict.outcome && before.fingerprint === verdict.fingerprint;
  return isSame && verdict.outcome === 'fail' ? { ...rest, asks: asksIfRepeated } : verdict;
}
