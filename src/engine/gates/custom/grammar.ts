import * as z from 'zod';
import { pathOf } from '../../schema/values.ts';
import { say } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const CUSTOM = 'mine: { custom: ./gates/mine.mjs }';
const WITH = 'mine: { custom: ./gates/mine.mjs, with: { level: 2 } }';

export const customGrammar = gateKind({
  kind: 'custom',
  about: 'A gate of your own: a module, or an executable that speaks JSON.',
  example: CUSTOM,
  what: pathOf('a file', CUSTOM).describe('The module or executable.'),
  main: 'file',
  runsCommand: true,
  options: {
    with: z
      .record(z.string(), z.json(say('a value that JSON can hold', WITH)), say('a map', WITH))
      .describe('Handed to the gate as it is.')
      .exactOptional(),
  },
  build: (file, options) => ({ file, ...options }),
});
