import { describe, expect, test } from 'vitest';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import type { RunEvent } from '../../../../src/engine/run/reporter.ts';
import { lineReporter, openRunReporter } from '../../../../src/engine/run/view/report.ts';
import { columnsOf } from '../../../../src/engine/terminal/text.ts';
import { FakeTerminal } from '../../../support/run/fake-terminal.ts';
import {
  BASELINE,
  doneState,
  happens,
  LIMITS,
  LOOP,
  runState,
  STORY,
  T0,
} from '../../../support/run/run-story.ts';

const TASK = 'Build the todo API,\nwith tests';

function tell(events: readonly RunEvent[], options: { quiet?: boolean; width?: number } = {}): string[] {
  const lines: string[] = [];
  let second = 0;
  const reporter = lineReporter(
    (line) => lines.push(line),
    () => T0 + second * 1000,
    options.quiet ?? false,
    { width: () => options.width ?? 200, project: '/project' },
  );
  reporter.begun(LOOP, TASK, BASELINE, { limits: LIMITS, resumed: false });
  for (const event of events) {
    second += 1;
    reporter.event(event);
  }
  return lines;
}

const last = (events: readonly RunEvent[]) => tell(events).slice(1 + BASELINE.length);

describe('plain lines', () => {
  test('in a file leave a command that is to be typed in one piece', () => {
    const lines: string[] = [];
    const typed = `Take it: git merge untildone/${'x'.repeat(300)} && git push`;
    const into = (wrap: boolean) =>
      lineReporter(
        (line) => lines.push(line),
        () => T0,
        false,
        { width: () => 100, wrap },
      );
    into(false).note(typed);
    expect(lines).toEqual([`10:00:00 ${typed}`]);
    into(true).note(typed);
    expect(lines.slice(1).join(' ')).toContain('x'.repeat(300));
  });
  test('tell a run, one line a fact', () => {
    expect(tell(STORY).join('\n')).toMatchInlineSnapshot(`
      "10:00:00 run 20260105-100000-abc123 begins: Build the todo API, with tests
      10:00:00   fail      tests: exit code 1: 3 of 12 tests fail
      10:00:00   fail      features: 1 of 25 pass; next: F02 list
      10:00:00   pass      lint: exit code 0
      10:00:00   unproven  checks: no answer within 10 min
      10:00:00   skip      plan: there is no PLAN.md
      10:00:01 session 1 begins: 6f1c2d3e-0000-4000-8000-000000000001 (the first one), iteration 1 of 50
      10:00:02   Claude Code is ready, model claude-opus-4-6
      10:00:03   > I look at the tests first.
      10:00:04   * $ npm test
      10:00:05   ! Bash failed
      10:00:06   * $ git push
      10:00:07   ! denied: git push (to allow it: --allow "Bash(git push:*)")
      10:00:10   * Edit src/a.ts
      10:00:12 judging the work
      10:00:13 stop held, iteration 2 of 50 begins: 1 of 5 gates pass; fail: tests, features; unproven: checks
      10:00:13   fail      tests: exit code 1: 3 of 12 tests fail
      10:00:13             test/todo.test.ts:42 deletes a todo
      10:00:13   fail      features: 1 of 25 pass; next: F02 list
      10:00:13   unproven  checks: no answer within 10 min
      10:00:14   ! the API call is tried again in 4 s (attempt 2): overloaded
      10:00:15   ! limit of your account, until 11:00: usage limit reached
      10:00:16   ! the conversation was compacted
      10:00:17   i untildone: the work goes on
      10:00:18 session 1 ended: the usage limit of the account is reached (0.42 USD, 61k tokens so far)
      10:00:19 waiting until 11:00 (59 min): the usage limit of the account is reached
      10:00:20 WARNING: 80 % of the limit of cost is used
      10:00:21 session 1 goes on: 6f1c2d3e-0000-4000-8000-000000000001 (once more), iteration 2 of 50
      10:00:22 stop held, iteration 2 of 50, asked for a hand-over note: 1 of 5 gates pass; fail: tests, features; unproven: checks
      10:00:22   fail      tests: exit code 1: 3 of 12 tests fail
      10:00:22             test/todo.test.ts:42 deletes a todo
      10:00:22   fail      features: 1 of 25 pass; next: F02 list
      10:00:22   unproven  checks: no answer within 10 min
      10:00:23 allowed to stop, iteration 2 of 50, waiting for you (approve it): 1 of 5 gates pass; fail: tests, features; unproven: checks
      10:00:23   fail      tests: exit code 1: 3 of 12 tests fail
      10:00:23   fail      features: 1 of 25 pass; next: F02 list
      10:00:23   unproven  checks: no answer within 10 min
      10:00:24 verified_done: done, and verified: every gate passed (4 gates)
      10:00:24   pass (measured) tests: as it is to be
      10:00:24   pass (measured) features: as it is to be
      10:00:24   pass (measured) lint: as it is to be
      10:00:24   pass (measured) checks: as it is to be
      10:00:24   iteration 3 of 50, 2 sessions, 42 min, 1.23 of 20.00 USD, 1.2M of 20M tokens
      10:00:24   journal: untildone log 20260105-100000-abc123
      10:00:24   receipt: untildone receipt 20260105-100000-abc123"
    `);
  });

  test('tell only sessions, stops, waits, warnings and the end when it is to be quiet', () => {
    expect(tell(STORY, { quiet: true }).join('\n')).toMatchInlineSnapshot(`
      "10:00:00 run 20260105-100000-abc123 begins: Build the todo API, with tests
      10:00:00   fail      tests: exit code 1: 3 of 12 tests fail
      10:00:00   fail      features: 1 of 25 pass; next: F02 list
      10:00:00   pass      lint: exit code 0
      10:00:00   unproven  checks: no answer within 10 min
      10:00:00   skip      plan: there is no PLAN.md
      10:00:01 session 1 begins: 6f1c2d3e-0000-4000-8000-000000000001 (the first one), iteration 1 of 50
      10:00:13 stop held, iteration 2 of 50 begins: 1 of 5 gates pass; fail: tests, features; unproven: checks
      10:00:18 session 1 ended: the usage limit of the account is reached (0.42 USD, 61k tokens so far)
      10:00:19 waiting until 11:00 (59 min): the usage limit of the account is reached
      10:00:20 WARNING: 80 % of the limit of cost is used
      10:00:21 session 1 goes on: 6f1c2d3e-0000-4000-8000-000000000001 (once more), iteration 2 of 50
      10:00:22 stop held, iteration 2 of 50, asked for a hand-over note: 1 of 5 gates pass; fail: tests, features; unproven: checks
      10:00:23 allowed to stop, iteration 2 of 50, waiting for you (approve it): 1 of 5 gates pass; fail: tests, features; unproven: checks
      10:00:24 verified_done: done, and verified: every gate passed (4 gates)
      10:00:24   pass (measured) tests: as it is to be
      10:00:24   pass (measured) features: as it is to be
      10:00:24   pass (measured) lint: as it is to be
      10:00:24   pass (measured) checks: as it is to be
      10:00:24   iteration 3 of 50, 2 sessions, 42 min, 1.23 of 20.00 USD, 1.2M of 20M tokens
      10:00:24   journal: untildone log 20260105-100000-abc123
      10:00:24   receipt: untildone receipt 20260105-100000-abc123"
    `);
  });

  test('are never longer than the terminal, and the end is broken instead of cut', () => {
    const lines = tell(STORY, { width: 50 });
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(50);
    expect(lines.slice(-2)).toEqual([
      '10:00:24   receipt: untildone receipt',
      '10:00:24   20260105-100000-abc123',
    ]);
  });

  test('are never longer than 200 signs elsewhere', () => {
    const said = 'word '.repeat(100);
    const lines = last([happens({ kind: 'said', text: said }), { type: 'warning', text: said }]);
    expect(lines.map((line) => line.length)).toEqual([200, 200]);
  });

  test('hold neither secrets nor escapes', () => {
    const evil = 'x\x1b[2J\x1b]0;t\x07\ny api_key=abcd1234\u202e';
    const state = runState({
      gates: [{ name: 'tests', class: 'measured', verdict: 'fail', summary: evil, since: 1 }],
    });
    const events: RunEvent[] = [
      happens({ kind: 'said', text: evil }),
      happens({ kind: 'called', tool: evil, input: { command: evil } }),
      happens({ kind: 'called', tool: 'Bash', input: { command: evil } }),
      happens({ kind: 'called', tool: 'Edit', input: { file_path: evil } }),
      happens({ kind: 'returned', tool: evil, failed: true }),
      happens({ kind: 'retry', attempt: 1, delayMs: 1, why: evil }),
      happens({ kind: 'limit', text: evil }),
      happens({ kind: 'told', text: evil }),
      happens({ kind: 'began', session: 's', model: evil }),
      { type: 'stop', state, answer: 'refuse' },
      { type: 'session_ended', end: { kind: 'crashed', detail: evil }, state },
      { type: 'waiting', until: T0, why: evil },
      { type: 'warning', text: evil },
      { type: 'paused', why: evil },
      { type: 'ended', state: { ...state, status: 'failed', ending: { cause: 'x', detail: evil, at: T0 } } },
    ];
    const text = last(events).join('');
    expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(text).not.toContain('abcd1234');
    expect(text.match(/api_key=\[redacted\]/g)?.length).toBeGreaterThanOrEqual(events.length - 2);
  });

  test('an empty answer is no line, and neither is a call that worked', () => {
    expect(
      last([
        happens({ kind: 'said', text: ' \n' }),
        happens({ kind: 'returned', tool: 'Read', failed: false }),
      ]),
    ).toEqual([]);
  });

  test('name at most six gates a kind', () => {
    const gates = Array.from({ length: 9 }, (_, i) => ({
      name: `g${i}`,
      class: 'measured' as const,
      verdict: 'fail' as const,
      summary: '',
      since: 1,
    }));
    expect(last([{ type: 'stop', answer: 'refuse', state: runState({ gates }) }])[0]).toBe(
      '10:00:01 stop held, iteration 1 of 50 begins: 0 of 9 gates pass; fail: g0, g1, g2, g3, g4, g5 and 3 more',
    );
  });

  test('a phase begins once, however often the work goes on in it', () => {
    const held = (iteration: number) => {
      const state = runState({ phase: { name: 'build', iteration, since: 0 } });
      return last([{ type: 'stop', answer: 'refuse', state }])[0];
    };
    expect(held(1)).toContain('stop held, iteration 1 of 50, phase build begins');
    expect(held(2)).toContain('stop held, iteration 1 of 50 begins, phase build');
  });

  test('a pause says how to go on, and a note keeps its indentation', () => {
    expect(last([{ type: 'paused', why: 'interrupted by you' }])).toEqual([
      '10:00:01 paused: interrupted by you',
      `10:00:01   go on with: untildone run --resume ${LOOP}`,
    ]);
    const lines: string[] = [];
    const { note, event } = lineReporter(
      (line) => lines.push(line),
      () => T0,
      false,
    );
    note('first\n  second\x1b[2J');
    event({ type: 'paused', why: 'x' });
    expect(lines).toEqual([
      '10:00:00 first',
      '10:00:00   second',
      '10:00:00 paused: x',
      '10:00:00   go on with: untildone run --resume',
    ]);
  });

  test('a stop says what it was let through for, and one that was forged is named', () => {
    const state = runState({
      run: {
        mode: 'hybrid',
        sessions: 1,
        heldInSession: 1,
        failures: 0,
        handOver: 'given',
        counted: { costUsd: 0, tokens: 0 },
      },
      gates: [],
    });
    expect(
      last([
        { type: 'stop', answer: 'silence', state },
        { type: 'stop', answer: 'ignore', state },
      ]),
    ).toEqual([
      '10:00:01 allowed to stop, iteration 1 of 50, the hand-over note is given: 0 of 0 gates pass',
      '10:00:02 ignored a Stop that did not come from Claude Code, iteration 1 of 50: 0 of 0 gates pass',
    ]);
  });

  const endings: [string, Partial<LoopState>, string, string][] = [
    [
      'a limit',
      { status: 'reached_limit', ending: { cause: 'cost', detail: '20.01 of 20.00 USD', at: T0 } },
      'reached_limit: NOT done: the limit of cost was reached (20.01 of 20.00 USD)',
      '  your files stay as they are; to go on with more: untildone run --resume 20260105-100000-abc123 --max-cost +5',
    ],
    [
      'a claim',
      { status: 'claimed_done', ending: { cause: 'claim_only', detail: 'promise', at: T0 } },
      "claimed_done: ended on the agent's word alone: promise passed, nothing was measured",
      `  receipt: untildone receipt ${LOOP}`,
    ],
  ];
  test.each(endings)('%s ends in words', (_, changes, first, lastLine) => {
    const lines = last([{ type: 'ended', state: { ...doneState(), ...changes } }]);
    expect(lines[0]).toBe(`10:00:01 ${first}`);
    expect(lines.at(-1)).toBe(`10:00:01 ${lastLine}`);
  });
});

