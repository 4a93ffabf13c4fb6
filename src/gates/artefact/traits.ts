import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const artefactTraits = {
  kind: 'artefact',
  class: 'claimed',
  emptyOutcome: 'fail',
  // What was written since the start has not become older by a new contract.
  keepsFrozen: true,
} as const satisfies GateTraits<'artefact'>;
