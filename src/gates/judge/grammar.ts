import { flag, textOf } from '../../schema/values.ts';
import { gateKind } from '../kind-grammar.ts';
import { modelOptions, money } from './model-grammar.ts';

const JUDGE = 'review: { judge: "Does the diff do what the task asks?", max_cost: 0.50 }';

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
