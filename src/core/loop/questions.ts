import { withoutLoopSection } from './notes.ts';
import type { Answered, LoopState } from './state.ts';
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

/** Tells the agent your answers that it has not been told; undefined when there are none. */
export function newAnswers(answers: Readonly<Record<string, Answered>>): string | undefined {
  const news = Object.entries(answers).filter(([, { told }]) => !told);
  if (news.length === 0) return undefined;
  return news
    .map(([name, { said, note }]) => {
      const words = note ? `: "${note}"` : '';
      return said === 'approved'
        ? `untildone: a person approved ${name}${words}. Go on with what comes next.`
        : `untildone: a person rejected ${name}${words}. Change the work accordingly; they are asked again.`;
    })
    .join('\n');
}

/** The same for approvals alone: a rejection is told by the verdict of its gate. */
export function newApprovals(answers: Readonly<Record<string, Answered>>): string | undefined {
  return newAnswers(
    Object.fromEntries(Object.entries(answers).filter(([, { said }]) => said === 'approved')),
  );
}

/** The verdict with its question, when the agent was held for this very failure before and stops with it again. */
export function askedIfRepeated(verdict: Verdict, { gates }: Pick<LoopState, 'gates'>): Verdict {
  const { asksIfRepeated, ...rest } = verdict;
  if (asksIfRepeated === undefined) return verdict;
  const before = gates.find(({ name }) => name === verdict.gate);
  const isSame = before?.verdict === verdict.outcome && before.fingerprint === verdict.fingerprint;
  return isSame && verdict.outcome === 'fail' ? { ...rest, asks: asksIfRepeated } : verdict;
}
