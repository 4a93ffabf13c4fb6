import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  approvals,
  childContract,
  featureGates,
  phaseBefore,
} from '../../../../src/engine/core/contract/child-contract.ts';
import {
  type Contract,
  DEFAULT_LIMITS,
  promiseContract,
} from '../../../../src/engine/core/contract/contract.ts';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance, replay } from '../../../../src/engine/core/loop/journal.ts';
import type { LoopState, Share } from '../../../../src/engine/core/loop/state.ts';
import {
  childToMerge,
  type Piece,
  piecesToBegin,
  shareFor,
} from '../../../../src/engine/core/run/children.ts';
import { nextStep } from '../../../../src/engine/core/run/run.ts';
import { describeChildEntry, followUpWords } from '../../../../src/engine/core/words/entries.ts';
import { traitsOf } from '../../../../src/engine/gates/traits.ts';
import { STARTED, T0 } from '../../../support/core/samples.ts';

const SHARE: Share = { costUsd: 5, tokens: 1000, iterations: 10 };
const RUN: Entry = { ...STARTED, run: { mode: 'hybrid' } };
const SPLIT: Entry = { kind: 'split', atOnce: 2, pieces: 3 };
const begun = (child: string, piece: string): Entry => ({ kind: 'child_begun', child, piece, share: SHARE });
const spent = (child: string, costUsd: number, tokens: number, iterations: number): Entry => ({
  kind: 'child_spent',
  child,
  costUsd,
  tokens,
  iterations,
});
const ended = (child: string, status: 'verified_done' | 'stalled' = 'verified_done'): Entry => ({
  kind: 'child_ended',
  child,
  status,
  branch: `b-${child}`,
  commit: 'abc',
});
const merged = (child: string): Entry => ({ kind: 'merge_ended', child, outcome: 'merged' });

function stateAfter(...entries: Entry[]): LoopState {
  const state = replay([RUN, ...entries].map((entry, i) => ({ entry, at: T0 + i * 1000 })));
  if (!state) throw new Error('no state');
  return state;
}
const children = (state: LoopState) => {
  if (!state.run?.children) throw new Error('no children');
  return state.run.children;
};
const piece = (name: string, ...deps: string[]): Piece => ({ name, title: name, after: deps });

const anyChild = fc.constantFrom('a', 'b', 'c');
const anyChildEntry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ kind: fc.constant('split' as const), atOnce: fc.nat(4), pieces: fc.nat(4) }),
  anyChild.map((child) => begun(child, child)),
  fc
    .tuple(anyChild, fc.nat(50), fc.nat(5000), fc.nat(9))
    .map(([c, usd, tokens, n]) => spent(c, usd, tokens, n)),
  anyChild.map((child) => ended(child)),
  anyChild.map((child): Entry => ({ kind: 'merge_begun', child, commit: 'abc' })),
  anyChild.map(merged),
  anyChild.map((child): Entry => ({ kind: 'merge_ended', child, outcome: 'conflict', files: ['x'] })),
  fc.constantFrom<Entry>(
    { kind: 'children_waiting', why: 'a limit' },
    { kind: 'children_resumed' },
    { kind: 'command', command: 'pause' },
    { kind: 'command', command: 'resume' },
  ),
);

describe('what children do is folded into their parent', () => {
  test('replay gives the same state as advancing step by step through JSON', () => {
    fc.assert(
      fc.property(fc.array(anyChildEntry, { maxLength: 25 }), (entries) => {
        const timed = [RUN, SPLIT, ...entries].map((entry, i) => ({ entry, at: T0 + i * 1000 }));
        let state: LoopState | undefined;
        for (const { entry, at } of timed) state = JSON.parse(JSON.stringify(advance(state, entry, at)));
        expect(state).toEqual(JSON.parse(JSON.stringify(replay(timed))));
      }),
    );
  });
  test('the parent has spent what its children have, however often and in whatever order they say it', () => {
    fc.assert(
      fc.property(fc.array(anyChildEntry, { maxLength: 25 }), (entries) => {
        const state = stateAfter(SPLIT, ...entries);
        const { list } = children(state);
        const sum = (of: (c: (typeof list)[number]) => number) => list.reduce((total, c) => total + of(c), 0);
        expect(state.spent.tokens).toBe(sum((c) => c.spent.tokens));
        expect(state.spent.costUsd).toBeCloseTo(
          sum((c) => c.spent.costUsd),
          6,
        );
        expect(state.iteration).toBe(
          Math.max(
            1,
            sum((c) => c.spent.iterations),
          ),
        );
        expect(children(state).merged).toBe(list.filter((c) => c.merge === 'merged').length);
      }),
    );
  });
  test('time in which all of them wait is no working time', () => {
    const state = stateAfter(
      SPLIT,
      begun('a', '1'),
      { kind: 'children_waiting', why: 'a limit' },
      spent('a', 1, 1, 1),
    );
    expect(state.waitedMs).toBe(1000);
    expect(state.waiting).toBeUndefined();
  });
  test('a parent that has ended is not changed by them any more', () => {
    const cancelled = stateAfter(SPLIT, begun('a', '1'), { kind: 'command', command: 'cancel' });
    const later = advance(cancelled, spent('a', 9, 9, 9), T0 + 9000);
    expect(later.spent).toEqual({ costUsd: 0, tokens: 0 });
  });
  test('when they are over, those whose work is in are only counted', () => {
    const state = stateAfter(SPLIT, begun('a', '1'), ended('a'), merged('a'), { kind: 'children_over' });
    expect(children(state)).toMatchObject({ list: [], merged: 1, over: true });
    expect(nextStep(state, T0)).toEqual({ kind: 'judge' });
  });
  test('every entry has words', () => {
    fc.assert(
      fc.property(anyChildEntry, (entry) => {
        if (entry.kind !== 'command') expect(describeChildEntry(entry as never)).not.toBe('');
      }),
    );
  });
});

