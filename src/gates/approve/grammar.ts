import { pathOf, textOf } from '../../schema/values.ts';
import { gateKind } from '../kind-grammar.ts';

const APPROVE = 'plan: { approve: "Is the plan good?", file: PLAN.md }';

export const approveGrammar = gateKind({
  kind: 'approve',
  about: 'A person said yes: untildone approve NAME. The loop waits for it when everything else passes.',
  example: APPROVE,
  what: textOf('a question', APPROVE).describe('What the person is asked.'),
  main: 'ask',
  options: {
    file: pathOf('a file', APPROVE)
      .describe('What they look at: approved as it is then, its ticks aside.')
      .exactOptional(),
  },
  build: (ask, options) => ({ ask, ...options }),
});
