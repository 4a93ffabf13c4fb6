import { describe, expect, test } from 'vitest';
import type { StopSeen } from '../../../../src/engine/core/loop/count-stop.ts';
import { decide } from '../../../../src/engine/core/loop/decide.ts';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import type { Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { claim, freshLoop, LIMITS, play, seenStop, T0, verdict } from '../../../support/core/samples.ts';

describe('a question to a person', () => {
  const asks = (gate = 'plan_approved', question = 'Is it good?') =>
    verdict('fail', { gate, kind: 'approve', class: 'judged', asks: question });
  const decided = (verdicts: Verdict[], seen: Partial<StopSeen> = {}, from = freshLoop()) =>
    decide(from, seenStop(seen), verdicts, LIMITS, T0 + 1000);

  test('is asked when nothing else fails: the session is let go, and nothing is counted', () => {
    expect(decided([asks(), verdict('pass')])).toEqual({
      kind: 'allow',
      cause: 'approval',
      wait: 'approval',
      detail: 'plan_approved: Is it good?',
    });
    const { state } = play([{ verdicts: [asks()] }]);
    expect(state).toMatchObject({ iteration: 1, waiting: { why: 'approval' } });
  });
  test('waits while the agent can still do something', () => {
    expect(decided([asks(), verdict('fail')]).kind).toBe('block');
    expect(decided([asks(), verdict('unproven')]).kind).toBe('block');
  });
  test('what may stay open does not keep it from being asked', () => {
    expect(decided([asks(), verdict('unproven', { onUnproven: 'allow' })])).toMatchObject({
      cause: 'approval',
    });
  });
  test('several are asked at once, bounded', () => {
    const many = Array.from({ length: 100 }, (_, i) => asks(`gate-${i}`, 'x'.repeat(300)));
    const decision = decided([asks('a', 'One?'), asks('b', 'Two?')]);
    expect(decision).toMatchObject({ detail: 'a: One?; b: Two?' });
    expect(JSON.stringify(decided(many)).length).toBeLessThan(700);
  });
  test('is named by its own name, however deep it stands', () => {
    const chunk = verdict('fail', {
      gate: 'model',
      kind: 'all',
      asks: 'One?',
      children: [asks('a', 'One?')],
    });
    const children = [chunk, verdict('skip', { gate: 'api' }), verdict('pass', { gate: 'docs' })];
    const chunks = verdict('fail', { gate: 'chunks', kind: 'chunks', asks: 'One?', children });
    expect(decided([chunks, asks('a', 'One?'), asks('b', 'Two?')])).toMatchObject({
      detail: 'a: One?; b: Two?',
    });
  });
  test('in a phase before the last one it is asked beside what is open in the whole', () => {
    const phase = { name: 'plan', passed: [], asks: true as const };
    expect(decided([asks(), claim('fail')], { phase })).toMatchObject({
      detail: 'plan_approved: Is it good?',
    });
  });
  test('comes before every limit: the work is done as far as the agent can do it', () => {
    const last = freshLoop({ iteration: 50, emptyAnswers: 9 });
    expect(decided([asks()], { message: 'empty' }, last)).toMatchObject({ cause: 'approval' });
  });
  test('does not come before a hook that ends the work', () => {
    expect(decided([asks(), verdict('pass', { letGo: 'enough' })])).toMatchObject({ status: 'released' });
  });
  test('is not asked about a phase that the agent was not told of yet', () => {
    const phase = { name: 'build', passed: ['plan'], unheard: true as const };
    expect(decided([asks()], { phase })).toEqual({ kind: 'block', instruction: 'continue' });
    const { decisions } = play([
      { seen: { phase }, verdicts: [asks()] },
      { seen: { phase: { name: 'build', passed: [] } }, verdicts: [asks()] },
    ]);
    expect(decisions).toEqual(['block', 'allow']);
  });
  test('a yes alone is a claim, by the word of a person', () => {
    const yes = verdict('pass', { gate: 'ok', kind: 'approve', class: 'judged' });
    const inside = verdict('pass', {
      gate: 'both',
      kind: 'all',
      class: 'judged',
      children: [yes, claim('pass')],
    });
    const model = verdict('pass', { gate: 'review', kind: 'judge', class: 'judged' });
    const cause = (...verdicts: Verdict[]) => decided(verdicts);
    expect(cause(yes, claim('pass'))).toMatchObject({ status: 'claimed_done', cause: 'approved_only' });
    expect(cause(inside)).toMatchObject({ cause: 'approved_only' });
    expect(cause(yes, model)).toMatchObject({ cause: 'judged_only' });
    expect(cause(claim('pass'))).toMatchObject({ cause: 'claim_only' });
    expect(cause(yes, verdict('pass'))).toMatchObject({ status: 'verified_done' });
  });
});

describe('the limits of a phase', () => {
  const limits = (iterations: number) => ({ ...LIMITS, phase: { name: 'build', iterations } });
  const inPhase = (name: string, passed: string[] = []) => ({
    seen: { phase: { name, passed } },
    verdicts: [verdict('fail', { gate: name })],
  });
  test.each([
    [1, ['reached_limit']],
    [2, ['block', 'reached_limit']],
    [3, ['block', 'block', 'reached_limit']],
  ])('%s iterations in the first one', (count, decisions) => {
    const stops = Array.from({ length: count }, () => inPhase('build'));
    expect(play(stops, freshLoop(), { ...limits(count), stall: 99 }).decisions).toEqual(decisions);
  });
  test.each([
    [1, ['block', 'reached_limit']],
    [2, ['block', 'block', 'reached_limit']],
  ])('%s in a later one: the Stop that enters it is not yet work in it', (count, decisions) => {
    const from = freshLoop({ iteration: 7, phase: { name: 'plan', iteration: 7, since: 0 } });
    const stops = [inPhase('build', ['plan']), ...Array.from({ length: count }, () => inPhase('build'))];
    const { state, ...played } = play(stops, from, { ...limits(count), stall: 99 });
    expect(played.decisions).toEqual(decisions);
    expect(state.ending).toMatchObject({
      cause: 'phase_iterations',
      detail: `phase build: iteration ${count} of ${count}`,
    });
  });
  test('its time is the working time since it began', () => {
    const HOUR = 3_600_000;
    const time = { ...LIMITS, phase: { name: 'build', durationMs: HOUR } };
    const since = 3 * HOUR;
    const from = (elapsed: number) =>
      freshLoop({ startedAt: T0 - since - elapsed, phase: { name: 'build', iteration: 1, since } });
    const decision = (elapsed: number, more: Partial<LoopState> = {}) =>
      decide({ ...from(elapsed), ...more }, seenStop(), [verdict('fail')], time, T0);
    expect(decision(HOUR - 1).kind).toBe('block');
    expect(decision(HOUR)).toMatchObject({
      cause: 'phase_duration',
      detail: 'phase build: 1 h 00 min of 1 h 00 min',
    });
    expect(decision(HOUR, { waitedMs: 5 }).kind).toBe('block');
  });
  test('success wins over them', () => {
    const stop = { seen: { phase: { name: 'build', passed: [] } }, verdicts: [verdict('pass')] };
    expect(play([stop], freshLoop(), limits(1)).decisions).toEqual(['verified_done']);
  });
});
