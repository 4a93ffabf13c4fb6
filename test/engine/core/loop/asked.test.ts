import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_ASK } from '../../../../src/engine/core/contract/contract.ts';
import { ask, cleanAnswer, cleanQuestion, openQuestions } from '../../../../src/engine/core/loop/asked.ts';
import { decide } from '../../../../src/engine/core/loop/decide.ts';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance } from '../../../../src/engine/core/loop/journal.ts';
import { elapsedMs } from '../../../../src/engine/core/loop/limits.ts';
import { newAnswers } from '../../../../src/engine/core/loop/questions.ts';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import type { AskPolicy } from '../../../../src/engine/core/run/option-values.ts';
import { newRun, nextStep } from '../../../../src/engine/core/run/run.ts';
import { describeEnding, describeWait } from '../../../../src/engine/core/words/endings.ts';
import { entryLines } from '../../../../src/engine/core/words/entries.ts';
import { anyText } from '../../../support/core/any-entry.ts';
import { claim, freshLoop, LIMITS, seenStop, T0, verdict } from '../../../support/core/samples.ts';

const HOUR = 3_600_000;
const fails = (fingerprint = 'f') => verdict('fail', { fingerprint });

/** The state after the agent asked, each question by its text. */
function asking(state: LoopState, texts: string[], policy: AskPolicy = 'wait', at = T0): LoopState {
  return texts.reduce((before, text) => {
    const asked = ask(before, { text, options: [] }, { ...DEFAULT_ASK, policy });
    return asked.kind === 'asks' ? advance(before, asked.entry, at) : before;
  }, state);
}

const answered = (state: LoopState, gate: string, note = 'this', at = T0) =>
  advance(state, { kind: 'answered', gate, said: 'answered', note }, at);

function stopped(state: LoopState, verdicts = [fails()], at = T0 + 1000, seen = {}) {
  const facts = seenStop(seen);
  const decision = decide(state, facts, verdicts, LIMITS, at);
  return { decision, state: advance(state, { kind: 'stop', seen: facts, verdicts, decision }, at) };
}

const run = (changes: Partial<LoopState> = {}) => freshLoop({ run: newRun({ mode: 'hybrid' }), ...changes });

describe('asking', () => {
  test('a question has a name that no gate has, and is open until it is answered', () => {
    const state = asking(freshLoop(), ['Which one?', 'And how?']);
    expect(openQuestions(state).map(({ name }) => name)).toEqual(['question 1', 'question 2']);
    expect(openQuestions(answered(state, 'question 1')).map(({ name }) => name)).toEqual(['question 2']);
  });
  test.each(['Which one?', 'which one', '  WHICH   one?! '])('%j is the same question', (again) => {
    const state = asking(freshLoop(), ['Which one?']);
    const rule = DEFAULT_ASK;
    expect(ask(state, { text: again, options: [] }, rule)).toMatchObject({ kind: 'open' });
    expect(ask(answered(state, 'question 1'), { text: again, options: [] }, rule)).toMatchObject({
      kind: 'answered',
      answered: { note: 'this' },
    });
  });
  test('the fourth without progress is refused, answered or not', () => {
    let state = asking(freshLoop(), ['a', 'b', 'c']);
    const again = () => ask(state, { text: 'd', options: [] }, DEFAULT_ASK).kind;
    expect(again()).toBe('too_many');
    for (const name of ['question 1', 'question 2', 'question 3']) state = answered(state, name);
    expect(again()).toBe('too_many');
    // The same failure, with an edit: no progress.
    state = stopped(state, [fails()], T0 + 1000, { tree: 'a' }).state;
    state = stopped(state, [fails()], T0 + 2000, { tree: 'b' }).state;
    expect(again()).toBe('too_many');
    state = stopped(state, [fails('another')], T0 + 3000).state;
    expect(again()).toBe('asks');
  });
  test('a phase that ended is progress', () => {
    const state = stopped(asking(freshLoop(), ['a', 'b', 'c'], 'decide'), [fails()], T0, {
      phase: { name: 'make', passed: ['plan'] },
    }).state;
    expect(ask(state, { text: 'd', options: [] }, DEFAULT_ASK).kind).toBe('asks');
  });
  test('whatever is asked becomes one short line without control characters', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ maxLength: 3000 })), (text) => {
        const { text: clean } = cleanQuestion(text, []);
        expect(clean.length).toBeLessThanOrEqual(1000);
        expect(clean).not.toMatch(/\p{Cc}/u);
      }),
    );
    const key = `sk-ant-${'x1'.repeat(20)}`;
    expect(cleanQuestion(`\u001b[31mred\u001b[0m\n${key}`, [`${key}\u0007`]).text).toBe('red [redacted]');
    expect(cleanAnswer(`x ${key}`)).toBe('x [redacted]');
    expect(cleanQuestion('y'.repeat(10 * 1024 * 1024), []).text).toHaveLength(1000);
  });
});

