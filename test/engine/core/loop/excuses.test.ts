import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_ASK } from '../../../../src/engine/core/contract/contract.ts';
import { ask } from '../../../../src/engine/core/loop/asked.ts';
import type { StopSeen } from '../../../../src/engine/core/loop/count-stop.ts';
import { decide } from '../../../../src/engine/core/loop/decide.ts';
import { EXCUSED_IN_A_ROW } from '../../../../src/engine/core/loop/excuses.ts';
import { advance } from '../../../../src/engine/core/loop/journal.ts';
import { hasEnded, type LoopState } from '../../../../src/engine/core/loop/state.ts';
import type { Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { claim, freshLoop, LIMITS, play, seenStop, T0, verdict } from '../../../support/core/samples.ts';

const fails = [verdict('fail', { fingerprint: 'f' })];
const wakeUp = { wakeUps: { once: 1, recurring: 0 } };
const task = (id: string, type = 'shell') => ({ background: [{ id, type }] });
const spending = (n: number, tokens: number) => ({ usage: { offset: n + 1, tokens } });

/** What excuses an unfinished Stop, always anew. */
const EXCUSES: Record<string, (n: number) => Partial<StopSeen>> = {
  'a wake-up': () => wakeUp,
  'a new shell in the background': (n) => task(`b${n}`),
  'a new subagent': (n) => task(`a${n}`, 'subagent'),
  'a full context': () => ({ contextShare: 0.99 }),
  'a shell and a wake-up': (n) => ({ ...task(`b${n}`), ...wakeUp }),
  'something that only you can do': () => ({ needsPerson: 'untildone trust' }),
};

function withQuestion(): LoopState {
  const asked = ask(freshLoop(), { text: 'which?', options: [] }, DEFAULT_ASK);
  return asked.kind === 'asks' ? advance(freshLoop(), asked.entry, T0 + 1) : freshLoop();
}

describe('limits come before excuses', () => {
  const limits = { ...LIMITS, tokens: 1000, iterations: 3 };
  describe.each(Object.entries(EXCUSES))('%s', (_, excused) => {
    test('tokens end the loop at the first Stop over the limit', () => {
      const stops = Array.from({ length: 6 }, (__, n) => ({
        seen: { tree: 't', ...excused(n), ...spending(n, 600) },
        verdicts: fails,
      }));
      const { decisions, state } = play(stops, freshLoop(), limits);
      expect(decisions.slice(0, 2)).toEqual(['allow', 'reached_limit']);
      expect(state.ending).toMatchObject({ cause: 'tokens', detail: '1,200 of 1,000 tokens' });
      expect(state.iteration).toBe(1);
    });
    test('so does the cost, and the working time', () => {
      const dear = { ...excused(1), usage: { offset: 1, tokens: 1, costTotalUsd: 21 } };
      expect(decide(freshLoop(), seenStop(dear), fails, LIMITS, T0)).toMatchObject({ cause: 'cost' });
      const late = T0 + 8 * 3_600_000;
      expect(decide(freshLoop(), seenStop(excused(1)), fails, LIMITS, late)).toMatchObject({
        status: 'reached_limit',
        cause: 'duration',
      });
    });
    test('iterations do not: nothing is counted', () => {
      const last = freshLoop({ iteration: 3 });
      expect(decide(last, seenStop(excused(1)), fails, limits, T0).kind).toBe('allow');
    });
  });
  test.each<[string, LoopState, Verdict[]]>([
    ['a question of the agent', withQuestion(), fails],
    ['your approval', freshLoop(), [verdict('fail', { asks: 'Good?', kind: 'approve', class: 'judged' })]],
  ])('%s does not keep a loop going past its limit either', (_, before, verdicts) => {
    const within = seenStop(spending(1, 10));
    expect(decide(before, within, verdicts, limits, T0 + 2)).toMatchObject({ cause: 'approval' });
    const over = seenStop(spending(1, 3_000_000));
    expect(decide(before, over, verdicts, limits, T0 + 2)).toMatchObject({ cause: 'tokens' });
  });
  test('subagents that work when a limit is reached are waited for, once', () => {
    const working = (...ids: string[]) =>
      freshLoop({ agents: ids.map((id) => ({ id, type: 'chunk-a', status: 'working', begunAt: T0 })) });
    const stops = ['a1', 'a2'].map((id, n) => ({
      seen: { ...task(id, 'subagent'), ...spending(n, 3_000_000) },
      verdicts: fails,
    }));
    expect(play(stops, working('a1', 'a2'), limits).decisions).toEqual(['allow', 'reached_limit']);
    expect(play(stops, working('a2'), limits).decisions).toEqual(['reached_limit', 'allow']);
    const asleep = { ...stops[0], seen: { ...wakeUp, ...spending(0, 3_000_000) }, verdicts: fails };
    expect(play([asleep], working('a1'), limits).decisions).toEqual(['reached_limit']);
  });
  test('the time of a phase counts, its iterations do not', () => {
    const phase = { name: 'build', iterations: 2, durationMs: 1000 };
    const inPhase = freshLoop({ phase: { name: 'build', iteration: 2, since: 0 } });
    const seen = seenStop(wakeUp);
    expect(decide(inPhase, seen, fails, { ...LIMITS, phase }, T0 + 500).kind).toBe('allow');
    expect(decide(inPhase, seen, fails, { ...LIMITS, phase }, T0 + 1500)).toMatchObject({
      cause: 'phase_duration',
    });
  });
  test('success still wins', () => {
    const seen = seenStop({ ...wakeUp, ...spending(1, 3_000_000) });
    expect(decide(freshLoop(), seen, [verdict('pass')], limits, T0)).toMatchObject({
      status: 'verified_done',
    });
  });
});

describe('a row of excused Stops', () => {
  const times = (n: number, seen: (n: number) => Partial<StopSeen>, verdicts = fails) =>
    Array.from({ length: n }, (_, i) => ({ seen: seen(i), verdicts }));
  const full = Array<string>(EXCUSED_IN_A_ROW).fill('allow');

  test.each(['a wake-up', 'a new shell in the background', 'a new subagent', 'a shell and a wake-up'])(
    '%s, again and again, excuses so often; then the Stop counts like any other',
    (name) => {
      const stops = times(20, (n) => ({ tree: 't', ...EXCUSES[name]?.(n) }));
      const { decisions, state } = play(stops);
      expect(decisions.slice(0, 12)).toEqual([...full, 'block', 'block', 'block', 'stalled']);
      expect(state.iteration).toBe(4);
    },
  );
  test('a failing picture that changes does not begin a new row, a changed tree does', () => {
    const flaky = (n: number) => [verdict('fail', { fingerprint: `f${n}` })];
    const stops = (tree: (n: number) => string) =>
      Array.from({ length: 9 }, (_, n) => ({ seen: { ...wakeUp, tree: tree(n) }, verdicts: flaky(n) }));
    expect(play(stops(() => 't')).decisions).toEqual([...full, 'block']);
    expect(play(stops((n) => (n < 5 ? 't' : 'u'))).decisions).toEqual([...full, 'allow']);
  });
  test('agents that work one after the other and change something are waited for', () => {
    const stops = times(30, (n) => ({ ...task(`a${n}`, 'subagent'), tree: `t${n}` }));
    expect(play(stops).decisions).toEqual(Array(30).fill('allow'));
  });
  test('tasks that end one after the other, without a new one, are one wait', () => {
    const ids = Array.from({ length: 20 }, (_, n) => ({ id: `a${n}`, type: 'subagent' }));
    const stops = times(20, (n) => ({ background: ids.slice(n), tree: 't' }));
    expect(play(stops).decisions).toEqual(Array(20).fill('allow'));
  });
  test('where no tree is known, a hold ends the row', () => {
    const stops = Array.from({ length: 12 }, (_, n) => ({
      seen: { ...wakeUp, message: `m${n}` },
      verdicts: [claim('fail')],
    }));
    expect(play(stops).decisions).toEqual([...full, 'block', 'allow', 'allow', 'allow']);
  });
  test('excused Stops are no failures: they bring no loop nearer to a stall', () => {
    const stops = [
      ...times(6, (n) => ({ tree: 't', message: 'empty', ...task(`b${n}`) })),
      ...times(4, () => ({ tree: 't', message: 'x' })),
    ];
    expect(play(stops).decisions).toEqual([...full.slice(2), 'block', 'block', 'block', 'stalled']);
  });
  test('another session begins a new row', () => {
    const before = play(times(8, () => ({ ...wakeUp, tree: 't' }))).state;
    const claimed = { kind: 'claimed', session: 's2', transcriptOffset: 0 } as const;
    const after = advance(before, claimed, T0 + 20_000);
    expect(before.excused).toEqual({ times: 8, tree: 't' });
    expect(decide(after, seenStop({ ...wakeUp, tree: 't' }), fails, LIMITS, T0 + 21_000).kind).toBe('allow');
  });
});

describe('properties', () => {
  const anyExcuse = fc.record({
    background: fc.array(
      fc.record({ id: fc.string({ maxLength: 3 }), type: fc.constantFrom('shell', 'subagent') }),
      { maxLength: 3 },
    ),
    wakeUps: fc.record({ once: fc.nat(2), recurring: fc.nat(2) }),
    contextShare: fc.option(fc.constantFrom(0.5, 0.99), { nil: undefined }),
    needsPerson: fc.option(fc.constant('trust'), { nil: undefined, freq: 9 }),
    tree: fc.option(fc.constantFrom('t1', 't2', 't3'), { nil: undefined }),
    message: fc.constantFrom('empty', 'x', 'y'),
    tokens: fc.nat(400),
    picture: fc.constantFrom('f', 'g'),
  });

  test('no excuse keeps a loop alive at a Stop that is over its tokens', () => {
    fc.assert(
      fc.property(fc.array(anyExcuse, { minLength: 5, maxLength: 40 }), (stops) => {
        let spent = 0;
        let state = freshLoop();
        for (const [n, { tokens, picture, ...seen }] of stops.entries()) {
          spent += tokens;
          const stop = { seen: { ...seen, ...spending(n, tokens) }, verdicts: fingerprinted(picture) };
          state = play([stop], state, { ...LIMITS, tokens: 1000 }).state;
          expect(hasEnded(state)).toBe(spent >= 1000 || state.ending !== undefined);
          if (hasEnded(state)) return;
        }
      }),
    );
  });

  test('while the tree does not change, every sequence that could be held ends', () => {
    fc.assert(
      fc.property(fc.array(anyExcuse, { minLength: 1, maxLength: 12 }), (some) => {
        let state = freshLoop();
        let fewer = 0;
        for (let n = 0; n < 1000 && !hasEnded(state); n++) {
          const { picture, ...excused } = some[n % some.length] ?? { picture: 'f' };
          const before = Object.keys(state.background).length;
          const seen = { ...excused, tree: 't', contextShare: undefined, needsPerson: undefined };
          state = play([{ seen, verdicts: fingerprinted(picture) }], state).state;
          if (Object.keys(state.background).length < before) fewer++;
          expect(n - fewer).toBeLessThan(EXCUSED_IN_A_ROW + Number(LIMITS.iterations));
        }
        expect(hasEnded(state)).toBe(true);
      }),
    );
  });

  function fingerprinted(picture: string): Verdict[] {
    return [verdict('fail', { fingerprint: picture })];
  }
});
