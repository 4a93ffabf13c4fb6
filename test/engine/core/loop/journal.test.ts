import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance, replay } from '../../../../src/engine/core/loop/journal.ts';
import { hasEnded, type LoopState } from '../../../../src/engine/core/loop/state.ts';
import { anyJournal } from '../../../support/core/any-entry.ts';
import { freshLoop, STARTED, seenStop, T0, verdict } from '../../../support/core/samples.ts';

const event = (name: string, detail?: Record<string, string>): Entry => ({
  kind: 'event',
  event: name,
  ...(detail ? { detail } : {}),
});
const block: Entry = {
  kind: 'stop',
  seen: seenStop(),
  verdicts: [verdict('fail')],
  decision: { kind: 'block', instruction: 'continue' },
};

function stateAfter(entries: Entry[], everyMs = 1000): LoopState {
  return entries.reduce((state, entry, i) => advance(state, entry, T0 + (i + 1) * everyMs), freshLoop());
}

describe('the state is what the entries make of it', () => {
  test('replay gives the same as advancing step by step', () => {
    fc.assert(
      fc.property(anyJournal(), (entries) => {
        let state: LoopState | undefined;
        for (const { entry, at } of entries) state = advance(state, entry, at);
        expect(replay(entries)).toEqual(state);
      }),
    );
  });
  test('and the same when every state went through JSON, as it does on disk', () => {
    fc.assert(
      fc.property(anyJournal(), (entries) => {
        let state: LoopState | undefined;
        for (const { entry, at } of entries) {
          const read = JSON.parse(JSON.stringify({ entry })) as { entry: Entry };
          state = JSON.parse(JSON.stringify(advance(state, read.entry, at))) as LoopState;
        }
        expect(state).toEqual(JSON.parse(JSON.stringify(replay(entries))));
      }),
    );
  });
  test('an iteration is one more than the blocks, whatever else came between', () => {
    fc.assert(
      fc.property(anyJournal(), (entries) => {
        let state: LoopState | undefined;
        let blocks = 0;
        for (const { entry, at } of entries) {
          const held = state !== undefined && !hasEnded(state);
          if (held && entry.kind === 'stop' && entry.decision.kind === 'block') blocks++;
          // A foreign state file may set another iteration.
          if (held && entry.kind === 'synced' && entry.iteration !== undefined) blocks = entry.iteration - 1;
          state = advance(state, entry, at);
        }
        expect(state?.iteration).toBe(1 + blocks);
      }),
    );
  });
  test('time that was waited is never negative, and never more than has passed', () => {
    fc.assert(
      fc.property(anyJournal(), (entries) => {
        const state = replay(entries);
        const latest = Math.max(...entries.map((e) => e.at));
        expect(state?.waitedMs).toBeGreaterThanOrEqual(0);
        const forwards = entries.every((e, i) => i === 0 || e.at >= (entries[i - 1]?.at ?? 0));
        if (forwards) expect(state?.waitedMs).toBeLessThanOrEqual(latest - T0);
      }),
    );
  });
});

describe('an ending', () => {
  test('is final: whatever comes later changes only the time of the last line', () => {
    fc.assert(
      fc.property(anyJournal(), (entries) => {
        const ended = advance(freshLoop(), { kind: 'command', command: 'cancel' }, T0 + 1);
        const state = entries.slice(1).reduce((s, { entry, at }) => advance(s, entry, at), ended);
        const { status, iteration, ending, waitedMs } = state;
        expect({ status, iteration, ending, waitedMs }).toEqual({
          status: 'cancelled',
          iteration: 1,
          ending: { cause: 'person', detail: 'by a person', at: T0 + 1 },
          waitedMs: 0,
        });
      }),
    );
  });
  test('closes a wait that was open', () => {
    const state = stateAfter([
      event('SessionEnd', { reason: 'other' }),
      { kind: 'command', command: 'release' },
    ]);
    expect(state).toMatchObject({ status: 'released', waitedMs: 1000 });
    expect(state.waiting).toBeUndefined();
  });
});

