import { findPromise, keepsPromise, renderPromise } from '../../core/loop/promise.ts';
import type { InstantGate } from '../gate.ts';
import { promiseTraits } from './traits.ts';

/** The final message of the agent states the promise. It is a claim. */
export const promiseGate: InstantGate<'promise'> = {
  ...promiseTraits,
  judge({ text }, { request }) {
    const message = request.lastMessage;
    if (message === undefined) return { outcome: 'fail', summary: 'there is no final message yet' };
    if (keepsPromise(message, text)) return { outcome: 'pass', summary: `stated ${renderPromise(text)}` };
    const other = findPromise(message);
    if (other === undefined) return { outcome: 'fail', summary: 'the final message does not state it' };
    return {
      outcome: 'fail',
      summary: 'the final message states a different promise',
      evidence: [renderPromise(other)],
    };
  },
};
