import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const checklistTraits = {
  kind: 'checklist',
  class: 'claimed',
  passesWhen: ({ file }) => `no open item is left in ${file ?? 'the list of this conversation'}`,
} as const satisfies GateTraits<'checklist'>;
