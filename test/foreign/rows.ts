import type { Row, Stopped } from '../../foreign/row.ts';

export function stopped(ending: string, change: Partial<Stopped> = {}): Stopped {
  return {
    test: { seconds: 2, code: 0 },
    seconds: 3,
    ending,
    gates: ending === 'verified_done' ? [] : ['proof'],
    said: 'words',
    refused: [],
    ...change,
  };
}

/** A project where all is as it should be. */
export function played(change: Partial<Row> = {}): Row {
  return {
    name: 'some/project',
    ecosystem: 'go',
    licence: 'MIT',
    commit: 'a'.repeat(40),
    program: '0123456789ab',
    at: '2026-01-01T00:00:00.000Z',
    result: 'played',
    test: { first: { seconds: 4, code: 0 }, again: { seconds: 2, code: 0 } },
    setup: {
      ...{ seconds: 5, code: 0, notes: [] },
      gates: [{ name: 'tests', verdict: 'pass', seconds: 4, summary: 'it succeeds' }],
    },
    contract: { commands: { tests: 'go test ./...' }, room: 'clean', hasProof: true, wrong: [] },
    honest: stopped('verified_done'),
    again: stopped('verified_done'),
    shown: { broken: { seconds: 2, code: 1 }, hidden: { seconds: 2, code: 0 } },
    cheat: stopped('active'),
    ...change,
  };
}
