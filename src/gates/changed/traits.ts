import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const changedTraits = {
  kind: 'changed',
  // The change is seen, not claimed. But it proves nothing about the work, so it must not make a loop verified.
  class: 'claimed',
  looksByFile: true,
  emptyOutcome: 'fail',
} as const satisfies GateTraits<'changed'>;
