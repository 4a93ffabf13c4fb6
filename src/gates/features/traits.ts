import type { GateTraits } from '../../core/contract/gate-traits.ts';

/** Verify commands stand in lines below each other, and all of them have to succeed. */
export const STOP_AT_FAILURE = 'set -e';

export const featuresTraits = {
  kind: 'features',
  class: 'claimed',
  isReusable: () => true,
  commandAnywhere: (_, proven) => `${STOP_AT_FAILURE}\n${proven}`,
} as const satisfies GateTraits<'features'>;
