import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const tasksTraits = {
  kind: 'tasks',
  class: 'claimed',
  needsSession: true,
  // A fresh session has no tasks.
  about: 'session',
  ofPiece: 'always',
} as const satisfies GateTraits<'tasks'>;
