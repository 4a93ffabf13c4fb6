import type { GateTraits } from '../../core/contract/gate-traits.ts';

/** The chunks of a plan. `core/loop/phases.ts` combines their verdicts; the key `chunks` of a contract is their grammar. */
export const chunksTraits = {
  kind: 'chunks',
  class: 'claimed',
  passesWhen: ({ chunks }) =>
    `the chunks that your task names, or all: ${chunks.map(({ name }) => name).join(', ')}`,
} as const satisfies GateTraits<'chunks'>;
