import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const hookTraits = {
  kind: 'hook',
  class: 'measured',
  notInBaseline: true,
  ofPiece: 'always',
} as const satisfies GateTraits<'hook'>;
