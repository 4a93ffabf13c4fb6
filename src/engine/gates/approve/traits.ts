import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const approveTraits = {
  kind: 'approve',
  class: 'judged',
  asksPerson: true,
  needsSession: true,
  notInBaseline: true,
  // You are asked about the whole run, once.
  ofPiece: 'never',
} as const satisfies GateTraits<'approve'>;
