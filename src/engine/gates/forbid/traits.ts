import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const forbidTraits = {
  kind: 'forbid',
  class: 'measured',
  isReusable: () => true,
  looksByFile: true,
  emptyOutcome: 'pass',
  passesWhen: ({ patterns, custom }) =>
    `no added line has any of ${[...patterns, ...custom.map(({ name }) => name)].join(', ')}`,
} as const satisfies GateTraits<'forbid'>;
