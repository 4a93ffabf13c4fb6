import type { LoopRow } from '../../../../src/read/dashboard/view/types.ts';

/** A row of the overview, with what a test is about. */
export function aRow(change: Partial<LoopRow> = {}): LoopRow {
  return {
    id: 'loop-1',
    project: 'shop',
    task: 'Make it work',
    status: 'active',
    tone: 'open',
    words: 'the model works',
    doing: 'thinks',
    owner: { kind: 'session', session: 'session-1' },
    iteration: 1,
    gates: [],
    tokens: 0,
    startedAt: 1000,
    lastAt: 2000,
    elapsedMs: 1000,
    questions: 0,
    dialect: 'native',
    ...change,
  };
}
