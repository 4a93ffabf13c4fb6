import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stripAnsi } from '../../../../src/engine/core/text/ansi.ts';
import { liveReporter } from '../../../../src/engine/run/view/view.ts';
import { FakeTerminal } from '../../../support/run/fake-terminal.ts';
import {
  BASELINE,
  doneState,
  happens,
  held,
  LIMITS,
  LOOP,
  runState,
  STORY,
  T0,
} from '../../../support/run/run-story.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: T0 });
});

afterEach(() => {
  vi.useRealTimers();
});

function open(terminal = new FakeTerminal(90, 30)) {
  let lost = false;
  const reporter = liveReporter({
    stdout: terminal as unknown as NodeJS.WriteStream,
    now: Date.now,
    colour: true,
    project: '/project',
    lost: () => lost,
  });
  const begin = () =>
    reporter.begun(LOOP, 'Build the todo API', BASELINE, { limits: LIMITS, resumed: false });
  return { terminal, reporter, begin, lose: () => (lost = true) };
}

const session = STORY[0] ?? { type: 'judging' };
const said = (text: string) => happens({ kind: 'said', text });

describe('the live view', () => {
  test('is drawn in place, with what matters left above it', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    for (const event of STORY.slice(0, 10)) {
      reporter.event(event);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(terminal.text()).toMatchInlineSnapshot(`
      "10:00:00 run 20260105-100000-abc123 begins: Build the todo API
      10:00:00 session 1 begins: 6f1c2d3e-0000-4000-8000-000000000001 (the first one), iterati…
      10:00:01   Claude Code is ready, model claude-opus-4-6
      10:00:02   > I look at the tests first.
      10:00:03   * $ npm test
      10:00:04   ! Bash failed
      10:00:05   * $ git push
      10:00:06   ! denied: git push (to allow it: --allow "Bash(git push:*)")
      10:00:09   * Edit src/a.ts

      run 20260105-100000-abc123  iteration 1 of 50, session 1 (6f1c2d3e)
      task      Build the todo API
      next      F02 list
      gates     ✗ fail      tests     exit code 1: 3 of 12 tests fail
                            test/todo.test.ts:42 deletes a todo
                ✗ fail      features  1 of 25 pass; next: F02 list
                ✓ pass      lint      exit code 0
                ? unproven  checks    no answer within 10 min
                - skip      plan      (claimed) there is no PLAN.md
      context   [############........] 62 % of 200k (claude-opus-4-6), hands over at 80 %
      spent     0.00 of 20.00 USD, 0 of 20M tokens, 0:09 of 8 h 00 min
      now       0:00  Edit src/a.ts"
    `);
    reporter.close();
  });

  test('leaves the result in words, and nothing of itself', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    reporter.event(session);
    await vi.advanceTimersByTimeAsync(2_000);
    reporter.event({ type: 'ended', state: doneState() });
    expect(terminal.text()).toMatchInlineSnapshot(`
      "10:00:00 run 20260105-100000-abc123 begins: Build the todo API
      10:00:00 session 1 begins: 6f1c2d3e-0000-4000-8000-000000000001 (the first one), iterati…
      verified_done: done, and verified: every gate passed (4 gates)
        pass (measured) tests: as it is to be
        pass (measured) features: as it is to be
        pass (measured) lint: as it is to be
        pass (measured) checks: as it is to be
        iteration 3 of 50, 2 sessions, 42 min, 1.23 of 20.00 USD, 1.2M of 20M tokens
        journal: untildone log 20260105-100000-abc123
        receipt: untildone receipt 20260105-100000-abc123"
    `);
    expect(vi.getTimerCount()).toBe(0);
    reporter.close();
    const { length } = terminal.writes;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(terminal.writes).toHaveLength(length);
  });

  test('leaves what was done, what was found and what it cost in the scroll-back', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    for (const event of STORY) {
      reporter.event(event);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    reporter.close();
    for (const line of [
      '> I look at the tests first.',
      '* $ npm test',
      '* Edit src/a.ts',
      'stop held, iteration 2 of 50 begins: 1 of 5 gates pass',
      'fail      tests: exit code 1: 3 of 12 tests fail',
      'verified_done: done, and verified',
      '1.23 of 20.00 USD',
      `journal: untildone log ${LOOP}`,
      `receipt: untildone receipt ${LOOP}`,
    ])
      expect(terminal.text()).toContain(line);
  });

  test('draws at most ten times a second, whatever happens, and loses no line', async () => {
    const { terminal, reporter, begin } = open(new FakeTerminal(90, 30));
    begin();
    reporter.event(session);
    for (let i = 0; i < 1_000; i += 1) {
      reporter.event(said(`word ${i}`));
      reporter.event({ type: 'warning', text: `warning ${i}` });
      await vi.advanceTimersByTimeAsync(2);
    }
    expect(terminal.writes.length).toBeGreaterThan(15);
    expect(terminal.writes.length).toBeLessThanOrEqual(21);
    reporter.close();
    expect(terminal.text().match(/WARNING: warning \d+/g)).toHaveLength(1_000);
  });

  test('counts the seconds while nothing happens', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    reporter.event({ type: 'waiting', until: T0 + 60_000, why: 'usage limit' });
    await vi.advanceTimersByTimeAsync(100);
    expect(terminal.text()).toContain('1:00 left, until 10:01: usage limit');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(terminal.text()).toContain('0:40 left, until 10:01: usage limit');
    expect(terminal.text()).not.toContain('1:00 left');
    reporter.close();
  });

  test('goes on when the clock is set back', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    reporter.event(session);
    await vi.advanceTimersByTimeAsync(500);
    vi.setSystemTime(T0 - 3_600_000);
    reporter.event(said('after the clock was set'));
    await vi.advanceTimersByTimeAsync(1_100);
    expect(terminal.text()).toContain('after the clock was set');
    reporter.close();
  });

  test('fits a terminal that becomes narrower, shorter, or wide again', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    reporter.event(session);
    reporter.event(held());
    await vi.advanceTimersByTimeAsync(1_000);
    for (const [columns, rows] of [
      [50, 30],
      [50, 8],
      [120, 40],
    ] as const) {
      terminal.resize(columns, rows);
      await vi.advanceTimersByTimeAsync(200);
      const frame = terminal.writes.at(-1) ?? '';
      const lines = stripAnsi(frame).trim().split('\n');
      expect(lines.length).toBeLessThan(rows);
      for (const line of lines) expect(line.length).toBeLessThan(columns);
    }
    expect(terminal.text().match(/^context|^spent/gm) ?? []).toHaveLength(1);
    reporter.close();
    expect(terminal.text().match(/^spent/gm)).toBeNull();
  });

  test('a narrower terminal keeps what stands above the view', async () => {
    const { terminal, reporter, begin } = open();
    reporter.note('a line from before');
    begin();
    reporter.event(session);
    await vi.advanceTimersByTimeAsync(1_000);
    terminal.resize(40);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(terminal.text().split('\n').slice(0, 2)).toEqual([
      'a line from before',
      expect.stringMatching(/^10:00:00 run/),
    ]);
    expect(terminal.text().match(/^gates/gm)).toHaveLength(1);
    reporter.close();
  });

  test('begins anew below what a shell wrote while it was stopped', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    reporter.event(session);
    await vi.advanceTimersByTimeAsync(1_000);
    terminal.write('$ fg\n');
    process.emit('SIGCONT');
    await vi.advanceTimersByTimeAsync(1_000);
    const lines = terminal.text().split('\n');
    expect(lines.filter((line) => line.startsWith('gates'))).toHaveLength(2);
    expect(lines.indexOf('$ fg')).toBeLessThan(lines.findLastIndex((line) => line.startsWith('gates')));
    reporter.close();
  });

  test('leaves every write complete: the terminal breaks lines again, and no colour stays on', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    for (const event of STORY.slice(0, 12)) {
      reporter.event(event);
      await vi.advanceTimersByTimeAsync(150);
      expect(terminal.wraps).toBe(true);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
      const colours = terminal.writes.at(-1)?.match(/\x1b\[\d+m/g) ?? [];
      expect(colours.at(-1) ?? '\x1b[0m').toBe('\x1b[0m');
    }
    reporter.close();
  });
});

