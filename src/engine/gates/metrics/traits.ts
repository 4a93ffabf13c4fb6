import type { MetricCondition } from '../../core/contract/gate-options.ts';
import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const metricsTraits = {
  kind: 'metrics',
  // What is counted is what the agent does, and it can do anything often: no count says that the work is good.
  class: 'claimed',
  needsSession: true,
  about: 'session',
  notInBaseline: true,
  ofPiece: 'always',
  passesWhen: ({ conditions }) =>
    `the counts of this loop are ${conditions.map(conditionWords).join(' and ')}`,
} as const satisfies GateTraits<'metrics'>;

export function conditionWords({ metric, op, value }: MetricCondition): string {
  return `${metric} ${op} ${value}`;
}
