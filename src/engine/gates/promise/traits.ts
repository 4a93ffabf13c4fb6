import type { GateTraits } from '../../core/contract/gate-traits.ts';
import { renderPromise } from '../../core/loop/promise.ts';

export const promiseTraits = {
  kind: 'promise',
  class: 'claimed',
  instant: true,
  isWord: true,
  needsSession: true,
  // A fresh session has stated nothing.
  about: 'session',
  notInBaseline: true,
  ofPiece: 'always',
  passesWhen: ({ text }) => `your final message ends with ${renderPromise(text)}`,
} as const satisfies GateTraits<'promise'>;
