import { REVEALS } from '../../core/contract/gate-options.ts';
import { pathOf, textOf } from '../../schema/values.ts';
import { oneOf } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const HOLDOUT = 'acceptance: { holdout: node --test acceptance/, reveal: count }';

export const holdoutGrammar = gateKind({
  kind: 'holdout',
  about:
    'Runs tests that the agent never sees (untildone holdout add), laid over the work in a clean room; it passes when the command ends with exit code 0.',
  example: HOLDOUT,
  what: textOf('a command', HOLDOUT).describe('A command for sh, run in the clean room.'),
  main: 'command',
  options: {
    cwd: pathOf('a folder', HOLDOUT)
      .describe('The folder to run in, relative to the project.')
      .exactOptional(),
    reveal: oneOf(REVEALS, HOLDOUT)
      .describe(
        'What the agent is told of a failure. count (default): how many tests fail. names: which. output: what they print.',
      )
      .exactOptional(),
  },
  build: (command, options) => ({ command, ...options }),
});
