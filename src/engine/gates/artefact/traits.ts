import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const artefactTraits = {
  kind: 'artefact',
  class: 'claimed',
  emptyOutcome: 'fail',
  // A new contract does not change when a text was written.
  keepsFrozen: true,
} as const satisfies GateTraits<'artefact'>;
