import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Evidence } from '../../../src/dev/demo/expectation.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { Receipt } from '../../../src/engine/core/loop/receipt.ts';
import type { SessionEnd } from '../../../src/engine/core/run/session-end.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { type SignedReceipt, signReceipt } from '../../../src/engine/home/receipts.ts';
import { STARTED } from '../../support/core/samples.ts';
import {
  askedFor,
  DAMAGED,
  demoNamed,
  happenedIn,
  journalOf,
  missing,
  stepsOf,
  stop,
  unchained,
} from './evidence.ts';

const DEMO = demoNamed('many-sessions');
const ending = 'verified_done';
const [task = ''] = DEMO.run ?? [];
/** What the first two sessions leave for the next one. */
const notes = DEMO.turns.flatMap(({ text }) => (text?.startsWith('Done: ') ? [text] : []));
const HELD = stop({ kind: 'block', instruction: 'continue' });
const ENDED = stop({ kind: 'end', status: ending, cause: 'c', detail: 'd' });

const begins = (session: string): Entry => ({ kind: 'intent', session, resume: false, why: 'w' });
const comesBack = (kind: 'completed' | 'crashed', costTotalUsd: number): Entry => {
  const end: SessionEnd = { kind, detail: '' };
  return { kind: 'result', end, costTotalUsd, tokensTotal: 1 };
};
const leaves = (note = '', contextShare = 0.815): Entry[] => [
  stop({ kind: 'block', instruction: 'hand_over' }, { contextShare }),
  stop({ kind: 'allow', cause: 'hand_over', detail: '', note }),
];
const STARTED_RUN: Entry = { ...STARTED, run: { mode: 'hybrid' } };
const FIRST = [STARTED_RUN, begins('s1'), HELD, ...leaves(notes[0]), comesBack('completed', 0.3)];
const SECOND = [begins('s2'), ...leaves(notes[1]), comesBack('completed', 0.2)];
const THIRD = [begins('s3'), ENDED, comesBack('completed', 0.1)];

const REASON = [{ type: 'text', text: 'Stop hook feedback:\nuntildone: iteration 2 of 20. Not done.' }];
const brief = (note = '', about = task) =>
  `You remember nothing of it. Task: ${about} Note: ${note} What does not hold yet: words`;
const ASKED = DEMO.turns.map(() => REASON as string | object[]);
const askedWith = (first: string | object[], second: string | object[]) =>
  askedFor(['prompt', 'prompt', first, second, ...ASKED.slice(4)]);

