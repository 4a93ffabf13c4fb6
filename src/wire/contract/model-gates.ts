/** Gates that ask a model. */
import { gateKind } from './gate-kind.ts';
import { dollars, flag, textOf, wholeNumber } from './values.ts';

const JUDGE = 'review: { judge: "Does the diff do what the task asks?", max_cost: 0.50 }';
const AGENT = 'proof: { agent: Start the server and try every endpoint, max_turns: 20 }';

function modelOptions(example: string) {
  return {
    model: textOf('the name of a model', example).describe('The model to ask.').exactOptional(),
    max_cost: dollars(example).describe('What one judgement may cost, in US dollars.').exactOptional(),
  };
}

function money({ max_cost, ...rest }: { max_cost?: number; model?: string; max_turns?: number }) {
  const { max_turns, ...model } = rest;
  return {
    ...model,
    ...(max_cost === undefined ? {} : { maxCostUsd: max_cost }),
    ...(max_turns === undefined ? {} : { maxTurns: max_turns }),
  };
}

export const judge = gateKind({
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
    ...(transcript ? { transcript } : {}),
  }),
});

export const agent = gateKind({
  kind: 'agent',
  about: 'An agent verifies the work in a worktree that is thrown away.',
  example: AGENT,
  what: textOf('an instruction', AGENT).describe('What the agent has to verify.'),
  main: 'instruction',
  options: {
    ...modelOptions(AGENT),
    max_turns: wholeNumber(AGENT).describe('After so many turns it has to answer.').exactOptional(),
  },
  build: (instruction, options) => ({ instruction, ...money(options) }),
});
