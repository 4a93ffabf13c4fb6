import * as z from 'zod';
import { listOf, onlyTrue, pathOf } from '../../schema/values.ts';
import { say } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const CHANGED = 'implemented: { changed: ["src/**"], except: ["docs/**"] }';
const globs = listOf(pathOf('a glob', CHANGED), 'glob', CHANGED);

export const changedGrammar = gateKind({
  kind: 'changed',
  about: 'Something was changed since the start.',
  example: CHANGED,
  what: z
    .union([onlyTrue(CHANGED), globs], say('true, or a list of globs', CHANGED))
    .describe('true: any file. A list of globs: a file that one of them fits.'),
  main: 'paths',
  otherwise: true,
  options: { except: globs.describe('Files that do not count.').exactOptional() },
  build: (paths, { except }) => ({
    paths: paths === true ? undefined : paths,
    except,
  }),
});