describe('a Stop with an open question', () => {
  const state = asking(freshLoop(), ['Which one?']);
  test('is let go, and nothing of it counts', () => {
    const before = { ...state, iteration: 50, emptyAnswers: 2, picture: stopped(freshLoop()).state.picture };
    const { decision, state: after } = stopped(before, [fails()], T0 + 1000, { message: 'empty' });
    expect(decision).toMatchObject({ kind: 'allow', wait: 'approval', detail: 'question 1: Which one?' });
    expect(after).toMatchObject({ iteration: 50, emptyAnswers: 2, picture: before.picture });
    expect(describeWait(after)).toContain('untildone answer l1 "your words"');
    expect(elapsedMs(after, T0 + 9 * HOUR)).toBe(1000);
  });
  test.each([
    ['verified', [verdict('pass')], 'verified_done'],
    ['claimed', [claim('pass')], 'claimed_done'],
  ])('ends the loop when the work is done: %s', (_, verdicts, status) => {
    expect(stopped(state, verdicts).decision).toMatchObject({ kind: 'end', status });
  });
  test('asks what a gate asks, too', () => {
    const asks = verdict('fail', { gate: 'ok', kind: 'approve', class: 'judged', asks: 'Good?' });
    expect(stopped(state, [asks]).decision).toMatchObject({ detail: 'question 1: Which one?; ok: Good?' });
  });
  test('is held again once it is answered', () => {
    const { decision } = stopped(answered(state, 'question 1'));
    expect(decision).toEqual({ kind: 'block', instruction: 'continue' });
  });
  test('with ask: decide it is held', () => {
    expect(stopped(asking(freshLoop(), ['Which?'], 'decide')).decision.kind).toBe('block');
  });
  test('with ask: end the loop ends, and says that it needs you', () => {
    const { decision, state: after } = stopped(asking(run(), ['Which one?'], 'end'));
    expect(decision).toMatchObject({ kind: 'end', status: 'released', cause: 'needs_person' });
    expect(describeEnding(after)).toContain('it needs you');
    expect(describeEnding(after)).toContain('Which one?');
    const later = answered(after, 'question 1', 'that');
    expect(openQuestions(later)).toEqual([]);
    const reopened: Entry = { kind: 'reopened', contractSha256: 'y', maxIterations: 50 };
    expect(advance(later, reopened, T0 + HOUR).waiting).toBeUndefined();
    expect(advance(after, reopened, T0 + HOUR).waiting).toMatchObject({ why: 'approval' });
  });
});

describe('the wait', () => {
  const waiting = stopped(asking(freshLoop(), ['a', 'b'])).state;
  const event = (name: string, detail?: Record<string, string>): Entry => ({
    kind: 'event',
    event: name,
    detail,
  });
  test('ends with the last answer', () => {
    const one = answered(waiting, 'question 2');
    expect(one.waiting?.detail).toBe('question 1: a');
    expect(answered(one, 'question 1').waiting).toBeUndefined();
  });
  test.each([
    ['the session ends', [event('SessionEnd')]],
    ['the session is resumed', [event('SessionEnd'), event('SessionStart', { source: 'resume' })]],
    [
      'a pause and a resume',
      [
        { kind: 'command', command: 'pause' },
        { kind: 'command', command: 'resume' },
      ],
    ],
  ] as [string, Entry[]][])('goes on over this: %s', (_, entries) => {
    const after = entries.reduce((state, entry) => advance(state, entry, T0 + HOUR), waiting);
    expect(after).toMatchObject({ status: 'active', waiting: { why: 'approval' } });
    expect(elapsedMs(after, T0 + 5 * HOUR)).toBe(1000);
  });
  test('an answer is told once, with the question', () => {
    const given = answered(answered(waiting, 'question 1', 'red'), 'question 2', 'blue');
    const told = newAnswers(given.answers ?? {}, given.questions) ?? '';
    expect(told).toContain(
      'you asked (question 1): "a"\nA person answered: "red". That is your next instruction',
    );
    const after = advance(given, event('UserPromptSubmit'), T0);
    expect(newAnswers(after.answers ?? {}, after.questions)).toBeUndefined();
  });
});

describe('a run that waits for an answer', () => {
  const ended = (state: LoopState) =>
    advance(state, { kind: 'result', end: { kind: 'stopped_by_hook', detail: '' } }, T0 + 2000);
  const waiting = ended(stopped(asking(run(), ['Which one?'])).state);
  test('waits, and gives the answer to the same session, unjudged', () => {
    expect(nextStep(waiting, T0 + 3000)).toMatchObject({ kind: 'ask', until: T0 + 1000 + 24 * HOUR });
    const given = answered(waiting, 'question 1');
    expect(nextStep(given, T0 + HOUR)).toEqual({ kind: 'session', resume: true, why: 'answered' });
  });
  test('pauses after its time, and waits again when it goes on', () => {
    const late = T0 + 25 * HOUR;
    const step = nextStep(waiting, late);
    expect(step).toMatchObject({ kind: 'pause', why: expect.stringContaining('nobody answered within') });
    const paused = advance(waiting, { kind: 'command', command: 'pause' }, late);
    const resumed = advance(paused, { kind: 'command', command: 'resume' }, late + HOUR);
    expect(nextStep(resumed, late + HOUR)).toMatchObject({ kind: 'ask' });
    const given = advance(answered(paused, 'question 1'), { kind: 'command', command: 'resume' }, late);
    expect(nextStep(given, late)).toEqual({ kind: 'session', resume: true, why: 'answered' });
  });
});

test.each([
  [
    { kind: 'asked', name: 'question 1', text: 'Which?', options: ['A', 'B'], ...DEFAULT_ASK },
    'the agent asks: question 1: Which? (1: A, 2: B)',
  ],
  [
    { kind: 'answered', gate: 'question 1', said: 'answered', note: 'B', option: 2 },
    'you answered question 1 with option 2: B',
  ],
  [
    { kind: 'answered', gate: 'question 1', said: 'decided', note: 'A' },
    'the agent decided question 1 itself: A',
  ],
  [
    { kind: 'answered', gate: 'question 1', said: 'prompted' },
    'you answered question 1 by a prompt in its session',
  ],
] as [Entry, string][])('the log says %j', (entry, words) => {
  expect(entryLines(entry, freshLoop())).toEqual([words]);
});