describe('when it is over', () => {
  test('a pause says how to go on, and notes after it are plain lines', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    await vi.advanceTimersByTimeAsync(1_000);
    reporter.note('Finishing this step.');
    reporter.event({ type: 'paused', why: 'interrupted by you' });
    reporter.note('bye');
    expect(terminal.text().split('\n').slice(1)).toEqual([
      '10:00:01 Finishing this step.',
      'paused: interrupted by you',
      `  go on with: untildone run --resume ${LOOP}`,
      'bye',
    ]);
  });

  test('a runner that breaks leaves no half view', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    await vi.advanceTimersByTimeAsync(1_000);
    reporter.close();
    reporter.close();
    expect(terminal.text().split('\n').slice(1)).toEqual([
      'not finished: this process ended before the run did',
      `  go on with: untildone run --resume ${LOOP}`,
    ]);
    expect(vi.getTimerCount()).toBe(0);
    expect(terminal.listenerCount('resize')).toBe(0);
  });

  test('a view that never began leaves nothing', () => {
    const { terminal, reporter } = open();
    reporter.close();
    expect(terminal.writes).toEqual([]);
  });

  test('a run that has ended before is told at once', () => {
    const { terminal, reporter } = open();
    reporter.event({ type: 'ended', state: doneState() });
    expect(terminal.text()).toMatch(/^verified_done: done, and verified/);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('when the terminal is gone', () => {
  test('nothing is written any more, and nothing breaks', async () => {
    const { terminal, reporter, begin, lose } = open();
    begin();
    await vi.advanceTimersByTimeAsync(1_000);
    const { length } = terminal.writes;
    lose();
    reporter.event({ type: 'session', session: 's', resume: true, why: 'again', state: runState() });
    await vi.advanceTimersByTimeAsync(5_000);
    reporter.event({ type: 'ended', state: doneState() });
    reporter.note('x');
    reporter.close();
    expect(terminal.writes).toHaveLength(length);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('frames are left out for one that does not keep up, lines that stay are not', async () => {
    const { terminal, reporter, begin } = open();
    begin();
    await vi.advanceTimersByTimeAsync(1_000);
    terminal.writableNeedDrain = true;
    const { length } = terminal.writes;
    reporter.event(happens({ kind: 'usage', contextTokens: 5, model: 'opus' }));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(terminal.writes).toHaveLength(length);
    reporter.event({ type: 'warning', text: 'money' });
    await vi.advanceTimersByTimeAsync(200);
    expect(terminal.text()).toContain('WARNING: money');
    reporter.close();
  });
});
