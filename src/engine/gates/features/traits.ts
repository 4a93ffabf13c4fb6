import type { GateTraits } from '../../core/contract/gate-traits.ts';

/** Makes a script fail with its first failing line: all verify commands have to succeed. */
export const STOP_AT_FAILURE = 'set -e';

export const featuresTraits = {
  kind: 'features',
  class: 'claimed',
  isReusable: () => true,
  commandAnywhere: (_, proven) => `${STOP_AT_FAILURE}\n${proven}`,
} as const satisfies GateTraits<'features'>;