describe('events', () => {
  test('a session that ended and came back was not working in between', () => {
    const state = stateAfter([
      event('SessionEnd', { reason: 'other' }),
      event('SessionStart', { source: 'resume' }),
    ]);
    expect(state.waitedMs).toBe(1000);
    expect(state.waiting).toBeUndefined();
  });
  test('a client that was killed said nothing: the silence before its return was no working time', () => {
    expect(stateAfter([block, event('SessionStart', { source: 'resume' })], 60_000).waitedMs).toBe(60_000);
  });
  test('compaction is working time', () => {
    expect(stateAfter([block, event('SessionStart', { source: 'compact' })], 60_000).waitedMs).toBe(0);
  });
  test('an API error and the end of the session after it are one wait', () => {
    const waits = [event('StopFailure', { error: 'server_error' }), event('SessionEnd', { reason: 'other' })];
    const state = stateAfter([...waits, event('UserPromptSubmit')]);
    expect(state.waitedMs).toBe(2000);
    expect(stateAfter(waits).waiting).toEqual({ why: 'session_ended', since: T0 + 1000, detail: 'other' });
  });
  test('a tool call is remembered until the next block', () => {
    expect(stateAfter([event('PreToolUse', { tool: 'Bash' })]).toolSeen).toBe(true);
    expect(stateAfter([event('PreToolUse', { tool: 'Bash' }), block]).toolSeen).toBe(false);
  });
  test('unknown events and errors change nothing but the time', () => {
    const state = stateAfter([event('Something'), { kind: 'error', message: 'x' }]);
    expect(state).toEqual({ ...freshLoop(), lastAt: T0 + 2000 });
  });
});

describe('commands of a person', () => {
  test('a pause is no working time, and a second pause changes nothing', () => {
    const pause: Entry = { kind: 'command', command: 'pause', note: 'lunch' };
    const state = stateAfter([pause, pause, event('SessionStart'), { kind: 'command', command: 'resume' }]);
    expect(state).toMatchObject({ status: 'active', waitedMs: 3000 });
  });
  test('resume of what is not paused changes nothing', () => {
    expect(stateAfter([{ kind: 'command', command: 'resume' }])).toEqual({
      ...freshLoop(),
      lastAt: T0 + 1000,
    });
  });
});

test('background work named like something every object has is counted like any other', () => {
  for (const id of ['constructor', '__proto__', 'toString']) {
    const seen = seenStop({ background: [{ id, type: 'shell' }] });
    const stop: Entry = {
      kind: 'stop',
      seen,
      verdicts: [],
      decision: { kind: 'allow', cause: 'background' },
    };
    expect(Object.entries(stateAfter([stop, stop]).background)).toEqual([[id, T0 + 1000]]);
  }
});

test('a journal begins with "started"', () => {
  expect(() => advance(undefined, block, T0)).toThrow('begins with "started", not with "stop"');
  expect(replay([])).toBeUndefined();
  expect(replay([{ entry: STARTED, at: T0 }])).toEqual(freshLoop());
});

