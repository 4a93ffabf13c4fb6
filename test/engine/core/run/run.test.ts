import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../../src/engine/core/contract/contract.ts';
import { decide } from '../../../../src/engine/core/loop/decide.ts';
import type { Entry } from '../../../../src/engine/core/loop/entry.ts';
import { advance, replay } from '../../../../src/engine/core/loop/journal.ts';
import { elapsedMs } from '../../../../src/engine/core/loop/limits.ts';
import type { LoopState } from '../../../../src/engine/core/loop/state.ts';
import type { Verdict } from '../../../../src/engine/core/loop/verdict.ts';
import { spentSoFar } from '../../../../src/engine/core/run/entries.ts';
import type { RunMode } from '../../../../src/engine/core/run/option-values.ts';
import { nextStep } from '../../../../src/engine/core/run/run.ts';
import type { SessionEnd } from '../../../../src/engine/core/run/session-end.ts';
import { STARTED, seenStop, T0 } from '../../../support/core/samples.ts';

function run(mode: RunMode, ...entries: Entry[]): LoopState {
  const all: Entry[] = [{ ...STARTED, run: { mode } }, ...entries];
  return all.reduce<LoopState | undefined>(
    (state, entry) => advance(state, entry, T0),
    undefined,
  ) as LoopState;
}

const began: Entry = { kind: 'intent', session: 's1', resume: false, why: 'first' };
const ended = (
  end: SessionEnd,
  totals: Pick<Extract<Entry, { kind: 'result' }>, 'costTotalUsd' | 'tokensTotal' | 'read'> = {},
): Entry => ({
  kind: 'result',
  end,
  ...totals,
});
const end = (kind: string, more: object = {}) => ({ kind, detail: 'so it was', ...more }) as SessionEnd;
const SEEN = seenStop();
const FAILS: Verdict[] = [
  { gate: 'tests', kind: 'run', class: 'measured', outcome: 'fail', summary: 'fails' },
];
const held = (instruction: 'continue' | 'hand_over'): Entry => ({
  kind: 'stop',
  seen: SEEN,
  verdicts: FAILS,
  decision: { kind: 'block', instruction },
});
const handedOver: Entry = {
  kind: 'stop',
  seen: SEEN,
  verdicts: FAILS,
  decision: { kind: 'allow', cause: 'hand_over', detail: 'x', note: 'the parser is done' },
};

describe('the next step of a run', () => {
  test('waits for a limit without a time as long as the journal page and the guide say', () => {
    const limited = run('hybrid', began, ended(end('rate_limited')));
    expect(nextStep(limited, T0)).toMatchObject({ kind: 'wait', until: T0 + 60_000 });
    expect(readFileSync('docs/reference/journal.md', 'utf8')).toContain(
      'a wait until `until`, else 1 minute;',
    );
    expect(readFileSync('docs/guides/runs.md', 'utf8')).toContain('(else a minute)');
  });
  test('begins with a session', () => {
    expect(nextStep(run('hybrid'), T0)).toEqual({ kind: 'session', resume: false, why: 'first' });
  });
  test('judges what a session left that simply came back', () => {
    expect(nextStep(run('hybrid', began, ended(end('completed'))), T0)).toEqual({ kind: 'judge' });
    expect(nextStep(run('hybrid', began, ended(end('max_turns'))), T0)).toEqual({ kind: 'judge' });
  });
  test('is a fresh session after a hand-over, and when the context is full', () => {
    const fresh = { kind: 'session', resume: false };
    for (const how of ['completed', 'lost', 'crashed', 'api_error', 'rate_limited'] as const) {
      const left = run('hybrid', began, handedOver, ended(end(how)));
      expect(nextStep(left, T0 + 3_600_000), how).toMatchObject(fresh);
    }
    expect(nextStep(run('hybrid', began, ended(end('context_full'))), T0)).toMatchObject(fresh);
    expect(nextStep(run('hybrid', began, ended(end('prompt_too_long'))), T0)).toMatchObject(fresh);
  });
  test('waits out a limit of the account until it says, then goes on in the same session', () => {
    const state = run('hybrid', began, ended(end('rate_limited', { until: T0 + 60_000 })));
    expect(nextStep(state, T0)).toMatchObject({ kind: 'wait', until: T0 + 60_000 });
    expect(nextStep(state, T0 + 60_000)).toEqual({ kind: 'session', resume: true, why: 'again' });
    expect(state.iteration).toBe(1);
  });
  test('waits longer after each failure in a row, and gives up in the end', () => {
    const waits: number[] = [];
    let state = run('hybrid', began);
    for (let i = 0; i < 5; i++) {
      state = advance(state, ended(end('api_error')), T0);
      const step = nextStep(state, T0);
      waits.push(step.kind === 'wait' ? step.until - T0 : -1);
    }
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits[0]).toBeGreaterThan(0);
    expect(nextStep(advance(state, ended(end('crashed')), T0), T0)).toMatchObject({ kind: 'fail' });
  });
  test.each(['aborted', 'interrupted'])(
    'rests when its session was %s, until somebody takes it up again',
    (kind) => {
      const state = run('hybrid', began, ended(end(kind)));
      expect(nextStep(state, T0)).toEqual({ kind: 'pause', why: 'so it was' });
      const paused = advance(state, { kind: 'command', command: 'pause' }, T0);
      expect(nextStep(advance(paused, { kind: 'command', command: 'resume' }, T0), T0)).toEqual({
        kind: 'session',
        resume: true,
        why: 'again',
      });
    },
  );
  test('a success in between makes failures start anew', () => {
    const state = run('hybrid', began, ended(end('api_error')), ended(end('completed')), ended(end('hung')));
    expect(state.run?.failures).toBe(1);
  });
  test.each(['auth', 'billing', 'model_not_found'])('%s ends it at once', (kind) => {
    expect(nextStep(run('hybrid', began, ended(end(kind))), T0)).toMatchObject({ kind: 'fail', cause: kind });
  });
  test('an interruption pauses it', () => {
    expect(nextStep(run('hybrid', began, ended(end('aborted'))), T0)).toMatchObject({ kind: 'pause' });
  });
});

