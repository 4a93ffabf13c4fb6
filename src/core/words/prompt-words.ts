/** What a person reads of a prompt that was not sent, and what a model reads beside one that was. */

import { blocks, type Verdict } from '../loop/verdict.ts';
import { keepShort, oneLine } from '../text/clip.ts';
import { failuresOf, REASON_LIMIT } from './reason.ts';

/** Told anew with every prompt: it costs its tokens each time. */
export const TELL_LIMIT = 4000;

const FAILURES_LIMIT = 6000;
const NEXT_LIMIT = 1500;

/** The prompt never reaches the model: this is for the person who wrote it. */
export function promptRefusal(verdicts: readonly Verdict[]): string {
  const next = verdicts.filter(blocks).flatMap((verdict) => (verdict.next ? [verdict.next] : []));
  const parts = [
    'untildone: this prompt was not sent to the model.',
    keepShort(failuresOf(verdicts), FAILURES_LIMIT),
    ...(next.length > 0 ? [keepShort(`What to do: ${next.join('; ')}.`, NEXT_LIMIT)] : []),
    'Write it anew and send it again: every prompt is looked at by itself. What is asked of prompts stands in untildone.yaml, under "prompt".',
  ];
  return keepShort(parts.join('\n\n'), REASON_LIMIT);
}

/** A gate that is broken must not lock a person out of their session. */
export function promptLetThrough(verdicts: readonly Verdict[], refusals: number): string {
  const failing = verdicts.filter(blocks).map(({ gate }) => gate);
  return `untildone: this prompt was sent after ${refusals} refusals in a row, although ${oneLine(failing.join(', '), 300)} still refuses it.`;
}

/** Within what the client hands over whole. */
export function toldWithPrompt(texts: readonly string[]): string | undefined {
  const told = texts.map((text) => keepShort(text.trim(), TELL_LIMIT)).filter((text) => text !== '');
  if (told.length === 0) return undefined;
  return ['untildone: this project tells you with every prompt:', ...told].join('\n\n');
}

const WORDS_LEFT_OUT = 'what it said is not kept: it may repeat the prompt';

/** A verdict on a prompt for the journal, which holds no prompts: only a text gate is known not to repeat them. */
export function withoutPrompt(verdict: Verdict): Verdict {
  if (verdict.kind === 'text') return verdict;
  const { gate, kind, class: evidence, outcome, onUnproven, children } = verdict;
  return {
    gate,
    kind,
    class: evidence,
    outcome,
    summary: WORDS_LEFT_OUT,
    ...(onUnproven === undefined ? {} : { onUnproven }),
    ...(children === undefined ? {} : { children: children.map(withoutPrompt) }),
  };
}

/** What a text gate refuses is refused each time: its words say what to change. */
export function isRefusedByText(verdict: Verdict): boolean {
  if (!blocks(verdict)) return false;
  if (verdict.children) return verdict.children.some(isRefusedByText);
  return verdict.kind === 'text' && verdict.outcome === 'fail';
}
