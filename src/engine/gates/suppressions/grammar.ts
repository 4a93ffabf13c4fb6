import { SUPPRESSION_GROUPS } from '../../core/contract/gate-options.ts';
import { listOf, onlyTrue } from '../../schema/values.ts';
import { oneOf } from '../../schema/words.ts';
import { globs } from '../forbid/grammar.ts';
import { gateKind } from '../kind-grammar.ts';
import { DIRECTIVES } from './directives.ts';
import { SNIFFS } from './sniffing.ts';

const SUPPRESSIONS = 'honest: { suppressions: true }';
const ALLOW = 'honest: { suppressions: true, allow: [coverage, nolint] }';

const NAMES = [...new Set([...DIRECTIVES, ...SNIFFS].map(({ name }) => name))];

export const suppressionsGrammar = gateKind({
  kind: 'suppressions',
  about:
    'No line added since the start mutes a linter, a compiler or coverage, or asks whether it is being tested. When the agent insists, you are asked.',
  example: SUPPRESSIONS,
  what: onlyTrue(SUPPRESSIONS),
  otherwise: true,
  options: {
    allow: listOf(oneOf([...SUPPRESSION_GROUPS, ...NAMES], ALLOW), 'name', ALLOW)
      .describe('Groups, or names of single ones, that are no findings. The receipt lists them.')
      .exactOptional(),
    paths: globs.describe('Only files that one of these globs fits.').exactOptional(),
  },
  build: (_, options) => ({ ...options }),
});
