import { textOf, wholeNumber } from '../../schema/values.ts';
import { modelOptions, money } from '../judge/grammar.ts';
import { gateKind } from '../kind-grammar.ts';

const AGENT = 'proof: { agent: Start the server and try every endpoint, max_turns: 20 }';

export const agentGrammar = gateKind({
  kind: 'agent',
  about: 'An agent verifies the work in a worktree that is thrown away.',
  example: AGENT,
  what: textOf('an instruction', AGENT).describe('What the agent has to verify.'),
  main: 'instruction',
  options: {
    ...modelOptions(AGENT),
    max_turns: wholeNumber(AGENT).describe('How many turns it may take.').exactOptional(),
  },
  build: (instruction, options) => ({ instruction, ...money(options) }),
});
