/** `all` and `any` are never judged themselves: `core/loop/verdict.ts` combines the verdicts of their gates. */
import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const allTraits = {
  kind: 'all',
  class: 'claimed',
  passesWhen: (_, parts) => parts.join('; and '),
} as const satisfies GateTraits<'all'>;

export const anyTraits = {
  kind: 'any',
  class: 'claimed',
  passesWhen: (_, parts) => parts.join('; or '),
} as const satisfies GateTraits<'any'>;