describe('phases and answers', () => {
  const stop = (
    phase: { name: string; passed: string[] },
    decision = block.kind === 'stop' ? block.decision : undefined,
  ): Entry => {
    if (!decision) throw new Error('a stop has a decision');
    return { kind: 'stop', seen: seenStop({ phase }), verdicts: [verdict('fail')], decision };
  };
  const asked: Entry = {
    kind: 'stop',
    seen: seenStop(),
    verdicts: [verdict('fail', { asks: 'Good?' })],
    decision: { kind: 'allow', cause: 'approval', wait: 'approval', detail: 'plan: Good?' },
  };
  const answered = (said: 'approved' | 'rejected', note?: string): Entry => ({
    kind: 'answered',
    gate: 'plan',
    said,
    ...(note ? { note } : {}),
  });

  test('a phase is counted from the Stop at which it begins; the first from the start', () => {
    const inFirst = stateAfter([stop({ name: 'plan', passed: [] }), stop({ name: 'plan', passed: [] })]);
    expect(inFirst).toMatchObject({ iteration: 3, phase: { name: 'plan', iteration: 3, since: 0 } });
    const second = advance(inFirst, stop({ name: 'build', passed: ['plan'] }), T0 + 9000);
    expect(second).toMatchObject({ iteration: 4, phase: { name: 'build', iteration: 1, since: 9000 } });
    const further = advance(second, stop({ name: 'build', passed: [] }), T0 + 12_000);
    expect(further.phase).toEqual({ name: 'build', iteration: 2, since: 9000 });
  });
  test('a first phase that was left at the first Stop: the next begins there', () => {
    const state = stateAfter([stop({ name: 'build', passed: ['plan'] })]);
    expect(state.phase).toEqual({ name: 'build', iteration: 1, since: 1000 });
  });
  test('asking for a hand-over note is no iteration of the phase either', () => {
    const note = stop({ name: 'plan', passed: [] }, { kind: 'block', instruction: 'hand_over' });
    expect(stateAfter([note])).toMatchObject({ iteration: 1, phase: { iteration: 1 } });
  });
  test('a Stop at which nothing could be judged leaves the phase as it is', () => {
    const untrusted: Entry = {
      kind: 'stop',
      seen: seenStop({ needsPerson: 'trust' }),
      verdicts: [],
      decision: { kind: 'allow', cause: 'needs_person', wait: 'needs_person', detail: 'trust' },
    };
    expect(stateAfter([stop({ name: 'plan', passed: [] }), untrusted]).phase?.name).toBe('plan');
  });
  test('an answer ends the wait, which was no working time', () => {
    const state = stateAfter([asked, answered('approved')], 60_000);
    expect(state.waiting).toBeUndefined();
    expect(state).toMatchObject({
      waitedMs: 60_000,
      answers: { plan: { said: 'approved', at: T0 + 120_000 } },
    });
  });
  test('an answer to a paused loop is kept, and the pause too', () => {
    const state = stateAfter([asked, { kind: 'command', command: 'pause' }, answered('rejected', 'no')]);
    expect(state).toMatchObject({
      status: 'paused',
      waiting: { why: 'paused' },
      answers: { plan: { said: 'rejected', note: 'no' } },
    });
  });
  test('an answer to a loop that has ended changes nothing', () => {
    const state = stateAfter([{ kind: 'command', command: 'cancel' }, answered('approved')]);
    expect(state.answers).toBeUndefined();
  });
  test('it is told with the next block or prompt, and a new answer is new again', () => {
    const told = (...entries: Entry[]) => stateAfter(entries).answers?.plan?.told;
    expect(told(answered('rejected'))).toBeUndefined();
    expect(told(answered('rejected'), block)).toBe(true);
    expect(told(answered('rejected'), event('UserPromptSubmit'))).toBe(true);
    expect(told(answered('rejected'), asked)).toBeUndefined();
    expect(told(answered('rejected'), block, answered('rejected'))).toBeUndefined();
  });
  test('the end of the session leaves the question standing; a prompt, or a tool, ends the wait', () => {
    const waits = (...entries: Entry[]) => stateAfter([asked, ...entries]).waiting?.why;
    expect(waits(event('SessionEnd', { reason: 'exit' }))).toBe('approval');
    expect(waits(event('UserPromptSubmit'))).toBeUndefined();
    expect(waits(event('PreToolUse', { tool: 'Bash' }))).toBeUndefined();
  });
  test('of chunks, each is kept in a line, bounded', () => {
    const chunks = verdict('fail', {
      gate: 'chunks',
      kind: 'chunks',
      children: [verdict('pass', { gate: 'a' }), verdict('fail', { gate: 'b', summary: 'x'.repeat(5000) })],
    });
    const state = stateAfter([{ ...block, verdicts: [chunks] } as Entry]);
    expect(state.gates[0]?.parts).toMatchObject([
      { name: 'a', verdict: 'pass', summary: 'pass' },
      { name: 'b', verdict: 'fail' },
    ]);
    expect(JSON.stringify(state.gates[0]?.parts).length).toBeLessThan(400);
  });
});
