import { withoutLoopSection } from './notes.ts';
import type { Answered } from './state.ts';

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

/** What a person approves of a text: ticks, white space at line ends and what a loop keeps in it change nothing about it. */
export function approvedText(text: string): string {
  const lines = withoutLoopSection(text)
    .split('\n')
    .map((line) => line.trimEnd().replace(TICKED, '$1[ ]'));
  return lines.join('\n').trim();
}

/** What a person said since the agent was last told, for the agent; undefined when there is nothing new. */
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

/** Of what is new, what the gate that asks does not say itself: its yes, and the words that came with it. */
export function newApprovals(answers: Readonly<Record<string, Answered>>): string | undefined {
  return newAnswers(
    Object.fromEntries(Object.entries(answers).filter(([, { said }]) => said === 'approved')),
  );
}
