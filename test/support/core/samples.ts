import { DEFAULT_LIMITS } from '../../../src/engine/core/contract/contract.ts';
import type { StopSeen } from '../../../src/engine/core/loop/count-stop.ts';
import { decide } from '../../../src/engine/core/loop/decide.ts';
import type { StartedEntry } from '../../../src/engine/core/loop/entry.ts';
import { advance } from '../../../src/engine/core/loop/journal.ts';
import type { LoopState } from '../../../src/engine/core/loop/state.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';

export const T0 = Date.parse('2026-01-01T00:00:00Z');
export const LIMITS = DEFAULT_LIMITS;

export const STARTED: StartedEntry = {
  kind: 'started',
  loop: 'l1',
  session: 's1',
  project: '/project',
  dialect: 'native',
  task: { preview: 'task', bytes: 4, sha256: 'x' },
  contractSha256: 'y',
  maxIterations: 50,
  transcriptOffset: 0,
};

export function freshLoop(changes: Partial<LoopState> = {}): LoopState {
  return { ...advance(undefined, STARTED, T0), ...changes };
}

export function seenStop(changes: Partial<StopSeen> = {}): StopSeen {
  return {
    stopHookActive: false,
    toolSinceBlock: false,
    background: [],
    wakeUps: { once: 0, recurring: 0 },
    blockCap: 0,
    ...changes,
  };
}

export function verdict(outcome: Verdict['outcome'], changes: Partial<Verdict> = {}): Verdict {
  return { gate: 'tests', kind: 'run', class: 'measured', outcome, summary: outcome, ...changes };
}

export const claim = (outcome: Verdict['outcome']) =>
  verdict(outcome, { gate: 'promise', kind: 'promise', class: 'claimed' });

/** Plays Stops one after the other, a second apart, and returns the decisions and the last state. */
export function play(
  stops: { seen?: Partial<StopSeen>; verdicts: Verdict[] }[],
  from = freshLoop(),
  limits = LIMITS,
) {
  let state: LoopState = from;
  const decisions = stops.map(({ seen, verdicts }, i) => {
    const at = T0 + (i + 1) * 1000;
    const facts = seenStop(seen);
    const decision = decide(state, facts, verdicts, limits, at);
    state = advance(state, { kind: 'stop', seen: facts, verdicts, decision }, at);
    return decision.kind === 'end' ? decision.status : decision.kind;
  });
  return { decisions, state };
}
