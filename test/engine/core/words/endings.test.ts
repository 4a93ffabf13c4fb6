import { describe, expect, test } from 'vitest';
import {
  ENDINGS,
  type LoopState,
  type RunState,
  type WaitCause,
} from '../../../../src/engine/core/loop/state.ts';
import { newRun } from '../../../../src/engine/core/run/run.ts';
import { dateOf } from '../../../../src/engine/core/text/moment.ts';
import {
  describeEnding,
  describeWait,
  endingMessage,
  holdMessage,
} from '../../../../src/engine/core/words/endings.ts';
import { freshLoop, T0 } from '../../../support/core/samples.ts';

function ended(status: LoopState['status'], cause: string, detail: string): LoopState {
  return freshLoop({ status, iteration: 7, ending: { cause, detail, at: T0 } });
}

describe('a held session', () => {
  const gate = (name: string, verdict: 'pass' | 'fail' | 'unproven') => ({
    name,
    verdict,
    class: 'measured' as const,
    summary: '',
    since: 1,
  });
  const held = (changes: Partial<LoopState>) => holdMessage(freshLoop({ iteration: 3, ...changes }));

  test('is told what is open, and the line that stops it', () => {
    const gates = [gate('tests', 'fail'), gate('lint', 'pass'), gate('ci', 'unproven')];
    expect(held({ gates })).toBe(
      'untildone: held, iteration 3 of 50; open: tests, ci. To stop it, type in another terminal: untildone cancel l1',
    );
    expect(held({ maxIterations: 'unlimited' })).toBe(
      'untildone: held, iteration 3. To stop it, type in another terminal: untildone cancel l1',
    );
  });
  test('that only lacks a change is told how it goes without one', () => {
    const gates = [gate('tests', 'pass'), gate('changed', 'fail')];
    expect(held({ gates, base: { changeGate: 'changed' } })).toContain(
      'nothing was changed yet. If the task needs no change, type in another terminal: untildone release l1',
    );
    expect(held({ gates })).toContain('untildone cancel l1');
  });
  test('has a message that stays short and on one line', () => {
    const gates = Array.from({ length: 90 }, (_, i) => gate(`gate\n${i}`, 'fail'));
    expect(held({ gates }).length).toBeLessThan(350);
    expect(held({ gates })).not.toContain('\n');
  });
});

test('an ending that is not done names what is open and what to do; others do not', () => {
  const gates = [
    { name: 'tests', verdict: 'fail' as const, class: 'measured' as const, summary: '', since: 1 },
  ];
  const said = (status: LoopState['status'], more: Partial<LoopState> = {}) =>
    endingMessage({ ...ended(status, 'person', 'x'), gates, ...more });
  for (const status of ['reached_limit', 'stalled', 'idle', 'capped', 'failed'] as const) {
    expect(said(status)).toMatch(
      / Open: tests\. Iteration 7\. .* to hold it again: untildone start\. Details: /,
    );
  }
  for (const status of ['verified_done', 'claimed_done', 'cancelled', 'released'] as const)
    expect(said(status)).not.toMatch(/Open|hold it again/);
  expect(said('stalled', { run: newRun({ mode: 'hybrid' }) })).not.toContain('untildone start');
});

