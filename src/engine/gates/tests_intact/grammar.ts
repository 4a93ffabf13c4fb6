import { onlyTrue } from '../../schema/values.ts';
import { globs } from '../forbid/grammar.ts';
import { gateKind } from '../kind-grammar.ts';

const INTACT = 'intact: { tests_intact: true }';

export const testsIntactGrammar = gateKind({
  kind: 'tests_intact',
  about: 'Tests were not weakened since the start: none deleted, skipped or emptied.',
  example: INTACT,
  what: onlyTrue(INTACT),
  otherwise: true,
  options: { paths: globs.describe('Which files are tests; the usual names when absent.').exactOptional() },
  build: (_, options) => ({ ...options }),
});
