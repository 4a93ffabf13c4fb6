import type { GateTraits } from '../../core/gate-traits.ts';

export const subagentsTraits = {
  kind: 'subagents',
  class: 'claimed',
  notInBaseline: true,
} as const satisfies GateTraits<'subagents'>;
