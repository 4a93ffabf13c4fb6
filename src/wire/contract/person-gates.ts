/** Gates that ask a person. */
import { gateKind } from './gate-kind.ts';
import { pathOf, textOf } from './values.ts';

const APPROVE = 'plan: { approve: "Is the plan good?", file: PLAN.md }';

export const approve = gateKind({
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
