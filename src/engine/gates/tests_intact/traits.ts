import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const testsIntactTraits = {
  kind: 'tests_intact',
  class: 'measured',
  isReusable: () => true,
  emptyOutcome: 'pass',
  findsCheats: true,
} as const satisfies GateTraits<'tests_intact'>;
