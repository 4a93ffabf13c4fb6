import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const changedTraits = {
  kind: 'changed',
  // A change is measured, but it proves nothing about the work. It must not make a loop verified.
  class: 'claimed',
  looksByFile: true,
  emptyOutcome: 'fail',
} as const satisfies GateTraits<'changed'>;