describe('what a run counts', () => {
  test('cost and tokens of a session as differences, also after it was resumed', () => {
    const state = run(
      'hybrid',
      began,
      ended(end('api_error'), { costTotalUsd: 1, tokensTotal: 100 }),
      { kind: 'intent', session: 's1', resume: true, why: 'again' },
      ended(end('completed'), { costTotalUsd: 1.5, tokensTotal: 150 }),
      { kind: 'intent', session: 's2', resume: false, why: 'hand_over' },
      ended(end('completed'), { costTotalUsd: 0.25, tokensTotal: 10 }),
    );
    expect(state.spent).toEqual({ costUsd: 1.75, tokens: 160 });
  });
  test('a session that reports less than before takes nothing back', () => {
    const state = run('hybrid', began, ended(end('completed'), { costTotalUsd: 1 }), ended(end('crashed')));
    expect(state.spent.costUsd).toBe(1);
  });
  test('a fresh session is a further iteration, asking for a note is none', () => {
    const state = run(
      'hybrid',
      began,
      held('continue'),
      held('hand_over'),
      handedOver,
      ended(end('completed')),
    );
    expect(state).toMatchObject({ iteration: 2, run: { handOver: 'given', note: 'the parser is done' } });
    const next = advance(state, { kind: 'intent', session: 's2', resume: false, why: 'hand_over' }, T0);
    expect(next).toMatchObject({
      iteration: 3,
      session: 's2',
      run: { sessions: 2, note: 'the parser is done' },
    });
    expect(next.run?.handOver).toBeUndefined();
  });
  test('an open session is what a crash leaves', () => {
    expect(run('hybrid', began).run?.open).toMatchObject({ session: 's1' });
    expect(run('hybrid', began, ended(end('crashed'))).run?.open).toBeUndefined();
  });
});

describe('a Stop in a run', () => {
  const decided = (state: LoopState, seen = {}) =>
    decide(state, { ...SEEN, ...seen }, FAILS, DEFAULT_LIMITS, T0);
  test('is held while there is room', () => {
    expect(decided(run('hybrid', began), { contextShare: 0.5 })).toMatchObject({ instruction: 'continue' });
  });
  test('asks for a note at the threshold, then lets the session go with it', () => {
    const full = { contextShare: 0.85, note: 'what I did' };
    expect(decided(run('hybrid', began), full)).toEqual({ kind: 'block', instruction: 'hand_over' });
    expect(decided(run('hybrid', began, held('hand_over')), full)).toMatchObject({
      cause: 'hand_over',
      note: 'what I did',
    });
  });
  test('after a compaction, too', () => {
    const compacted: Entry = { kind: 'event', event: 'SessionStart', detail: { source: 'compact' } };
    expect(decided(run('hybrid', began, compacted))).toMatchObject({ instruction: 'hand_over' });
  });
  test('in session mode never hands over, in fresh mode always', () => {
    expect(decided(run('session', began), { contextShare: 0.9 })).toMatchObject({ instruction: 'continue' });
    expect(decided(run('fresh', began))).toMatchObject({ kind: 'allow', cause: 'hand_over' });
  });
  test('a limit ends it before anything is handed over', () => {
    const last = { ...run('fresh', began), iteration: 50 };
    expect(decided(last)).toMatchObject({ kind: 'end', status: 'reached_limit' });
  });
});

