import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../src/engine/run/reporter.ts';
import { screenLines } from '../../../../src/engine/run/view/screen.ts';
import {
  emptyViewModel,
  type RunViewModel,
  withBeginning,
  withEvent,
} from '../../../../src/engine/run/view/view-model.ts';
import { rendered } from '../../../../src/engine/terminal/style.ts';
import { columnsOf } from '../../../../src/engine/terminal/text.ts';
import {
  BASELINE,
  happens,
  held,
  LIMITS,
  LOOP,
  runState,
  STORY,
  T0,
} from '../../../support/run/run-story.ts';

const ROOM = { columns: 90, rows: 40 };

function view(events: readonly RunEvent[], more: { task?: string } = {}): RunViewModel {
  const begun = withBeginning(emptyViewModel('/project', T0), {
    loop: LOOP,
    task: more.task ?? 'Build the todo API',
    baseline: BASELINE,
    limits: LIMITS,
  });
  return events.reduce((seen, event, second) => withEvent(seen, event, T0 + second * 1000), begun);
}

function draw(events: readonly RunEvent[], seconds: number, size = ROOM): string[] {
  return screenLines(view(events), size, T0 + seconds * 1000, false);
}

const doing = (events: readonly RunEvent[], seconds: number) =>
  draw(events, seconds).find((line) => /^(now|waiting)/.test(line));

const session: RunEvent = { type: 'session', session: 's', resume: false, why: 'first', state: runState() };
const call = (tool: string, input: Record<string, unknown>) => happens({ kind: 'called', tool, input });

