import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Evidence } from '../../../src/dev/demo/expectation.ts';
import { parseContract } from '../../../src/engine/contract/read.ts';
import { CONTRACT_FILE } from '../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../src/engine/core/loop/entry.ts';
import type { Receipt } from '../../../src/engine/core/loop/receipt.ts';
import type { Outcome, Verdict } from '../../../src/engine/core/loop/verdict.ts';
import { createHome, homeAt } from '../../../src/engine/home/layout.ts';
import { type SignedReceipt, signReceipt } from '../../../src/engine/home/receipts.ts';
import { STARTED, seenStop, T0 } from '../../support/core/samples.ts';
import {
  askedFor,
  DAMAGED,
  demoNamed,
  happenedIn,
  journalOf,
  missing,
  type StopEntry,
  stepsOf,
  unchained,
} from './evidence.ts';

const DEMO = demoNamed('four-chunks');
const ending = 'verified_done';
const checkpoint = { phase: DEMO.answer?.type[1] ?? '', note: DEMO.answer?.type.at(-1) ?? '' };
const { phases, chunks } = orderIn(DEMO.files[CONTRACT_FILE] ?? '');
const NAMES = chunks.map(({ name }) => name);

const HELD: StopEntry['decision'] = { kind: 'block', instruction: 'continue' };
const ENDED: StopEntry['decision'] = { kind: 'end', status: ending, cause: 'c', detail: 'd' };
const ASKS: StopEntry['decision'] = { kind: 'allow', cause: 'approval', wait: 'approval', detail: 'good?' };

function orderIn(text: string) {
  const parsed = parseContract(text, CONTRACT_FILE);
  if (!parsed.ok) throw new Error('the contract of the example cannot be read');
  const gates = Object.values(parsed.contract.gates);
  return {
    phases: (parsed.contract.phases ?? []).map(({ name }) => name),
    chunks: gates.flatMap((gate) => (gate.kind === 'chunks' ? gate.options.chunks : [])),
  };
}

const verdict = (gate: string, outcome: Outcome, children?: Verdict[]): Verdict => ({
  gate,
  kind: children ? 'chunks' : 'all',
  class: 'measured',
  outcome,
  summary: '',
  ...(children ? { children } : {}),
});

/** A Stop at which the first so many chunks passed; `passed`: the phases that it left behind. */
function chunkStop(passing: number, decision = HELD, passed: string[] = [], phase = 'build'): StopEntry {
  const parts = NAMES.map((name, i) => verdict(name, i < passing ? 'pass' : i === passing ? 'fail' : 'skip'));
  const chunks = verdict('chunks', passing === NAMES.length ? 'pass' : 'fail', parts);
  return { kind: 'stop', seen: seenStop({ phase: { name: phase, passed } }), verdicts: [chunks], decision };
}

const ASKED_STOP: StopEntry = {
  kind: 'stop',
  seen: seenStop({ phase: { name: 'plan', passed: [] } }),
  verdicts: [],
  decision: ASKS,
};
const APPROVED: Entry = {
  kind: 'answered',
  gate: 'plan_approved',
  said: 'approved',
  note: checkpoint.note,
};
const [BEFORE, BUILD, AFTER]: [Entry[], Entry[], Entry[]] = [
  [{ ...STARTED, run: { mode: 'hybrid' } }, ASKED_STOP, APPROVED],
  [chunkStop(0, HELD, ['plan']), ...[1, 2, 2, 3].map((passing) => chunkStop(passing))],
  [chunkStop(4, HELD, ['build'], 'verify'), chunkStop(4, ENDED, [], 'verify')],
];

const TOLD = `a person approved plan_approved: "${checkpoint.note}". Go on.`;
const nextOf = (i: number) => `Next: chunk ${i + 1} of 4, "${NAMES[i]}": ${chunks[i]?.instruction}`;
const CONTENTS = DEMO.turns.map((_, i) => (i === 2 ? TOLD : i > 2 && i < 7 ? nextOf(i - 3) : 'go on'));
const asked = (contents: string[]) => askedFor(contents).map((request) => ({ ...request, at: T0 + 1000 }));

