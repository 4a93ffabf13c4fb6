import { pathOf, textOf } from '../../schema/values.ts';
import { gateKind } from '../kind-grammar.ts';

const APPROVE = 'plan: { approve: "Is the plan good?", file: PLAN.md }';

export const approveGrammar = gateKind({
  kind: 'approve',
  about: 'You said yes: untildone approve NAME. The loop waits for your answer when everything else passes.',
  example: APPROVE,
  what: textOf('a question', APPROVE).describe('The question that you are asked.'),
  main: 'ask',
  options: {
    file: pathOf('a file', APPROVE)
      .describe('The file that you approve, with the text that it has then; ticks may still change.')
      .exactOptional(),
  },
  build: (ask, options) => ({ ask, ...options }),
});