describe('who begins next', () => {
  const pieces = [piece('1'), piece('2', '1'), piece('3')];
  test('a piece waits for those that it rests on until their work is in', () => {
    expect(piecesToBegin(children(stateAfter(SPLIT)), pieces).map((p) => p.name)).toEqual(['1', '3']);
    const verified = stateAfter(SPLIT, begun('a', '1'), ended('a'));
    expect(piecesToBegin(children(verified), pieces).map((p) => p.name)).toEqual(['3']);
    const isIn = stateAfter(SPLIT, begun('a', '1'), ended('a'), merged('a'));
    expect(piecesToBegin(children(isIn), pieces).map((p) => p.name)).toEqual(['2', '3']);
  });
  test('a piece whose child was not done is not begun again: the run itself sees to it', () => {
    const state = stateAfter(SPLIT, begun('a', '1'), ended('a', 'stalled'));
    expect(piecesToBegin(children(state), pieces).map((p) => p.name)).toEqual(['3']);
    expect(childToMerge(children(state))).toBeUndefined();
  });
  test('a merge that was cut off is looked at again', () => {
    const cut: Entry = { kind: 'merge_begun', child: 'a', commit: 'abc' };
    expect(childToMerge(children(stateAfter(SPLIT, begun('a', '1'), ended('a'), cut)))?.loop).toBe('a');
  });
});

describe('one budget', () => {
  const limits = { ...DEFAULT_LIMITS, costUsd: 12, tokens: 1_200_000, iterations: 12 };
  test('each gets an equal part of what is left, and one part stays with the parent', () => {
    expect(shareFor(stateAfter(SPLIT), limits, 2)).toEqual({ costUsd: 4, tokens: 400_000, iterations: 4 });
  });
  test('what is promised to those at work is not given again', () => {
    const state = stateAfter(SPLIT, {
      kind: 'child_begun',
      child: 'a',
      piece: '1',
      share: { costUsd: 4, tokens: 400_000, iterations: 4 },
    });
    expect(shareFor(state, limits, 1)).toEqual({ costUsd: 4, tokens: 400_000, iterations: 4 });
  });
  test('what was spent is gone, and who has ended keeps nothing', () => {
    const state = stateAfter(SPLIT, begun('a', '1'), spent('a', 2, 200_000, 2), ended('a'));
    expect(shareFor(state, limits, 1)).toEqual({ costUsd: 5, tokens: 500_000, iterations: 5 });
  });
  test('nobody begins when nothing is left', () => {
    expect(
      shareFor(stateAfter(SPLIT, begun('a', '1'), spent('a', 12, 1, 1), ended('a')), limits, 1),
    ).toBeUndefined();
  });
  test('shares and what is spent never come to more than the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (uses) => {
        let state = stateAfter(SPLIT);
        uses.forEach((use, i) => {
          const share = shareFor(state, limits, 2);
          if (!share || typeof share.costUsd !== 'number') return;
          const child = `c${i}`;
          state = advance(state, { kind: 'child_begun', child, piece: child, share }, T0);
          state = advance(state, spent(child, share.costUsd * use, 0, 1), T0);
          if (i % 2) state = advance(state, ended(child), T0);
          const open = children(state).list.filter((c) => c.status === 'open');
          const promised = open.reduce((sum, c) => sum + Number(c.share.costUsd) - c.spent.costUsd, 0);
          expect(state.spent.costUsd + promised).toBeLessThanOrEqual(12 + 1e-9);
        });
      }),
    );
  });
  test('where a part would be less than a step uses up, fewer work at a time', () => {
    const tight = { ...limits, costUsd: 2 };
    expect(shareFor(stateAfter(SPLIT), tight, 6)?.costUsd).toBe(0.5);
    const share = { costUsd: 0.5, tokens: 100, iterations: 1 };
    const three = ['a', 'b', 'c'].map((c): Entry => ({ kind: 'child_begun', child: c, piece: c, share }));
    expect(shareFor(stateAfter(SPLIT, ...three.slice(0, 2)), tight, 4)?.costUsd).toBe(0.5);
    expect(shareFor(stateAfter(SPLIT, ...three), tight, 3)).toBeUndefined();
    expect(shareFor(stateAfter(SPLIT), { ...limits, costUsd: 0.2 }, 6)?.costUsd).toBe(0.1);
  });
});

