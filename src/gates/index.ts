import type { GateKind } from '../core/gate-options.ts';
import type { Gate } from './gate.ts';
import { promiseGate } from './promise/index.ts';

export type Gates = { [K in GateKind]?: Gate<K> };

/** Gates that only look at what the agent wrote: all that a promise loop needs, and quick to load. */
export const CLAIM_GATES: Gates = { promise: promiseGate };
