import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const suppressionsTraits = {
  kind: 'suppressions',
  class: 'measured',
  // Your answer counts, and it is not part of the tree: verdicts are not used again.
  mayAsk: true,
  looksByFile: true,
  emptyOutcome: 'pass',
  findsCheats: true,
  passesWhen: () =>
    'no added line mutes a linter, a compiler or coverage, or asks whether it is being tested',
} as const satisfies GateTraits<'suppressions'>;