describe('what the one who goes on is told', () => {
  test('names the branches that are not in, and why', () => {
    const state = stateAfter(
      SPLIT,
      begun('a', '1'),
      ended('a'),
      { kind: 'merge_ended', child: 'a', outcome: 'conflict', files: ['x.ts', 'y.ts'] },
      begun('b', '2'),
      ended('b', 'stalled'),
      begun('c', '3'),
      ended('c'),
      merged('c'),
      { kind: 'children_over' },
    );
    const words = followUpWords(children(state));
    expect(words).toContain('1 (branch b-a): not merged: it conflicts in x.ts, y.ts');
    expect(words).toContain('2 (branch b-b): not done: stalled');
    expect(words).not.toContain('b-c');
  });
  test('is nothing when everything is in', () => {
    const state = stateAfter(SPLIT, begun('a', '1'), ended('a'), merged('a'), { kind: 'children_over' });
    expect(followUpWords(children(state))).toBe('');
  });
});

describe('the contract of a child', () => {
  const contract: Contract = {
    ...promiseContract('DONE', DEFAULT_LIMITS),
    gates: {
      promise: { kind: 'promise', options: { text: 'DONE' } },
      tests: { kind: 'run', options: { command: 'npm test' } },
      types: { kind: 'run', options: { command: 'tsc' } },
      pushed: { kind: 'git', options: { checks: ['pushed'] } },
      checks: { kind: 'ci', options: { provider: 'github' } },
      features: { kind: 'features', options: { file: 'f.json' } },
      whole: { kind: 'all', options: { gates: ['tests', 'features'] } },
    },
    done: ['promise', 'whole', 'types', 'pushed', 'checks'],
    notify: [{ desktop: true, on: ['done'] }],
  };
  const rules = { passing: ['types'], share: SHARE, durationMs: 1000, pushed: false };
  test('asks for its feature, for what passes already, and for what is said', () => {
    const child = childContract(
      contract,
      { ...rules, features: { gate: 'features', only: ['7'] } },
      traitsOf,
    );
    expect(child.done).toEqual(['features', 'promise', 'types']);
    expect(child.gates.features).toMatchObject({ options: { file: 'f.json', only: ['7'] } });
    expect(child.limits).toMatchObject({ ...SHARE, durationMs: 1000, stall: DEFAULT_LIMITS.stall });
    expect(child.notify).toEqual([]);
  });
  test('asks for the checks of a service where its branch is pushed', () => {
    const features = { gate: 'features', only: ['7'] };
    expect(childContract(contract, { ...rules, features, pushed: true }, traitsOf).done).toContain('checks');
  });
  test('with a task of its own asks for everything but what looks at branches', () => {
    expect(childContract(contract, rules, traitsOf).done).toEqual(['promise', 'tests', 'features', 'types']);
  });
  test('lists are found inside `all`, too', () => {
    expect(featureGates(contract)).toEqual([{ gate: 'features', file: 'f.json' }]);
  });
  test('a person is asked about the whole, not about every piece', () => {
    const asks = {
      ...contract,
      gates: { ...contract.gates, ok: { kind: 'approve', options: { ask: 'Good?' } } },
    };
    const approved: Contract = { ...(asks as Contract), done: [...contract.done, 'ok'] };
    expect(childContract(approved, rules, traitsOf).done).not.toContain('ok');
    expect(approvals(approved, traitsOf)).toEqual(['ok']);
  });
  test('a phase that comes before the work that is divided is found', () => {
    const phase = (name: string, exit: string[]) => ({ name, entry: [], exit });
    const phased = (...phases: object[]) => phaseBefore({ ...contract, phases } as Contract);
    expect(phaseBefore(contract)).toBeUndefined();
    expect(phased(phase('plan', ['types']), phase('build', ['features']))).toBe('plan');
    expect(phased(phase('build', ['whole']), phase('verify', ['types']))).toBeUndefined();
  });
});