describe('how a loop ended', () => {
  test.each([
    ['verified_done', 'gates_passed', 'tests, lint', 'done, and verified: every gate passed (tests, lint)'],
    [
      'claimed_done',
      'claim_only',
      'promise',
      "ended on the agent's word alone: promise passed, nothing was measured",
    ],
    [
      'claimed_done',
      'nothing_changed',
      'tests, workers',
      'ended without proof: tests, workers passed, but nothing was changed since the start',
    ],
    [
      'claimed_done',
      'claims_moved',
      'plan, promise',
      "ended on the agent's word: only plan, promise came to pass since the start, and that is claimed; what was measured passed all along",
    ],
    [
      'claimed_done',
      'nothing_to_miss',
      'tests, proof',
      "ended on the agent's word: tests, proof passed, but they passed at the start, too, and nothing was changed since that tests could miss",
    ],
    ['claimed_done', 'approved_only', 'ok', 'ended on an approval alone: ok passed, nothing was measured'],
    [
      'reached_limit',
      'phase_iterations',
      'phase make: iteration 3 of 3',
      'NOT done: the limit of iterations of a phase was reached (phase make: iteration 3 of 3)',
    ],
    [
      'reached_limit',
      'duration',
      '480 of 480 minutes',
      'NOT done: the limit of working time was reached (480 of 480 minutes)',
    ],
    [
      'reached_limit',
      'iterations',
      'iteration 50 of 50',
      'NOT done: the limit of iterations was reached (iteration 50 of 50)',
    ],
    ['stalled', 'same_message', '9 times', 'NOT done: no progress; the same final message 9 times in a row'],
    [
      'stalled',
      'same_failure',
      '4 times',
      'NOT done: no progress; the same failure with an unchanged tree 4 times in a row',
    ],
    [
      'idle',
      'empty_answers',
      '3 empty answers in a row',
      'NOT done: the agent had nothing more to say (3 empty answers in a row)',
    ],
    [
      'stalled',
      'no_tool_call',
      'held 8 times',
      'NOT done: no progress; held 8 times in a row without a tool call',
    ],
    ['capped', 'block_cap', '8 blocks', "NOT done: let go at Claude Code's own limit (8 blocks)"],
    ['cancelled', 'person', 'by a person', 'cancelled by hand'],
    ['cancelled', 'person', 'wrong branch', 'cancelled by hand: wrong branch'],
    ['released', 'person', 'by a person', 'NOT done: released by hand'],
    ['released', 'unproven_allowed', 'lint: no answer', 'NOT done: let go without proof (lint: no answer)'],
    ['failed', 'crash', 'no space left', 'NOT done: no space left'],
  ] as const)('%s by %s', (status, cause, detail, words) => {
    expect(describeEnding(ended(status, cause, detail))).toBe(words);
  });
  test('has words of its own for every ending, and only a verified one says done', () => {
    const words = ENDINGS.map((status) => describeEnding(ended(status, 'cause', 'detail')));
    expect(new Set(words).size).toBe(ENDINGS.length);
    for (const [i, text] of words.entries()) {
      expect(/^done/.test(text)).toBe(ENDINGS[i] === 'verified_done');
    }
  });
  test('is empty for a loop that has not ended', () => {
    expect(describeEnding(freshLoop())).toBe('');
  });
  test('is told to the person with the way to more', () => {
    expect(endingMessage(ended('cancelled', 'person', 'by a person'))).toBe(
      'untildone: loop l1 cancelled by hand. Iteration 7. Details: untildone log l1',
    );
  });
});

describe('why a loop waits', () => {
  const waiting = (why: WaitCause, detail?: string) =>
    describeWait(freshLoop({ waiting: { why, since: T0, ...(detail ? { detail } : {}) } }));
  test('is said with its detail and, where there is one, the way on', () => {
    expect(waiting('paused', 'lunch')).toBe('paused (lunch); go on with: untildone resume l1');
    expect(waiting('background', 'shell b1')).toBe('waiting for background work (shell b1)');
    expect(waiting('wake_up')).toBe('waiting for a wake-up');
    expect(waiting('needs_person', 'trust')).toBe('waiting for you (trust)');
    expect(waiting('context_full')).toContain('/compact');
    expect(waiting('api_error', 'rate_limit')).toContain('(rate_limit); send any prompt');
    expect(waiting('session_ended')).toContain('claude --resume s1');
  });
  test('of a run sends nobody into its session: it goes on by itself', () => {
    const run = newRun({ mode: 'hybrid' });
    const limit = { kind: 'rate_limited' as const, until: T0 + 60_000, detail: 'slow down', at: T0 };
    const waiting = (why: WaitCause, more: Partial<RunState> = {}) =>
      describeWait(freshLoop({ waiting: { why, since: T0 }, run: { ...run, ...more } }));
    expect(waiting('api_error', { lastEnd: limit })).toBe(
      `interrupted by an API error; the run tries again by itself, at ${dateOf(T0 + 60_000, T0)}`,
    );
    expect(waiting('session_ended')).toBe('its session has ended; the run goes on by itself');
    expect(waiting('context_full')).toContain('goes on in a fresh one');
    expect(waiting('paused')).toBe('paused; go on with: untildone run --resume l1');
    expect(waiting('paused', { parent: 'r0' })).toContain('untildone run --resume r0');
  });
  test('is nothing for a loop that is pursued', () => {
    expect(describeWait(freshLoop())).toBe('');
  });
});
