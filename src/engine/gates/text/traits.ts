import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const textTraits = {
  kind: 'text',
  class: 'measured',
  instant: true,
  readsText: true,
  needsSession: true,
  notInBaseline: true,
} as const satisfies GateTraits<'text'>;
