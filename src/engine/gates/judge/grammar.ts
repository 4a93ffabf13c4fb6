import { dollars, flag, textOf } from '../../schema/values.ts';
import { gateKind } from '../kind-grammar.ts';

const JUDGE = 'review: { judge: "Does the diff do what the task asks?", max_cost: 0.50 }';

/** The options of every gate that asks a model. */
export function modelOptions(example: string) {
  return {
    model: textOf('the name of a model', example).describe('The model to ask.').exactOptional(),
    max_cost: dollars(example).describe('What one judgement may cost, in US dollars.').exactOptional(),
  };
}

/** What those options become. */
export function money({ max_cost, ...rest }: { max_cost?: number; model?: string; max_turns?: number }) {
  const { max_turns, ...model } = rest;
  return {
    ...model,
    maxCostUsd: max_cost,
    maxTurns: max_turns,
  };
}

export const judgeGrammar = gateKind({
  kind: 'judge',
  about: 'A model answers a question about the diff and the task; about the conversation, too, if you like.',
  example: JUDGE,
  what: textOf('a question', JUDGE).describe('A question that yes answers when the work is done.'),
  main: 'question',
  options: {
    ...modelOptions(JUDGE),
    transcript: flag('review: { judge: "Is everything done that was asked for?", transcript: true }')
      .describe('Show the model the end of the conversation, too.')
      .exactOptional(),
  },
  build: (question, { transcript, ...options }) => ({
    question,
    ...money(options),
    transcript: transcript || undefined,
  }),
});
