import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const agentTraits = {
  kind: 'agent',
  class: 'judged',
  modelQuestion: ({ instruction, maxCostUsd }) => ({ text: instruction, maxCostUsd }),
  notInBaseline: true,
  ofPiece: 'always',
  isReusable: () => true,
} as const satisfies GateTraits<'agent'>;
