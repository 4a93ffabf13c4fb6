import { DEFAULT_LIMITS } from '../../src/core/contract.ts';
import { advance, type StartedEntry } from '../../src/core/journal.ts';
import type { LoopState } from '../../src/core/loop.ts';
import type { StopSeen } from '../../src/core/stop.ts';
import type { Verdict } from '../../src/core/verdict.ts';

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