describe('the reporter of a run', () => {
  function open(options: { json?: boolean; quiet?: boolean }, stdout: object, env: NodeJS.ProcessEnv = {}) {
    const lines: string[] = [];
    const world = {
      out: (line: string) => lines.push(line),
      now: () => T0,
      stdout: stdout as NodeJS.WriteStream,
      env,
      project: '/project',
    };
    const reporter = openRunReporter({ json: false, quiet: false, ...options }, world);
    reporter.begun(LOOP, TASK, []);
    reporter.close();
    return { lines, reporter };
  }
  const pipe = () => Object.assign(new FakeTerminal(), { isTTY: false });

  test('is a live view on a terminal, with or without colour', () => {
    for (const env of [{}, { NO_COLOR: '1' }]) {
      const terminal = new FakeTerminal();
      expect(open({}, terminal, env).lines).toEqual([]);
      expect(terminal.text()).toContain('not finished: this process ended before the run did');
    }
  });

  test('prints plain lines into a pipe, on a terminal that can do nothing, and when it is to be quiet', () => {
    const line = `10:00:00 run ${LOOP} begins: Build the todo API, with tests`;
    expect(open({}, pipe()).lines).toEqual([line]);
    expect(open({}, new FakeTerminal(), { TERM: 'dumb' }).lines).toEqual([line]);
    expect(open({ quiet: true }, new FakeTerminal()).lines).toEqual([line]);
    expect(open({}, new FakeTerminal(40), { TERM: 'dumb' }).lines).toEqual([`${line.slice(0, 39)}…`]);
  });

  test('prints JSON wherever it is asked to', () => {
    expect(open({ json: true }, new FakeTerminal()).lines[0]).toMatch(
      /^\{"v":1,"at":"2026-01-05T10:00:00.000Z",/,
    );
  });

  test('falls silent when nobody reads any more, and ends nothing', () => {
    const stdout = pipe();
    stdout.on('error', () => {
      throw new Error('this would have ended the program');
    });
    const { lines, reporter } = open({}, stdout);
    stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    reporter.note('to nobody');
    expect(lines).toHaveLength(1);
  });
});