const folder = mkdtempSync(join(tmpdir(), 'untildone-receipt-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => createHome(homeAt(folder)));

function receiptWith(status: string): SignedReceipt {
  return signReceipt(
    {
      ...({
        v: 1,
        work: { tree: 'a'.repeat(40) },
        task: {},
        journal: {},
        verdicts: [],
        allowed: [],
      } as unknown as Receipt),
      status,
    },
    homeAt(folder),
  );
}

const COMPLETE = (): Evidence => ({
  test: { before: 1, after: 0 },
  files: DEMO.files,
  journal: journalOf(...FIRST, ...SECOND, ...THIRD),
  asked: askedWith(brief(notes[0]), brief(notes[1])),
  typed: { code: 0, failed: false },
  receipt: receiptWith(ending),
});

const WAYS_TO_MISS: Record<string, (() => Partial<Evidence>)[]> = {
  'the test of the sample project fails at first': [() => ({ test: { before: 0, after: 0 } })],
  'a claim to be finished is held while tests fail': [
    () => {
      const through = stop({ kind: 'allow', cause: 'background' });
      return { journal: journalOf(STARTED_RUN, through, ...FIRST.slice(1), ...SECOND, ...THIRD) };
    },
  ],
  'the model reads the reason, and goes on': [
    () => ({ asked: askedFor([brief(notes[0]), brief(notes[1]), ...ASKED.slice(2).map(() => 'prompt')]) }),
  ],
  'the work goes over 3 sessions': [
    () => ({ journal: journalOf(...FIRST, ...SECOND, begins('s2'), ...THIRD.slice(1)) }),
  ],
  'a session is left when its context is 80 % full, and not before': [
    () => {
      const early = [begins('s2'), ...leaves(notes[1], 0.4), comesBack('completed', 0.2)];
      return { journal: journalOf(...FIRST, ...early, ...THIRD) };
    },
  ],
  'each leaves a hand-over note': [
    () => {
      const silent = [begins('s2'), ...leaves(''), comesBack('completed', 0.2)];
      return { journal: journalOf(...FIRST, ...silent, ...THIRD) };
    },
  ],
  'the next one begins with the task, that note and what still fails': [
    () => ({ asked: askedWith(brief(notes[0]), REASON) }),
    () => ({ asked: askedWith(brief(notes[0]), brief(notes[1], 'another task')) }),
    () => ({ asked: askedWith(brief(notes[0]), brief()) }),
  ],
  'every session that was begun has come back, without an error': [
    () => {
      const crashed = [begins('s2'), ...leaves(notes[1]), comesBack('crashed', 0.2)];
      return { journal: journalOf(...FIRST, ...crashed, ...THIRD) };
    },
    () => ({ journal: journalOf(...FIRST, ...SECOND, ...THIRD.slice(0, -1)) }),
  ],
  'the cost is that of all sessions together': [
    () => ({ journal: journalOf(...FIRST, ...SECOND, begins('s3'), ENDED, comesBack('completed', 0)) }),
    () => {
      const [started, ...rest] = journalOf(...FIRST, ...SECOND, ...THIRD);
      const last = rest.at(-1);
      if (!started || !last?.ok) throw new Error('the journal is not whole');
      const state = { ...last.line.state, spent: { tokens: 3, costUsd: 0.1 } };
      return { journal: [started, ...rest.slice(0, -1), { ...last, line: { ...last.line, state } }] };
    },
  ],
  'it leaves the tests and the contract as they were': Object.keys(DEMO.files).map((path) => () => ({
    files: { ...DEMO.files, [path]: 'weakened' },
  })),
  'the test passes when the demo itself runs it': [() => ({ test: { before: 1, after: 1 } })],
  'the run ends as verified_done': [
    () => {
      const stalled = stop({ kind: 'end', status: 'stalled', cause: 'c', detail: 'd' });
      return {
        journal: journalOf(...FIRST, ...SECOND, begins('s3'), stalled, comesBack('completed', 0.1)),
      };
    },
  ],
  'there is a receipt, and it is as it was signed': [
    () => ({ receipt: undefined }),
    () => ({ receipt: receiptWith('claimed_done') }),
    () => {
      const { receipt, ...signed } = receiptWith(ending);
      return { receipt: { ...signed, receipt: { ...receipt, loop: 'another' } } };
    },
  ],
  'every line of the journal is whole and follows from the one before': [
    () => ({ journal: [...COMPLETE().journal, DAMAGED] }),
    () => ({ journal: unchained(COMPLETE().journal) }),
  ],
  'the model was asked once for each of its turns': [() => ({ asked: COMPLETE().asked.slice(0, -1) })],
  '"untildone run" says so with exit code 0': [
    () => ({ typed: { code: 3, failed: true } }),
    () => ({ typed: { code: null, failed: true } }),
  ],
};

test('a complete demo misses nothing', () => {
  expect(missing(DEMO, COMPLETE())).toEqual([]);
});

test('there is a way to miss every step', () => {
  expect(Object.keys(WAYS_TO_MISS)).toEqual(stepsOf(DEMO));
});

test.each(Object.entries(WAYS_TO_MISS).flatMap(([name, ways]) => ways.map((way) => [name, way] as const)))(
  'missed: %s',
  (name, way) => {
    expect(missing(DEMO, { ...COMPLETE(), ...way() })).toEqual([name]);
  },
);

test('where nothing happened, everything is missing but what nobody touched', () => {
  const nothing: Evidence = {
    test: { before: 1, after: 1 },
    files: DEMO.files,
    journal: [],
    asked: [],
    typed: { code: 1, failed: true },
    receipt: undefined,
  };
  expect(happenedIn(DEMO, nothing)).toEqual([
    'the test of the sample project fails at first',
    'it leaves the tests and the contract as they were',
  ]);
});
