import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const judgeTraits = {
  kind: 'judge',
  class: 'judged',
  modelQuestion: ({ question, maxCostUsd }) => ({ text: question, maxCostUsd }),
  notInBaseline: true,
  ofPiece: 'always',
  // The conversation differs at every Stop.
  isReusable: ({ transcript }) => transcript === undefined,
  looksByFile: true,
} as const satisfies GateTraits<'judge'>;
