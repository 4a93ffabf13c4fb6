import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_LIMITS,
  type FrozenContract,
  type GateSpec,
  promiseContract,
} from '../../../../src/engine/core/contract/contract.ts';
import {
  makeReceipt,
  type ReceiptFacts,
  receiptLines,
  renderReceipt,
  withCost,
} from '../../../../src/engine/core/loop/receipt.ts';
import { end } from '../../../../src/engine/core/loop/state.ts';
import { combine } from '../../../../src/engine/core/loop/verdict.ts';
import { newRun } from '../../../../src/engine/core/run/run.ts';
import { traitsOf } from '../../../../src/engine/gates/traits.ts';
import { claim, freshLoop, T0, verdict } from '../../../support/core/samples.ts';

const passed = verdict('pass', {
  proof: { command: 'npm test', exitCode: 0, durationMs: 1200, outputSha256: 'abc', outputFile: '/x' },
});

function frozenWith(gates: Record<string, GateSpec>): FrozenContract {
  return {
    contract: { ...promiseContract('DONE', DEFAULT_LIMITS), gates },
    frozen: { project: '/p', contractFile: 'f0', fingerprint: 'fp', parts: {}, gates: {}, judgeMs: 1 },
  };
}

function facts(changes: Partial<ReceiptFacts> = {}): ReceiptFacts {
  const state = end(
    freshLoop({ base: { tree: 't0' } }),
    'verified_done',
    'gates_passed',
    'tests',
    T0 + 90_000,
  );
  return {
    state,
    verdicts: [passed],
    frozen: frozenWith({ tests: { kind: 'run', options: { command: 'npm test' } } }),
    contractSha256: 'c'.repeat(64),
    contractFileNow: 'f0',
    task: { sha256: 's', preview: 'Build | it' },
    commit: 'c1',
    tree: 't1',
    journal: { lines: 4, lastLineSha256: 'l4' },
    ...changes,
  };
}

describe('what a receipt says', () => {
  test('what was run, on what, how it ended and what it took', () => {
    expect(makeReceipt(facts(), traitsOf)).toEqual({
      v: 1,
      loop: 'l1',
      status: 'verified_done',
      statement: 'done, and verified: every gate passed (tests)',
      task: { sha256: 's', preview: 'Build | it' },
      contract: { sha256: 'c'.repeat(64), fileAtStart: 'f0', fileNow: 'f0', fingerprint: 'fp' },
      work: { commit: 'c1', tree: 't1', baseCommit: null, baseTree: 't0' },
      verdicts: [
        {
          name: 'tests',
          verdict: 'pass',
          gate: 'tests',
          kind: 'run',
          class: 'measured',
          outcome: 'pass',
          summary: 'pass',
          command: 'npm test',
          exitCode: 0,
          outputSha256: 'abc',
          durationMs: 1200,
          reused: false,
          children: [],
        },
      ],
      allowed: [],
      ladder: {
        rung: 'measured_in_place',
        rungs: [
          { rung: 'claimed', reached: false, gates: [] },
          { rung: 'judged', reached: false, gates: [] },
          { rung: 'measured_in_place', reached: true, gates: ['tests'] },
          { rung: 'clean_room', reached: false, gates: [] },
          { rung: 'differential', reached: false, gates: [] },
          { rung: 'held_out', reached: false, gates: [] },
          { rung: 'countersigned', reached: false, gates: [] },
        ],
        weak: [],
      },
      effort: {
        iterations: 1,
        startedAt: '2026-01-01T00:00:00.000Z',
        endedAt: '2026-01-01T00:01:30.000Z',
        workingSeconds: 90,
        tokens: 0,
        costUsd: 0,
      },
      cost: { usd: null, estimatedUsd: 0, tokens: 0, sessions: null, seconds: 90 },
      journal: { lines: 4, lastLineSha256: 'l4' },
    });
  });
  test('a claim says that nothing was measured', () => {
    const state = end(freshLoop(), 'claimed_done', 'claim_only', 'promise', T0);
    const receipt = makeReceipt(facts({ state, verdicts: [claim('pass')] }), traitsOf);
    expect(receipt.statement).toContain('nothing was measured');
    expect(renderReceipt(receipt, 'md')).toContain('### Not verified:');
  });
  test('children keep their commands, and a reused verdict says so', () => {
    const both = combine('all', 'ready', [{ ...passed, reused: true }, verdict('pass', { gate: 'lint' })]);
    const [ready] = makeReceipt(facts({ verdicts: [both] }), traitsOf).verdicts;
    expect(ready?.command).toBeNull();
    expect(ready?.children).toMatchObject([
      { gate: 'tests', command: 'npm test', reused: true },
      { gate: 'lint', command: null, reused: false },
    ]);
  });
  test('a command is given so that it does the same from the project alone', () => {
    const options = { command: 'npm test', cwd: 'packages/my api', env: { CI: 'true', NOTE: "it's" } };
    const [said] = makeReceipt(
      facts({ frozen: frozenWith({ tests: { kind: 'run', options } }) }),
      traitsOf,
    ).verdicts;
    expect(said?.command).toBe(
      "export CI=true && export NOTE='it'\\''s' && cd 'packages/my api' && npm test",
    );
  });
  test('of several verify lines every one has to succeed', () => {
    const frozen = frozenWith({ tests: { kind: 'features', options: { file: 'f.json' } } });
    const verdicts = [verdict('pass', { kind: 'features', proof: { command: 'a\nb', exitCode: 0 } })];
    const receipt = makeReceipt(facts({ frozen, verdicts }), traitsOf);
    expect(receipt.verdicts[0]?.command).toBe('set -e\na\nb');
    expect(renderReceipt(receipt, 'text')).toContain('[set -e; a; b: exit 0]');
  });
});

