import type { GateTraits } from '../../core/gate-traits.ts';

export const hookTraits = {
  kind: 'hook',
  class: 'measured',
  notInBaseline: true,
  ofPiece: 'always',
} as const satisfies GateTraits<'hook'>;
