import type { GateTraits } from '../../core/contract/gate-traits.ts';

export const gitTraits = {
  kind: 'git',
  class: 'measured',
  about: 'commits',
  // The branch that counts is the run's own.
  ofPiece: 'never',
} as const satisfies GateTraits<'git'>;
