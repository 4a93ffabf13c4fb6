import type { GateTraits } from '../../core/contract/gate-traits.ts';

const DEFAULT_WAIT_MS = 10 * 60_000;

export const ciTraits = {
  kind: 'ci',
  class: 'measured',
  about: 'service',
  notInBaseline: true,
  ofPiece: 'when_pushed',
  waitMs: ({ waitMs = DEFAULT_WAIT_MS }) => waitMs,
} as const satisfies GateTraits<'ci'>;