const folder = mkdtempSync(join(tmpdir(), 'untildone-receipt-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => createHome(homeAt(folder)));

function receiptWith(status: string): SignedReceipt {
  const receipt = {
    ...({
      v: 1,
      work: { tree: 'a'.repeat(40) },
      task: {},
      journal: {},
      verdicts: [],
      allowed: [],
    } as unknown as Receipt),
    status,
  };
  return signReceipt(receipt, homeAt(folder));
}

const COMPLETE = (): Evidence => ({
  test: { before: 1, after: 0 },
  files: DEMO.files,
  journal: journalOf(...BEFORE, ...BUILD, ...AFTER),
  asked: asked(CONTENTS),
  typed: { code: 0, failed: false },
  receipt: receiptWith(ending),
});

const WAYS_TO_MISS: Record<string, (() => Partial<Evidence>)[]> = {
  'the test of the sample project fails at first': [() => ({ test: { before: 0, after: 0 } })],
  [`the phases pass in their order: ${phases.join(', ')}`]: [
    () => ({
      journal: journalOf(...BEFORE, chunkStop(0, HELD, ['build']), ...BUILD.slice(1), ...AFTER),
    }),
    () => ({ journal: journalOf(...BEFORE, ...BUILD, chunkStop(4, ENDED, ['build'])) }),
  ],
  'a person is asked about PLAN.md, and approves it': [
    () => {
      const rejected: Entry = { ...APPROVED, said: 'rejected' };
      return { journal: journalOf(...BEFORE.slice(0, -1), rejected, ...BUILD, ...AFTER) };
    },
  ],
  'the model is not asked anything until they have answered': [
    () => {
      const [started, question, ...rest] = COMPLETE().journal;
      if (!started || !question?.ok) throw new Error('the journal is not whole');
      const earlier = new Date(T0 - 5000).toISOString();
      const journal = [started, { ...question, line: { ...question.line, at: earlier } }, ...rest];
      const [first, ...others] = COMPLETE().asked;
      if (!first) throw new Error('nothing was asked');
      return { journal, asked: [{ ...first, at: T0 - 2000 }, ...others] };
    },
  ],
  'then it is told what they said': [
    () => ({ asked: asked(CONTENTS.map((text) => (text === TOLD ? 'a person approved it' : text))) }),
  ],
  [`the chunks pass one after the other: ${NAMES.join(', ')}`]: [
    () => {
      const skipped = verdict('chunks', 'fail', [verdict('bill', 'pass')]);
      const early: StopEntry = { ...chunkStop(1), verdicts: [skipped] };
      return { journal: journalOf(...BEFORE, ...BUILD.with(1, early), ...AFTER) };
    },
  ],
  'the model is told which one comes next, and what it is': [
    () => ({ asked: asked(CONTENTS.map((text) => (text === nextOf(2) ? 'the discount' : text))) }),
  ],
  'only discount is sent back by its tests, and corrected': [
    () => ({ journal: journalOf(...BEFORE, ...BUILD.filter((_, i) => i !== 3), ...AFTER) }),
    () => ({ journal: journalOf(...BEFORE, ...BUILD, chunkStop(3), ...AFTER) }),
  ],
  'it leaves the tests and the contract as they were': Object.keys(DEMO.files).map((path) => () => ({
    files: { ...DEMO.files, [path]: 'weakened' },
  })),
  'the test passes when the demo itself runs it': [() => ({ test: { before: 1, after: 1 } })],
  'the run ends as verified_done': [
    () => {
      const stalled = { kind: 'end', status: 'stalled', cause: 'c', detail: 'd' } as const;
      const end = [chunkStop(4, HELD, ['build'], 'verify'), chunkStop(4, stalled, [], 'verify')];
      return { journal: journalOf(...BEFORE, ...BUILD, ...end) };
    },
  ],
  'there is a receipt, and it is as it was signed': [
    () => ({ receipt: undefined }),
    () => ({ receipt: receiptWith('claimed_done') }),
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

describe('the demo of a plan', () => {
  test('misses nothing when it is complete', () => {
    expect(missing(DEMO, COMPLETE())).toEqual([]);
  });

  test('there is a way to miss every step', () => {
    expect(Object.keys(WAYS_TO_MISS)).toEqual(stepsOf(DEMO));
  });

  test.each(Object.entries(WAYS_TO_MISS).flatMap(([name, ways]) => ways.map((way) => [name, way] as const)))(
    'missed alone: %s',
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
});

describe('the example', () => {
  test('has three phases, and four chunks with a test of their own each', () => {
    expect(phases).toEqual(['plan', 'build', 'verify']);
    expect(NAMES.map((name) => `test/${name}.test.js`).filter((path) => path in DEMO.files)).toHaveLength(4);
    expect(NAMES).toContain('discount');
    expect(phases).toContain(checkpoint.phase);
  });

  test('is expected to go through the phases and chunks that its contract has', () => {
    expect(stepsOf(DEMO)).toContain(`the chunks pass one after the other: ${NAMES.join(', ')}`);
    const told = DEMO.expect.flatMap((step) => step.told ?? []).flat();
    for (const [i, { name, instruction }] of chunks.entries()) {
      expect(told).toContain(`chunk ${i + 1} of ${chunks.length}, "${name}": ${instruction}`);
    }
  });
});
