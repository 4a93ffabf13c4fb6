import type { GateTraits } from '../../core/gate-traits.ts';

export const textTraits = {
  kind: 'text',
  class: 'measured',
  instant: true,
  readsText: true,
  notInBaseline: true,
} as const satisfies GateTraits<'text'>;
