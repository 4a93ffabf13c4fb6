import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const subagentsTraits = {
  kind: 'subagents',
  class: 'claimed',
  needsSession: true,
  notInBaseline: true,
} as const satisfies GateTraits<'subagents'>;
