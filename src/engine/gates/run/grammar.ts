import * as z from 'zod';
import { pathOf, textOf } from '../../schema/values.ts';
import { say } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const RUN = 'tests: { run: npm test, timeout: 10m }';
const QUICK = 'tests: { run: npm test, quick: npm run test:changed }';
const variable = say('a variable name of letters, digits and "_"', 'env: { CI: "true" }');
const variableValue = say('a text', 'env: { CI: "true" }');

/** The options of every gate that runs a command. */
export const runOptions = {
  cwd: pathOf('a folder', 'tests: { run: npm test, cwd: packages/api }')
    .describe('The folder to run in, relative to the project.')
    .exactOptional(),
  env: z
    .record(
      z.string(variable).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, variable),
      z.union([z.string(), z.number(), z.boolean()], variableValue).transform(String),
      say('variables with their values', 'env: { CI: "true" }'),
    )
    .describe('Variables added to the environment of the command.')
    .exactOptional(),
};

export const runGrammar = gateKind({
  kind: 'run',
  about: 'Runs a command; it passes when the command ends with exit code 0.',
  example: RUN,
  what: textOf('a command', RUN).describe('A command for sh, run in the project folder.'),
  main: 'command',
  runsCommand: true,
  options: {
    ...runOptions,
    quick: textOf('a command', QUICK)
      .describe(
        'A command that takes less time. It is run as long as another gate fails; the work is done only when the whole command passes.',
      )
      .exactOptional(),
  },
  build: (command, options) => ({ command, ...options }),
});
