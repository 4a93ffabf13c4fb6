import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../../src/engine/core/loop/decide.ts';
import { advance } from '../../../../src/engine/core/loop/journal.ts';
import { hasEnded, type LoopState } from '../../../../src/engine/core/loop/state.ts';
import { unchangedYet, type Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import {
  claim,
  freshLoop,
  LIMITS,
  play,
  STARTED,
  seenStop,
  T0,
  verdict,
} from '../../../support/core/samples.ts';

const failing = (n: number) => ({ seen: { message: `m${n}` }, verdicts: [claim('fail')] });
const many = (count: number) => Array.from({ length: count }, (_, i) => failing(i));

describe('success', () => {
  test('a measured pass ends the loop as verified', () => {
    expect(play([{ verdicts: [verdict('pass')] }]).decisions).toEqual(['verified_done']);
  });
  test('a claim alone ends it as claimed, never as verified', () => {
    expect(play([{ verdicts: [claim('pass')] }]).decisions).toEqual(['claimed_done']);
  });
  test('a promise beside a failing gate does not end it', () => {
    expect(play([{ verdicts: [claim('pass'), verdict('fail')] }]).decisions).toEqual(['block']);
  });
  test('an unproven gate blocks, unless the contract allows it: then the loop is released, not done', () => {
    expect(play([{ verdicts: [verdict('pass'), verdict('unproven')] }]).decisions).toEqual(['block']);
    const allowed = verdict('unproven', { onUnproven: 'allow' });
    expect(play([{ verdicts: [verdict('pass'), allowed] }]).decisions).toEqual(['released']);
  });
  test('when every gate was skipped nothing was proven', () => {
    expect(play([{ verdicts: [verdict('skip')] }]).decisions).toEqual(['released']);
  });
  test('wins on the last allowed iteration', () => {
    const last = freshLoop({ iteration: 50 });
    expect(play([{ verdicts: [claim('pass')] }], last).decisions).toEqual(['claimed_done']);
    expect(play([{ verdicts: [claim('fail')] }], last).decisions).toEqual(['reached_limit']);
  });
  test('wins although background work is still running', () => {
    const seen = { background: [{ id: 'b1', type: 'shell' }] };
    expect(play([{ seen, verdicts: [verdict('pass')] }]).decisions).toEqual(['verified_done']);
  });
});

describe('nothing is done that was done before', () => {
  const changed = (outcome: 'pass' | 'fail'): Verdict => ({ ...unchangedYet('changed'), outcome });
  const begun = (base: LoopState['base']) =>
    freshLoop({ ...advance(undefined, { ...STARTED, changeGate: base.changeGate }, T0), base });
  const green = begun({ tree: 't', passing: true, changeGate: 'changed' });
  const unjudged = begun({ tree: 't', changeGate: 'changed' });
  const stop = (...verdicts: Verdict[]) => ({ seen: { tree: 't' }, verdicts });

  test('a start at which everything passed: held until something changed', () => {
    const before = stop(verdict('pass'), changed('fail'));
    const after = { seen: { tree: 't2' }, verdicts: [verdict('pass'), changed('pass')] };
    expect(play([before, before, after], green).decisions).toEqual(['block', 'block', 'verified_done']);
  });
  test('and the stall ends it when nothing is ever changed', () => {
    const { decisions, state } = play(Array(4).fill(stop(verdict('pass'), changed('fail'))), green);
    expect(decisions).toEqual(['block', 'block', 'block', 'stalled']);
    expect(state.ending?.cause).toBe('same_failure');
  });
  test.each<[string, Verdict]>([
    ['a promise', claim('pass')],
    ['a model', verdict('pass', { gate: 'review', kind: 'judge', class: 'judged' })],
    ['an approval', verdict('pass', { gate: 'ok', kind: 'approve', class: 'judged' })],
    ['a promise inside another gate', verdict('pass', { kind: 'all', children: [claim('pass')] })],
  ])('%s that insists on it ends it as a claim', (_, word) => {
    const { decisions, state } = play(Array(2).fill(stop(verdict('pass'), word, changed('fail'))), green);
    expect(decisions).toEqual(['block', 'claimed_done']);
    expect(state.ending?.cause).toBe('nothing_changed');
  });
  test('a word does not help where something else fails', () => {
    const stops = Array(2).fill(stop(verdict('fail'), claim('pass'), changed('fail')));
    expect(play(stops, green).decisions).toEqual(['block', 'block']);
  });
  test('what was not held for it was not told: a wait for background work does not count', () => {
    const wait = stop(verdict('pass'), claim('pass'), changed('fail'));
    const waiting = { ...wait, seen: { tree: 't', background: [{ id: 'b1', type: 'shell' }] } };
    expect(play([waiting, wait, wait], green).decisions).toEqual(['allow', 'block', 'claimed_done']);
  });
  test('a question is asked once the agent was told that nothing changed', () => {
    const asks = verdict('fail', { gate: 'ok', kind: 'approve', class: 'judged', asks: 'Good?' });
    expect(play(Array(2).fill(stop(verdict('pass'), asks, changed('fail'))), green).decisions).toEqual([
      'block',
      'allow',
    ]);
  });
  test('a gate that waits for the others to pass holds no question back; one that fails does', () => {
    const asks = verdict('fail', { gate: 'intact', asks: 'Is that wanted?' });
    const waits = verdict('unproven', { gate: 'proof', waits: true });
    const last = (...verdicts: Parameters<typeof stop>) => play([stop(...verdicts)], unjudged).decisions;
    expect(last(asks, waits)).toEqual(['allow']);
    expect(last(asks, waits, verdict('fail', { gate: 'lint' }))).toEqual(['block']);
    expect(last(waits, verdict('fail', { gate: 'lint' }))).toEqual(['block']);
  });
  test('where nothing was judged at the start, it is held once, and ends as a claim', () => {
    const { decisions, state } = play(Array(2).fill(stop(verdict('pass'), changed('fail'))), unjudged);
    expect(decisions).toEqual(['block', 'claimed_done']);
    expect(state.ending?.cause).toBe('nothing_changed');
  });
  test('the gate is there before the first Stop', () => {
    expect(green.gates).toMatchObject([{ name: 'changed', verdict: 'fail', class: 'claimed' }]);
  });
  test('a loop that an older version began on such a tree ends as a claim at most', () => {
    const old = freshLoop({ base: { tree: 't', passing: true as const } });
    const { decisions, state } = play([stop(verdict('pass'), claim('pass'))], old);
    expect(decisions).toEqual(['claimed_done']);
    expect(state.ending?.cause).toBe('nothing_changed');
    const later = { seen: { tree: 't2' }, verdicts: [verdict('pass')] };
    expect(play([later], old).decisions).toEqual(['verified_done']);
    expect(play([stop(verdict('pass'))], freshLoop({ base: { tree: 't' } })).decisions).toEqual([
      'verified_done',
    ]);
  });
});

describe('iterations', () => {
  test('start at 1 and grow with every block', () => {
    expect(play(many(4)).state.iteration).toBe(5);
  });
  test('a limit of 3 gives two blocks and then the ending', () => {
    const limits = { ...LIMITS, iterations: 3 };
    expect(play(many(3), freshLoop(), limits).decisions).toEqual(['block', 'block', 'reached_limit']);
  });
  test('unlimited iterations are never a limit', () => {
    const limits = { ...LIMITS, iterations: 'unlimited' as const };
    expect(play(many(200), freshLoop(), limits).decisions.every((d) => d === 'block')).toBe(true);
  });
});

describe('what excuses an unfinished stop', () => {
  const background = [{ id: 'b1', type: 'shell' }];
  test('running background work: allowed to stop, not counted, remembered as a wait', () => {
    const { decisions, state } = play([{ seen: { background }, verdicts: [claim('fail')] }]);
    expect(decisions).toEqual(['allow']);
    expect(state.iteration).toBe(1);
    expect(state.waiting?.why).toBe('background');
  });
  test('the wait is no working time', () => {
    const state = play([{ seen: { background }, verdicts: [claim('fail')] }]).state;
    const later = T0 + 3_600_000;
    const after = advance(state, { kind: 'event', event: 'UserPromptSubmit' }, later);
    expect(after.waitedMs).toBe(later - (T0 + 1000));
    expect(after.waiting).toBeUndefined();
  });
  test('work that has been running for over ten minutes excuses no longer', () => {
    const old = freshLoop({ background: { b1: T0 - LIMITS.backgroundMs } });
    expect(play([{ seen: { background }, verdicts: [claim('fail')] }], old).decisions).toEqual(['block']);
  });
  test('a single wake-up excuses, a recurring one does not', () => {
    const once = { wakeUps: { once: 1, recurring: 0 } };
    const recurring = { wakeUps: { once: 0, recurring: 1 } };
    expect(play([{ seen: once, verdicts: [claim('fail')] }]).decisions).toEqual(['allow']);
    expect(play([{ seen: recurring, verdicts: [claim('fail')] }]).decisions).toEqual(['block']);
  });
  test('a full context is never held, and nothing is counted', () => {
    const { decisions, state } = play([{ seen: { contextShare: 0.97 }, verdicts: [verdict('fail')] }]);
    expect(decisions).toEqual(['allow']);
    expect(state.status).toBe('active');
    expect(state.iteration).toBe(1);
    expect(play([{ seen: { contextShare: 0.96 }, verdicts: [verdict('fail')] }]).decisions).toEqual([
      'block',
    ]);
  });
});

describe('going round in circles', () => {
  const same = { seen: { tree: 't' }, verdicts: [verdict('fail', { fingerprint: 'f' })] };
  test('the same failure with an unchanged tree: three blocks, the third asks for another approach, then stalled', () => {
    expect(play(Array(4).fill(same)).decisions).toEqual(['block', 'block', 'block', 'stalled']);
    const two = play(Array(2).fill(same)).state;
    const third = decide(two, seenStop(same.seen), same.verdicts, LIMITS, T0);
    expect(third).toEqual({ kind: 'block', instruction: 'different_approach' });
  });
  test('with a changing tree it takes twelve', () => {
    const changing = Array.from({ length: 13 }, (_, i) => ({ ...same, seen: { tree: `t${i}` } }));
    expect(play(changing).decisions).toEqual([...Array(12).fill('block'), 'stalled']);
  });
  test('a different failure begins anew', () => {
    const other = { seen: { tree: 't' }, verdicts: [verdict('fail', { fingerprint: 'g' })] };
    expect(play([same, same, other, same, same, same]).decisions).not.toContain('stalled');
  });
  test('without anything measured the same final message eight times is the sign', () => {
    const again = { seen: { message: 'same' }, verdicts: [claim('fail')] };
    expect(play(Array(9).fill(again)).decisions).toEqual([...Array(8).fill('block'), 'stalled']);
  });
  test('claims about a known tree are measured by what fails, not by the words', () => {
    const talk = (n: number) => ({ seen: { tree: 't', message: `m${n}` }, verdicts: [claim('fail')] });
    expect(play([talk(1), talk(2), talk(3), talk(4)]).decisions).toEqual([
      'block',
      'block',
      'block',
      'stalled',
    ]);
  });
  test('three empty answers in a row end as idle', () => {
    const empty = { seen: { message: 'empty' }, verdicts: [claim('fail')] };
    expect(play([empty, empty, empty]).decisions).toEqual(['block', 'block', 'idle']);
    expect(play([empty, empty, failing(1), empty]).decisions).not.toContain('idle');
  });
});

describe("the client's cap", () => {
  const blocked = (n: number, toolSinceBlock = false) => ({
    seen: { message: `m${n}`, blockCap: 8, promptId: 'p', toolSinceBlock },
    verdicts: [claim('fail')],
  });
  test.each([1, 3, 8, 20])(
    '%i holds in a row without a tool call, then stalled before it overrides one',
    (cap) => {
      const stops = Array.from({ length: cap + 1 }, (_, n) => blocked(n));
      const capped = stops.map(({ seen, verdicts }) => ({ seen: { ...seen, blockCap: cap }, verdicts }));
      const { decisions, state } = play(capped);
      expect(decisions).toEqual([...Array(cap).fill('block'), 'stalled']);
      expect(state.ending).toMatchObject({ cause: 'no_tool_call', detail: `held ${cap} times` });
    },
  );
  test('without a cap there is no such ending', () => {
    const stops = Array.from({ length: 20 }, (_, n) => blocked(n));
    const free = stops.map(({ seen, verdicts }) => ({ seen: { ...seen, blockCap: 0 }, verdicts }));
    expect(play(free).decisions).toEqual(Array(20).fill('block'));
  });
  test('holds of other hooks count, too', () => {
    const played = (heldInARow: number, toolSinceBlock = false) => {
      const stop = blocked(1, toolSinceBlock);
      return play([{ ...stop, seen: { ...stop.seen, heldInARow } }]).decisions;
    };
    expect(played(7)).toEqual(['block']);
    expect(played(8)).toEqual(['stalled']);
    expect(played(8, true)).toEqual(['block']);
  });
  test('a tool call begins a new row', () => {
    const stops = Array.from({ length: 14 }, (_, n) => blocked(n, n === 6));
    expect(play(stops).decisions).toEqual([...Array(14).fill('block')]);
  });
  test('a tool event between two stops begins a new row too', () => {
    const state = play(Array.from({ length: 8 }, (_, n) => blocked(n))).state;
    const tool = advance(state, { kind: 'event', event: 'PreToolUse', detail: { tool: 'Bash' } }, T0 + 9000);
    expect(play([blocked(99)], tool).decisions).toEqual(['block']);
  });
  test('a new prompt begins a new row', () => {
    const state = play(Array.from({ length: 8 }, (_, n) => blocked(n))).state;
    const next = { ...blocked(9), seen: { ...blocked(9).seen, promptId: 'q' } };
    expect(play([next], state).decisions).toEqual(['block']);
  });
});

describe('limits', () => {
  test('time spent paused does not count', () => {
    const paused = advance(freshLoop(), { kind: 'command', command: 'pause' }, T0 + 1000);
    const resumed = advance(paused, { kind: 'command', command: 'resume' }, T0 + 20 * 3_600_000);
    const at = T0 + 21 * 3_600_000;
    expect(decide(resumed, seenStop(), [claim('fail')], LIMITS, at).kind).toBe('block');
    expect(decide(resumed, seenStop(), [claim('fail')], LIMITS, at + 8 * 3_600_000)).toMatchObject({
      status: 'reached_limit',
      cause: 'duration',
    });
  });
  test('asking models costs, once', () => {
    const asked = verdict('fail', { class: 'judged', proof: { costUsd: 12 } });
    const again = { ...asked, reused: true as const };
    const { decisions, state } = play([asked, again, asked].map((v) => ({ verdicts: [v] })));
    expect(decisions).toEqual(['block', 'block', 'reached_limit']);
    expect(state.spent.costUsd).toBe(24);
  });
  test('tokens and cost are counted from what the transcript says', () => {
    const usage = { offset: 10, tokens: 20_000_000 };
    expect(play([{ seen: { usage }, verdicts: [claim('fail')] }]).decisions).toEqual(['reached_limit']);
    const first = { usage: { offset: 1, tokens: 1, costTotalUsd: 5 } };
    const second = { usage: { offset: 2, tokens: 1, costTotalUsd: 26 } };
    const cost = play([
      { seen: first, verdicts: [claim('fail')] },
      { seen: second, verdicts: [claim('fail')] },
    ]);
    expect(cost.decisions).toEqual(['block', 'reached_limit']);
    expect(cost.state.spent.costUsd).toBe(26);
  });
});

describe('a loop that is not active', () => {
  test('paused lets everything through', () => {
    expect(play([failing(1)], freshLoop({ status: 'paused' })).decisions).toEqual(['allow']);
  });
  test('cancelled stays cancelled, whatever comes later', () => {
    const cancelled = advance(freshLoop(), { kind: 'command', command: 'cancel' }, T0 + 1);
    const { decisions, state } = play([{ verdicts: [verdict('pass')] }, failing(1)], cancelled);
    expect(decisions).toEqual(['allow', 'allow']);
    expect(state.status).toBe('cancelled');
    expect(state.ending?.cause).toBe('person');
  });
});

describe('properties', () => {
  const outcome = fc.constantFrom('pass', 'fail', 'unproven', 'skip') as fc.Arbitrary<Verdict['outcome']>;
  const anyVerdict = fc
    .record({
      gate: fc.constantFrom('a', 'b', 'c'),
      outcome,
      class: fc.constantFrom('measured', 'claimed', 'judged'),
    })
    .map((v) => verdict(v.outcome, { gate: v.gate, class: v.class as Verdict['class'] }));
  const anySeen = fc
    .record({
      message: fc.constantFrom('empty', 'x', 'y', 'z'),
      toolSinceBlock: fc.boolean(),
      blockCap: fc.constantFrom(0, 3, 8),
      tree: fc.constantFrom('t1', 't2'),
      promptId: fc.constantFrom('p', 'q'),
    })
    .map((s) => seenStop(s));

  test('adding a failing verdict never turns a held stop into a success', () => {
    fc.assert(
      fc.property(fc.array(anyVerdict), anySeen, fc.nat(3), (verdicts, seen, place) => {
        const before = decide(freshLoop(), seen, verdicts, LIMITS, T0 + 1);
        const more = verdicts.toSpliced(Math.min(place, verdicts.length), 0, verdict('fail'));
        const after = decide(freshLoop(), seen, more, LIMITS, T0 + 1);
        if (after.kind === 'end') expect(after.status).not.toMatch(/done|released/);
        if (before.kind === 'block') expect(after.kind).toBe('block');
      }),
    );
  });

  test('the order of the verdicts does not matter', () => {
    fc.assert(
      fc.property(fc.array(anyVerdict), anySeen, (verdicts, seen) => {
        const one = decide(freshLoop(), seen, verdicts, LIMITS, T0 + 1);
        const other = decide(freshLoop(), seen, verdicts.toReversed(), LIMITS, T0 + 1);
        const words = { detail: '', rests: '' };
        expect({ ...other, ...words }).toEqual({ ...one, ...words });
      }),
    );
  });

  test('every sequence of stops ends within its limit of iterations', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anySeen, fc.array(anyVerdict)), { minLength: 12, maxLength: 40 }),
        (stops) => {
          const limits = { ...LIMITS, iterations: 10 };
          const { state, decisions } = play(
            stops.map(([seen, verdicts]) => ({ seen, verdicts })),
            freshLoop(),
            limits,
          );
          expect(hasEnded(state)).toBe(true);
          expect(decisions.filter((d) => d === 'block').length).toBeLessThan(10);
        },
      ),
    );
  });

  test('verified needs a measured pass and nothing in its way', () => {
    fc.assert(
      fc.property(fc.array(anyVerdict), anySeen, (verdicts, seen) => {
        const decision = decide(freshLoop(), seen, verdicts, LIMITS, T0 + 1);
        if (decision.kind !== 'end' || decision.status !== 'verified_done') return;
        expect(verdicts.some((v) => v.class === 'measured' && v.outcome === 'pass')).toBe(true);
        expect(verdicts.every((v) => v.outcome === 'pass' || v.outcome === 'skip')).toBe(true);
      }),
    );
  });
});
