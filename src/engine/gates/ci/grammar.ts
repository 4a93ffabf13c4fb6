import { listOf, textOf, timeOf } from '../../schema/values.ts';
import { oneOf } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const CI = 'checks: { ci: github }';
const CI_LONG = 'checks: { ci: github, checks: [build], wait: 10m }';

export const ciGrammar = gateKind({
  kind: 'ci',
  about: 'The checks of the pushed commit have passed.',
  example: CI,
  what: oneOf(['github'], CI).describe('Asked through the gh command.'),
  main: 'provider',
  options: {
    checks: listOf(textOf('the name of a check', CI_LONG), 'name of a check', CI_LONG)
      .describe('Only these checks; the required ones, or all, when absent.')
      .exactOptional(),
    wait: timeOf(CI_LONG).describe('How long to wait for checks that still run.').exactOptional(),
  },
  build: (provider, { checks, wait }) => ({
    provider,
    checks,
    waitMs: wait,
  }),
});