describe('the screen of a run', () => {
  test('shows where it is, what is proven, what is used up and what is being done', () => {
    expect(draw(STORY.slice(0, 8), 70)).toMatchInlineSnapshot(`
      [
        "",
        "run 20260105-100000-abc123  iteration 1 of 50, session 1 (6f1c2d3e)",
        "task      Build the todo API",
        "next      F02 list",
        "gates     ✗ fail      tests     exit code 1: 3 of 12 tests fail",
        "                      test/todo.test.ts:42 deletes a todo",
        "          ✗ fail      features  1 of 25 pass; next: F02 list",
        "          ✓ pass      lint      exit code 0",
        "          ? unproven  checks    no answer within 10 min",
        "          - skip      plan      (claimed) there is no PLAN.md",
        "spent     0.00 of 20.00 USD, 0 of 20M tokens, 1:10 of 8 h 00 min",
        "now       1:03  thinking",
      ]
    `);
  });

  test('before the first session there is the baseline', () => {
    expect(draw([], 3)).toMatchInlineSnapshot(`
      [
        "",
        "run 20260105-100000-abc123  getting ready",
        "task      Build the todo API",
        "next      F02 list",
        "gates     ✗ fail      tests     exit code 1: 3 of 12 tests fail",
        "                      test/todo.test.ts:42 deletes a todo",
        "          ✗ fail      features  1 of 25 pass; next: F02 list",
        "          ✓ pass      lint      exit code 0",
        "          ? unproven  checks    no answer within 10 min",
        "          - skip      plan      (claimed) there is no PLAN.md",
        "now       0:03  beginning",
      ]
    `);
  });

  test('a run that goes on shows what the journal says until something is judged', () => {
    const seen = withEvent(emptyViewModel('/project', T0), session, T0);
    const lines = screenLines(seen, ROOM, T0, false);
    expect(lines.filter((line) => /✗|✓|\?/.test(line))).toHaveLength(4);
    expect(lines.join('\n')).not.toContain('hands over');
  });

  test('a wait shows why, until when, and counts down', () => {
    const waits: RunEvent[] = [{ type: 'waiting', until: T0 + 3_725_000, why: 'usage limit' }];
    expect(doing(waits, 0)).toBe('waiting   1:02:05 left, until 11:02: usage limit');
    expect(doing(waits, 3_700)).toBe('waiting   0:25 left, until 11:02: usage limit');
    expect(doing(waits, 3_725)).toBe('waiting   any moment, until 11:02: usage limit');
    const days: RunEvent[] = [{ type: 'waiting', until: T0 + 3 * 86_400_000, why: 'weekly limit' }];
    expect(doing(days, 0)).toBe('waiting   72:00:00 left, until 8 Jan 10:00: weekly limit');
  });

  test('a wait is over as soon as something happens', () => {
    const retry = happens({ kind: 'retry', attempt: 3, delayMs: 9_000, why: 'overloaded' });
    expect(doing([session, retry], 4)).toBe(
      'waiting   0:06 left, until 10:00: the API call failed (overloaded), attempt 3',
    );
    expect(doing([session, retry, happens({ kind: 'said', text: 'on' })], 4)).toBe(
      'now       0:02  thinking',
    );
    expect(doing([{ type: 'waiting', until: T0 + 9_000, why: 'x' }, session], 4)).toBe(
      'now       0:03  starting Claude Code',
    );
  });

  test('the newest call that has not returned is what is being done, and thinking after it', () => {
    const calls = [
      session,
      call('Bash', { command: 'npm test' }),
      call('Read', { file_path: '/project/a.ts' }),
    ];
    expect(doing(calls, 5)).toBe('now       0:03  Read a.ts (and 1 more)');
    const one = [...calls, happens({ kind: 'returned', tool: 'Read', failed: false })];
    expect(doing(one, 5)).toBe('now       0:04  $ npm test');
    const none = [...one, happens({ kind: 'returned', tool: 'Bash', failed: false })];
    expect(doing(none, 5)).toBe('now       0:01  thinking');
  });

  test('judging is said to be judging', () => {
    expect(doing([session, { type: 'judging' }], 61)).toBe('now       1:00  judging the work');
  });

  test('the gauge follows the window of the model, and a fresh session begins without one', () => {
    const usage = (contextTokens: number, model: string) => happens({ kind: 'usage', contextTokens, model });
    const gauge = (...events: RunEvent[]) => draw(events, 1).find((line) => line.startsWith('context'));
    expect(gauge(session, usage(100_000, 'claude-opus-4-6'))).toBe(
      'context   [##########..........] 50 % of 200k (claude-opus-4-6), hands over at 80 %',
    );
    expect(gauge(session, usage(100_000, 'claude-opus-4-6[1m]'))).toMatch(/\[##\.+\] 10 % of 1M/);
    expect(gauge(session, usage(900_000, 'claude-opus-4-6'))).toMatch(/\[#{20}\] 100 % of 200k/);
    expect(gauge(session, usage(100_000, 'x'), session)).toBeUndefined();
    expect(gauge(session, usage(100_000, 'x'), happens({ kind: 'compacted' }))).toBeUndefined();
  });

  test('what comes next is named by the summary of a gate, else by its instruction, and only while it is open', () => {
    const next = (lines: string[]) => lines.find((line) => line.startsWith('next'));
    expect(next(draw([held()], 1))).toBe('next      F02 list');
    const verdicts = [
      { ...BASELINE[0], summary: 'fails', next: 'commit the work\nthen push' },
    ] as typeof BASELINE;
    const state = runState({
      gates: [{ name: 'tests', class: 'measured', verdict: 'fail', summary: 'fails', since: 1 }],
    });
    expect(next(draw([{ type: 'stop', answer: 'refuse', state, verdicts }], 1))).toBe(
      'next      commit the work',
    );
    const passing = runState({
      gates: [
        { name: 'features', class: 'measured', verdict: 'pass', summary: '2 of 2; next: none', since: 1 },
      ],
    });
    expect(next(draw([{ type: 'stop', answer: 'tell', state: passing }], 1))).toBeUndefined();
  });
});

describe('with less room', () => {
  test('the last lines go first, then evidence and what does not fail, then the task', () => {
    const story = STORY.slice(0, 10);
    const heights = [16, 14, 12, 9, 8].map((rows) => draw(story, 20, { columns: 70, rows }));
    expect(heights.map((lines) => lines.join('\n')).join('\n\n')).toMatchInlineSnapshot(`
      "
      run 20260105-100000-abc123  iteration 1 of 50, session 1 (6f1c2d3e)
      task      Build the todo API
      next      F02 list
      gates     ✗ fail      tests     exit code 1: 3 of 12 tests fail
                            test/todo.test.ts:42 deletes a todo
                ✗ fail      features  1 of 25 pass; next: F02 list
                ✓ pass      lint      exit code 0
                ? unproven  checks    no answer within 10 min
                - skip      plan      (claimed) there is no PLAN.md
      context   [############........] 62 % of 200k (claude-opus-4-6), hand…
      spent     0.00 of 20.00 USD, 0 of 20M tokens, 0:20 of 8 h 00 min
      now       0:11  Edit src/a.ts


      run 20260105-100000-abc123  iteration 1 of 50, session 1 (6f1c2d3e)
      task      Build the todo API
      next      F02 list
      gates     ✗ fail      tests     exit code 1: 3 of 12 tests fail
                            test/todo.test.ts:42 deletes a todo
                ✗ fail      features  1 of 25 pass; next: F02 list
                ✓ pass      lint      exit code 0
                ? unproven  checks    no answer within 10 min
                - skip      plan      (claimed) there is no PLAN.md
      context   [############........] 62 % of 200k (claude-opus-4-6), hand…
      spent     0.00 of 20.00 USD, 0 of 20M tokens, 0:20 of 8 h 00 min
      now       0:11  Edit src/a.ts

      run 20260105-100000-abc123  iteration 1 of 50, session 1 (6f1c2d3e)
      task      Build the todo API
      next      F02 list
      gates     ✗ fail      tests     exit code 1: 3 of 12 tests fail
                            test/todo.test.ts:42 deletes a todo
                ✗ fail      features  1 of 25 pass; next: F02 list
                ✓ pass      lint      exit code 0
                ? unproven  checks    no answer within 10 min
                - skip      plan      (claimed) there is no PLAN.md
      context   [############........] 62 % of 200k (claude-opus-4-6), hand…
      spent     0.00 of 20.00 USD, 0 of 20M tokens, 0:20 of 8 h 00 min
      now       0:11  Edit src/a.ts

      run 20260105-100000-abc123  iteration 1 of 50, session 1 (6f1c2d3e)
      next      F02 list
      gates     ✗ fail      tests     exit code 1: 3 of 12 tests fail
                ✗ fail      features  1 of 25 pass; next: F02 list
                ? unproven  checks    no answer within 10 min
                2 more do not fail
      context   [############........] 62 % of 200k (claude-opus-4-6), hand…
      spent     0.00 of 20.00 USD, 0 of 20M tokens, 0:20 of 8 h 00 min
      now       0:11  Edit src/a.ts

      run 20260105-100000-abc123  iteration 1 of 50, session 1 (6f1c2d3e)
      now       0:11  Edit src/a.ts
      gates     ✗ fail      tests     exit code 1: 3 of 12 tests fail
                ✗ fail      features  1 of 25 pass; next: F02 list
                ? unproven  checks    no answer within 10 min
                2 more do not fail"
    `);
  });

  test('a line is cut at the border, and what was cut says so', () => {
    const lines = draw(STORY.slice(0, 10), 20, { columns: 30, rows: 40 });
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(30);
    expect(lines[4]).toBe('gates     ✗ fail      tests  …');
  });

  test('hardly any room is used for where it is and what is being done', () => {
    expect(draw(STORY.slice(0, 4), 20, { columns: 40, rows: 2 })).toEqual([
      'run 20260105-100000-abc123  iteration 1…',
      'now       0:17  $ npm test',
    ]);
    expect(draw(STORY.slice(0, 4), 20, { columns: 40, rows: 4 })).toEqual([
      'run 20260105-100000-abc123  iteration 1…',
      'now       0:17  $ npm test',
      'gates     ✗ fail      tests     exit co…',
      '          3 more',
    ]);
    expect(draw(STORY, 20, { columns: 40, rows: 0 })).toEqual([]);
  });
});

describe('colour', () => {
  test('is an addition: without it nothing is lost', () => {
    const seen = view(STORY.slice(0, 10));
    const coloured = screenLines(seen, ROOM, T0, true).map(rendered).join('\n');
    expect(coloured).toContain('\x1b[31m✗ fail');
    expect(coloured).toContain('\x1b[32m✓ pass');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: taking the colours away is the point
    expect(coloured.replace(/\x1b\[\d+m/g, '').replace(/ +$/gm, '')).toBe(
      screenLines(seen, ROOM, T0, false).join('\n'),
    );
  });

  test('warns from the hand-over on', () => {
    const usage = (contextTokens: number) =>
      happens({ kind: 'usage', contextTokens, model: 'claude-opus-4-6' });
    const gauge = (tokens: number) =>
      screenLines(view([session, usage(tokens)]), ROOM, T0, true)
        .map(rendered)
        .find((line) => line.includes('#'));
    expect(gauge(159_000)).not.toContain('\x1b[33m');
    expect(gauge(160_000)).toContain('\x1b[33m');
  });
});

describe('whatever others write', () => {
  const wild = fc
    .array(
      fc.constantFrom(
        '\x1b[2J',
        '\x1b]0;t\x07',
        '\r',
        '\n',
        '\x9b1m',
        '\u202e',
        '漢',
        '😀',
        'é',
        'a b',
        '\x00',
      ),
    )
    .map((parts) => parts.join(''));

  test('no line is wider than the terminal, none steers it, and there are never too many', () => {
    fc.assert(
      fc.property(
        wild,
        wild,
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 0, max: 30 }),
        (one, two, columns, rows) => {
          const gates = BASELINE.map((v) => ({
            ...v,
            gate: one + v.gate,
            summary: two,
            evidence: [one + two],
          }));
          const begun = withBeginning(emptyViewModel('/project', T0), {
            loop: LOOP,
            task: one,
            baseline: gates,
          });
          const events = [
            session,
            happens({ kind: 'said', text: two }),
            call(one, { [two]: one }),
            call('Bash', { command: two }),
          ];
          const seen = events.reduce((all, event) => withEvent(all, event, T0), begun);
          const lines = screenLines(seen, { columns, rows }, T0, false);
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) {
            expect(columnsOf(line)).toBeLessThanOrEqual(columns);
            expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
          }
        },
      ),
    );
  });

  test('secrets are not shown', () => {
    const lines = draw(
      [session, call('Bash', { command: 'curl -H "Authorization: Bearer abc123def456ghi789"' })],
      1,
    );
    expect(lines.join('\n')).toContain('Bearer [redacted]');
    expect(lines.join('\n')).not.toContain('abc123def456');
  });
});