describe('a question to a person', () => {
  const asked: Entry = {
    kind: 'stop',
    seen: SEEN,
    verdicts: FAILS,
    decision: { kind: 'allow', cause: 'approval', wait: 'approval', detail: 'plan: good?' },
  };
  const answered: Entry = { kind: 'answered', gate: 'plan', said: 'approved' };

  test.each(['stopped_by_hook', 'completed', 'lost', 'crashed', 'api_error', 'hung', 'context_full'])(
    'is waited for, however the session that came to it ended (%s), and judged before another is paid for',
    (kind) => {
      const waits = run('hybrid', began, asked, ended(end(kind)));
      expect(nextStep(waits, T0)).toMatchObject({ kind: 'ask', why: expect.stringContaining('plan: good?') });
      expect(nextStep(waits, T0 + 1e9).kind).toBe('ask');
      const goesOn = advance(waits, answered, T0 + 1e9);
      expect(nextStep(goesOn, T0 + 1e9)).toEqual({ kind: 'judge' });
    },
  );
  test('of a run whose children did everything: it is asked, not judged again and again', () => {
    const over: Entry = { kind: 'children_over' } as Entry;
    const state = run('hybrid', over, asked);
    expect(nextStep(state, T0).kind).toBe('ask');
  });
  test('a pause comes first; a run that goes on judges again, and so waits again', () => {
    const paused = run('hybrid', began, asked, ended(end('stopped_by_hook')), {
      kind: 'command',
      command: 'pause',
    });
    expect(nextStep(paused, T0).kind).toBe('pause');
    expect(nextStep(advance(paused, { kind: 'command', command: 'resume' }, T0), T0)).toEqual({
      kind: 'judge',
    });
  });
  test('a run that has ended asks nobody', () => {
    const cancelled = run('hybrid', began, asked, { kind: 'command', command: 'cancel' });
    expect(nextStep(cancelled, T0)).toEqual({ kind: 'over' });
  });
});

test('a fresh session is an iteration of its phase, as it is one of the loop', () => {
  const inPhase: Entry = {
    ...(handedOver as Extract<Entry, { kind: 'stop' }>),
    seen: { ...SEEN, phase: { name: 'build', passed: ['plan'] } },
  };
  const next: Entry = { kind: 'intent', session: 's2', resume: false, why: 'hand_over' };
  const again: Entry = { kind: 'intent', session: 's2', resume: true, why: 'again' };
  const state = run('fresh', began, inPhase, ended(end('completed')), next);
  expect(state).toMatchObject({ iteration: 2, phase: { name: 'build', iteration: 1 } });
  expect(advance(state, again, T0).phase?.iteration).toBe(1);
});

describe('what a run has spent while a session is open', () => {
  const again: Entry = { kind: 'intent', session: 's1', resume: true, why: 'again' };
  const other: Entry = { kind: 'intent', session: 's2', resume: false, why: 'hand_over' };
  const reported = ended(end('completed'), { costTotalUsd: 2, tokensTotal: 1000 });
  const crashed: Entry = { kind: 'result', end: end('crashed'), read: { offset: 100, tokens: 500 } };

  test.each<[string, Entry[], { costTotalUsd?: number; tokensTotal?: number }, number]>([
    ['by its total', [began], { costTotalUsd: 0.5, tokensTotal: 100 }, 0.5],
    ['by its total, after a Stop', [began, held('continue')], { costTotalUsd: 0.5 }, 0.5],
    ['by the growth of its total, when it was resumed', [began, reported, again], { costTotalUsd: 2.5 }, 2.5],
    ['beside the sessions before', [began, reported, other], { costTotalUsd: 0.5, tokensTotal: 100 }, 2.5],
    ['by its tokens at the price of before', [began, reported, other], { tokensTotal: 250 }, 2.5],
    ['by its tokens since then, when it was resumed', [began, reported, again], { tokensTotal: 1250 }, 2.5],
    ['not at all without a price', [began], { tokensTotal: 250 }, 0],
    ['not at all without a sign', [began, reported, other], {}, 2],
    [
      'without counting an estimate twice',
      [began, reported, again, crashed, again],
      { tokensTotal: 1500 },
      3,
    ],
    [
      'with the estimate that its total leaves out',
      [began, reported, again, crashed, again],
      { costTotalUsd: 2.5, tokensTotal: 1250 },
      3.5,
    ],
    [
      'by a total that has what was estimated',
      [began, reported, again, crashed, again],
      { costTotalUsd: 3.25, tokensTotal: 1600 },
      3.25,
    ],
    ['nothing more after its result', [began, reported], { costTotalUsd: 9 }, 2],
  ])('%s', (_, entries, open, usd) => {
    expect(spentSoFar(run('hybrid', ...entries), open)).toBeCloseTo(usd, 9);
  });
});

