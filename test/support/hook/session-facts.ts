import type { SessionFacts } from '../../../src/engine/core/run/session-end.ts';

/** How a session comes back that has come to its end by itself. */
export const done = (more: Partial<NonNullable<SessionFacts['result']>> = {}): SessionFacts => ({
  result: {
    isError: false,
    terminalReason: 'completed',
    subtype: 'success',
    text: 'bye',
    turns: 1,
    costTotalUsd: 0.1,
    tokensTotal: 10,
    ...more,
  },
});