describe('in words', () => {
  test('what a run has cost is added when it is known, and says what was estimated', () => {
    const receipt = makeReceipt(facts(), traitsOf);
    const run = { ...newRun({ mode: 'hybrid' }), sessions: 2 };
    const paid = freshLoop({ run, spent: { tokens: 900, costUsd: 1.5, estimatedUsd: 0.25 } });
    const open = { ...paid, run: { ...run, open: { session: 's', resume: false, at: T0 } } };
    expect(withCost(receipt, open).cost?.usd).toBeNull();
    const billed = withCost(receipt, paid);
    expect(billed).toMatchObject({ effort: { costUsd: 1.5, tokens: 900 }, cost: { usd: 1.5, sessions: 2 } });
    expect(renderReceipt(billed, 'text')).toContain(
      'cost      1.50 USD (0.25 of it estimated), 900 tokens, 2 sessions',
    );
    expect(renderReceipt(billed, 'md')).toContain('Cost: 1.50 USD (0.25 of it estimated)');
    const { cost: _, ...old } = billed;
    expect(renderReceipt(old, 'text')).not.toContain('cost');
  });
  test('as text: one line a gate, children below, exceptions named', () => {
    const state = { ...facts().state, allowed: ['deleted:test/old.test.ts'] };
    const both = combine('any', 'ready', [passed, verdict('fail', { gate: 'ci', summary: 'red' })]);
    expect(
      renderReceipt(makeReceipt(facts({ state, verdicts: [both] }), traitsOf), 'text').split('\n'),
    ).toEqual([
      'Receipt of loop l1: verified_done',
      '  done, and verified: every gate passed (tests)',
      '  task      Build | it',
      '  commit    c1',
      '  tree      t1',
      '  contract  cccccccccccccccc',
      '  effort    1 iterations, 90 s, 0 tokens',
      '  cost      USD not known, 0 tokens, 90 s',
      '  pass     ready (measured) passed by tests',
      '    pass     tests (measured) pass  [npm test: exit 0]',
      '    fail     ci (measured) red',
      '  allowed by hand: deleted:test/old.test.ts',
      '  rests on',
      '    [ ] claimed',
      '    [ ] judged',
      '    [x] measured in place  tests',
      '    [ ] in a clean room',
      '    [ ] differential',
      '    [ ] held out',
      '    [ ] countersigned',
      '    weak: allowed by hand: deleted:test/old.test.ts',
    ]);
  });
  test('room, walls, tests, notes, answers and what a person allowed are there', () => {
    const proof = {
      command: 'npm test',
      exitCode: 0,
      room: 'clean' as const,
      walls: 'bubblewrap',
      tests: { passed: 12, failed: 0, skipped: 1 },
    };
    const tests = verdict('pass', { proof, flaky: true, notes: ['a note'], exceptions: ['an exception'] });
    const answers = { plan: { said: 'approved' as const, at: T0, note: 'yes' } };
    const receipt = makeReceipt(facts({ state: { ...facts().state, answers }, verdicts: [tests] }), traitsOf);
    expect(receipt.verdicts[0]).toMatchObject({
      room: 'clean',
      walls: 'bubblewrap',
      tests: { passed: 12 },
      flaky: true,
      notes: ['a note'],
      exceptions: ['an exception'],
    });
    expect(receipt.answers).toEqual([
      { gate: 'plan', said: 'approved', note: 'yes', at: '2026-01-01T00:00:00.000Z' },
    ]);
    for (const format of ['text', 'md'] as const) {
      const text = renderReceipt(receipt, format, { countersignedBy: 'the key k' });
      expect(text).toContain('[x] in a clean room');
      expect(text).toContain('[x] countersigned');
      for (const words of ['a note', 'an exception', 'is flaky', 'approved by a person: plan (yes)'])
        expect(text).toContain(words);
    }
    expect(renderReceipt(receipt, 'text')).toContain(
      '[npm test: exit 0, clean room, walls: bubblewrap, tests: 12 passed, 0 failed, 1 skipped]',
    );
  });
  test('one of an older version has a ladder, too', () => {
    const { ladder: _, ...old } = makeReceipt(facts(), traitsOf);
    expect(renderReceipt(old, 'text')).toContain('[x] measured in place  tests');
    expect(renderReceipt(old, 'md')).toContain('Rests on: measured in place (tests).');
  });
  test('as Markdown: nothing in it can break the table or bring markup along', () => {
    const nasty = verdict('pass', {
      gate: 'tests',
      summary: 'a | b\n<script>alert(1)</script> `x`',
      proof: { command: 'echo "a|b" | `cat`', exitCode: 0 },
    });
    const text = renderReceipt(makeReceipt(facts({ verdicts: [nasty] }), traitsOf), 'md');
    expect(text.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(3);
    expect(text).not.toContain('<script>');
    expect(text).toContain('### Verified: Build \\| it');
  });
  test('as Markdown: children, exceptions and a changed contract are there too', () => {
    const state = { ...facts().state, allowed: ['deleted:a'] };
    const verdicts = [combine('all', 'ready', [passed])];
    const text = renderReceipt(
      makeReceipt(facts({ state, verdicts, contractFileNow: 'f1' }), traitsOf),
      'md',
    );
    expect(text).toContain('| ready / tests | pass | measured | pass | `npm test` |');
    expect(text).toContain('Allowed by hand: deleted:a.');
    expect(text).toContain('untildone.yaml was changed since; the contract from the start was used');
  });
  test('a contract file that was changed, or is gone, is said', () => {
    for (const contractFileNow of ['f1', null])
      expect(renderReceipt(makeReceipt(facts({ contractFileNow }), traitsOf), 'text')).toContain(
        'was changed since',
      );
  });
});

describe('line by line', () => {
  test('every fact has its own place, in an order that does not depend on the file', () => {
    const lines = receiptLines(makeReceipt(facts(), traitsOf));
    expect(lines).toContainEqual(['verdicts.0.exitCode', '0']);
    expect(lines).toContainEqual(['allowed', '[]']);
    expect(new Set(lines.map(([place]) => place)).size).toBe(lines.length);
    const turned = JSON.parse(JSON.stringify(makeReceipt(facts(), traitsOf)), (_, value: unknown) =>
      value && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    );
    expect(receiptLines(turned)).toEqual(lines);
  });
  test('another value, or a value of another type, is another line', () => {
    const receipt = makeReceipt(facts(), traitsOf);
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const lines = (summary: string) =>
          JSON.stringify(
            receiptLines({ ...receipt, verdicts: [{ ...receipt.verdicts[0], summary } as never] }),
          );
        expect(lines(a) === lines(b)).toBe(a === b);
      }),
    );
  });
});
