import { textOf, wholeNumber } from '../../schema/values.ts';
import { gateKind } from '../kind-grammar.ts';

const SUBAGENTS = 'workers: { subagents: "chunk-*", at_least: 2 }';

export const subagentsGrammar = gateKind({
  kind: 'subagents',
  about: 'All subagents of this type have ended and passed their gates, and there were as many as asked for.',
  example: SUBAGENTS,
  what: textOf('the type of an agent', SUBAGENTS).describe(
    'The type of the agents; "*" stands for any characters.',
  ),
  main: 'type',
  options: {
    at_least: wholeNumber(SUBAGENTS).describe('How many there have to be (default: 1).').exactOptional(),
  },
  build: (type, { at_least }) => ({ type, atLeast: at_least ?? 1 }),
});
