import { describe, expect, test } from 'vitest';
import { decide } from '../../../../src/engine/core/loop/decide.ts';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance, replay } from '../../../../src/engine/core/loop/journal.ts';
import type { AgentLine, LoopState } from '../../../../src/engine/core/loop/state.ts';
import { agentWords, beginningOf, lineOf, patienceWith } from '../../../../src/engine/core/loop/subagents.ts';
import type { Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { freshLoop, LIMITS, STARTED, seenStop, T0, verdict } from '../../../support/core/samples.ts';

const begun = (id: string, type = 'chunk-a', more: Record<string, string> = {}): Entry => ({
  kind: 'event',
  event: 'SubagentStart',
  detail: { ...beginningOf({ id, type }, undefined), ...more },
});
const stopped = (
  id: string,
  verdicts: Verdict[],
  more: { refused?: boolean; unjudged?: string } = {},
): Entry => ({
  kind: 'guard',
  event: 'SubagentStop',
  subject: `agent ${id}`,
  verdicts,
  refused: more.refused ?? false,
  agent: { id, type: 'chunk-a', ...(more.unjudged ? { unjudged: more.unjudged } : {}) },
});
const stop = (background: { id: string; type: string }[] = []): Entry => ({
  kind: 'stop',
  seen: seenStop({ background }),
  verdicts: [verdict('fail')],
  decision: { kind: 'block', instruction: 'continue' },
});

/** The state after these entries, a second apart. */
function after(...entries: Entry[]): LoopState {
  return entries.reduce((state, entry, i) => advance(state, entry, T0 + (i + 1) * 1000), freshLoop());
}

const agentsAfter = (...entries: Entry[]): AgentLine[] => after(...entries).agents ?? [];

describe('the subagents of a loop', () => {
  test('one that began works, and where it began is remembered', () => {
    const place = { worktree: '/p/.claude/worktrees/a1', commit: 'c1' };
    expect(agentsAfter(begun('a1'), begun('a2', 'review', place))).toEqual([
      { id: 'a1', type: 'chunk-a', status: 'working', begunAt: T0 + 1000 },
      {
        id: 'a2',
        type: 'review',
        status: 'working',
        begunAt: T0 + 2000,
        worktree: { folder: place.worktree, commit: 'c1' },
      },
    ]);
  });
  test('one that is held and stops again is one line; what it ended with is told', () => {
    const line = { id: 'a1', type: 'chunk-a', begunAt: T0 + 1000 };
    const held = [begun('a1'), stopped('a1', [verdict('fail')], { refused: true })];
    expect(agentsAfter(...held)).toEqual([{ ...line, status: 'working' }]);
    expect(agentsAfter(...held, stopped('a1', [verdict('pass')]))).toEqual([
      { ...line, status: 'passed', endedAt: T0 + 3000, measured: true },
    ]);
    expect(agentsAfter(...held, stopped('a1', [verdict('fail')]))).toEqual([
      { ...line, status: 'failed', endedAt: T0 + 3000, failed: 'tests (fail)' },
    ]);
  });
  test('one that is woken up again works again, from where it began', () => {
    const place = { worktree: '/w', commit: 'c1' };
    const woken = [begun('a1', 'chunk-a', place), stopped('a1', [verdict('fail')]), begun('a1')];
    expect(agentsAfter(...woken)).toEqual([
      {
        id: 'a1',
        type: 'chunk-a',
        begunAt: T0 + 1000,
        status: 'working',
        worktree: { folder: '/w', commit: 'c1' },
      },
    ]);
  });
  test('without gates one passes, but by nothing that was measured; not judged is not passed', () => {
    expect(agentsAfter(stopped('a1', []))).toMatchObject([{ status: 'passed' }]);
    expect(agentsAfter(stopped('a1', []))[0]?.measured).toBeUndefined();
    expect(agentsAfter(stopped('a1', [], { unjudged: 'nobody approved it' }))).toMatchObject([
      { status: 'failed', failed: 'not judged: nobody approved it' },
    ]);
  });
  test('a Stop without background work loses those that work', () => {
    expect(agentsAfter(begun('a1'), stop([{ id: 'a1', type: 'subagent' }]))).toMatchObject([
      { status: 'working' },
    ]);
    expect(agentsAfter(begun('a1'), stop([{ id: 'sh1', type: 'shell' }]))).toMatchObject([
      { status: 'lost', endedAt: T0 + 2000 },
    ]);
    // Claude Code does not list a subagent that another one waits for.
    expect(agentsAfter(begun('a1'), begun('inner'), stop([{ id: 'a1', type: 'subagent' }]))).toMatchObject([
      { status: 'working' },
      { id: 'inner', status: 'working' },
    ]);
    expect(agentsAfter(begun('a1'), stop(), stopped('a1', [verdict('pass')]))).toMatchObject([
      { status: 'passed' },
    ]);
  });
  test("the client's own compaction is nobody", () => {
    expect(
      agentsAfter(begun('a1', ''), { ...stopped('a1', []), agent: { id: 'a1', type: '' } } as Entry),
    ).toEqual([]);
    expect(agentsAfter({ kind: 'event', event: 'SubagentStart', detail: { agent: 'x y' } })).toEqual([]);
  });
  test("one that ends while the loop is paused is not one of the loop's", () => {
    const pause: Entry = { kind: 'command', command: 'pause' };
    const left: Entry = {
      kind: 'event',
      event: 'SubagentStop',
      detail: agentWords({ id: 'a1', type: 'chunk-a' }),
    };
    expect(agentsAfter(begun('a1'), begun('a2'), pause, left)).toMatchObject([{ id: 'a2' }]);
    expect(agentsAfter(pause, begun('a1'))).toMatchObject([{ id: 'a1' }]);
  });
  test('so many are remembered: the oldest that ended goes first', () => {
    const many = Array.from({ length: 120 }, (_, i) => begun(`a${i}`));
    const lines = agentsAfter(begun('first'), stopped('x1', []), ...many);
    expect(lines).toHaveLength(100);
    expect(lines.some(({ id }) => id === 'x1')).toBe(false);
    expect(lines.at(-1)?.id).toBe('a119');
  });
  test('what comes from outside is cut to size', () => {
    const long = 'x'.repeat(100_000);
    const detail = beginningOf({ id: long, type: `${long}\n` }, { folder: `/${long}`, commit: 'c' });
    expect(JSON.stringify(detail).length).toBeLessThan(300);
    const state = after({ kind: 'event', event: 'SubagentStart', detail });
    expect(lineOf(state, long)?.status).toBe('working');
    const failing = stopped('a1', [verdict('fail', { summary: long })]);
    expect(JSON.stringify(agentsAfter(failing)).length).toBeLessThan(500);
  });
  test('the lines of a journal alone give the same state', () => {
    const entries = [STARTED, begun('a1'), begun('a2'), stopped('a1', [verdict('fail')]), stop()];
    const timed = entries.map((entry, i) => ({ entry, at: T0 + i * 1000 }));
    expect(replay(timed)?.agents).toMatchObject([{ status: 'failed' }, { status: 'lost' }]);
  });
});

describe('a session that waits for its agents', () => {
  const background = [{ id: 'a1', type: 'subagent' }];
  const waited = (minutes: number, agent: boolean) => {
    const state = freshLoop({
      background: { a1: T0 },
      ...(agent ? { agents: [{ id: 'a1', type: 'chunk-a', status: 'working', begunAt: T0 }] } : {}),
    });
    return decide(state, seenStop({ background }), [verdict('fail')], LIMITS, T0 + minutes * 60_000).kind;
  };
  test('waits longer for one that was seen to begin than for a server', () => {
    expect([waited(9, false), waited(11, false)]).toEqual(['allow', 'block']);
    expect([waited(100, true), waited(121, true)]).toEqual(['allow', 'block']);
    expect(patienceWith('other', freshLoop(), 5)).toBe(5);
  });
});