describe('what a session that was killed has cost', () => {
  const again: Entry = { kind: 'intent', session: 's1', resume: true, why: 'again' };
  const killed = (tokens: number): Entry => ({
    kind: 'result',
    end: end('crashed'),
    read: { offset: 100, tokens },
  });

  test('is estimated from what a token of the sessions cost that did report, and said to be', () => {
    const reported = ended(end('completed'), { costTotalUsd: 2, tokensTotal: 1000 });
    const { spent } = run('hybrid', began, reported, again, killed(500));
    expect(spent).toEqual({ tokens: 1500, costUsd: 3, estimatedUsd: 1 });
  });
  test('is not counted twice when the session goes on and reports, without what was killed', () => {
    const reported = ended(end('completed'), { costTotalUsd: 2, tokensTotal: 1000 });
    const read = { offset: 200, tokens: 500 };
    const later = ended(end('completed'), { costTotalUsd: 3, tokensTotal: 1500, read });
    const { spent } = run('hybrid', began, reported, again, killed(500), again, later);
    expect(spent).toEqual({ tokens: 2000, costUsd: 4, estimatedUsd: 1 });
  });
  test('gives way to a report that has all of it', () => {
    const reported = ended(end('completed'), { costTotalUsd: 2, tokensTotal: 1000 });
    const later = ended(end('completed'), { costTotalUsd: 4.5, tokensTotal: 2000 });
    const { spent } = run('hybrid', began, reported, again, killed(500), again, later);
    expect(spent).toEqual({ tokens: 2000, costUsd: 4.5 });
  });
  test('stays named when a Stop is counted after it', () => {
    const reported = ended(end('completed'), { costTotalUsd: 2, tokensTotal: 1000 });
    const { spent } = run('hybrid', began, reported, again, killed(500), again, held('continue'));
    expect(spent).toMatchObject({ costUsd: 3, estimatedUsd: 1 });
  });
  test('is unknown while nothing was reported', () => {
    expect(run('hybrid', began, killed(500)).spent).toEqual({ tokens: 500, costUsd: 0 });
  });
  test('is no estimate when its client wrote it down', () => {
    const wrote: Entry = { ...killed(500), costTotalUsd: 1.5 } as Entry;
    expect(run('hybrid', began, wrote).spent).toEqual({ tokens: 500, costUsd: 1.5 });
  });
});

describe('time in which the account or the API is waited for', () => {
  const at = (ms: number, ...entries: Entry[]) => entries.map((entry) => ({ entry, at: T0 + ms }));
  const elapsed = (lines: { entry: Entry; at: number }[], ms: number) => {
    const state = replay([...at(0, { ...STARTED, run: { mode: 'hybrid' } }, began), ...lines]);
    return state && elapsedMs(state, T0 + ms);
  };
  const limited = ended(end('rate_limited', { until: T0 + 3_600_000 }));
  const command = (name: 'pause' | 'resume'): Entry => ({ kind: 'command', command: name });

  test('is no working time', () => {
    expect(elapsed(at(1000, limited), 3_000_000)).toBe(1000);
    expect(elapsed(at(1000, ended(end('api_error'))), 3_000_000)).toBe(1000);
  });
  test('is none between a power cut and the next morning either', () => {
    const lost = [...at(1000, held('continue')), ...at(30_000_000, ended(end('lost')))];
    expect(elapsed(lost, 30_002_000)).toBe(3000);
  });
  test('is none after a pause either, until a session is begun', () => {
    const taken = [...at(1000, limited), ...at(2000, command('pause')), ...at(9000, command('resume'))];
    expect(elapsed(taken, 3_000_000)).toBe(1000);
    const again: Entry = { kind: 'intent', session: 's1', resume: true, why: 'again' };
    expect(elapsed([...taken, ...at(3_600_000, again)], 3_605_000)).toBe(6000);
  });
});
