import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const customTraits = {
  kind: 'custom',
  class: 'measured',
  // The gate is told the text of a completed task, which is no part of the tree.
  isReusable: (_, event) => event !== 'TaskCompleted',
} as const satisfies GateTraits<'custom'>;
