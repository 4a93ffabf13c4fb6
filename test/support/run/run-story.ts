import { DEFAULT_LIMITS } from '../../../src/engine/core/contract/contract.ts';
import type { GateLine, LoopState } from '../../../src/engine/core/loop/state.ts';
import type { Verdict } from '../../../src/engine/core/loop/verdict.ts';
import { newRun } from '../../../src/engine/core/run/run.ts';
import type { SessionHappening } from '../../../src/engine/ports/ports.ts';
import type { RunEvent } from '../../../src/engine/run/reporter.ts';
import { freshLoop } from '../core/samples.ts';

export const T0 = Date.parse('2026-01-05T10:00:00Z');
export const LOOP = '20260105-100000-abc123';
const SESSION = '6f1c2d3e-0000-4000-8000-000000000001';
export const LIMITS = DEFAULT_LIMITS;

export const BASELINE: Verdict[] = [
  {
    gate: 'tests',
    kind: 'run',
    class: 'measured',
    outcome: 'fail',
    summary: 'exit code 1: 3 of 12 tests fail',
    evidence: ['exit code 1', 'test/todo.test.ts:42 deletes a todo'],
  },
  {
    gate: 'features',
    kind: 'features',
    class: 'measured',
    outcome: 'fail',
    summary: '1 of 25 pass; next: F02 list',
    next: 'Next: F02 list\nIt lists every todo.',
  },
  { gate: 'lint', kind: 'run', class: 'measured', outcome: 'pass', summary: 'exit code 0' },
  { gate: 'checks', kind: 'ci', class: 'measured', outcome: 'unproven', summary: 'no answer within 10 min' },
  { gate: 'plan', kind: 'checklist', class: 'claimed', outcome: 'skip', summary: 'there is no PLAN.md' },
];

function gateLines(verdicts: readonly Verdict[]): GateLine[] {
  return verdicts.map((v) => ({
    name: v.gate,
    class: v.class,
    verdict: v.outcome,
    summary: v.summary,
    since: 1,
  }));
}

export function runState(changes: Partial<LoopState> = {}): LoopState {
  return freshLoop({
    loop: LOOP,
    session: SESSION,
    startedAt: T0,
    lastAt: T0,
    run: { ...newRun({ mode: 'hybrid' }), sessions: 1 },
    gates: gateLines(BASELINE),
    ...changes,
  });
}

export const DONE: Verdict[] = BASELINE.filter((v) => v.outcome !== 'skip').map((v) => {
  const { evidence: _, ...rest } = v;
  return { ...rest, outcome: 'pass', summary: 'as it is to be' };
});

export const happens = (happening: SessionHappening): RunEvent => ({ type: 'happening', happening });

export const held = (changes: Partial<LoopState> = {}): RunEvent => ({
  type: 'stop',
  answer: 'refuse',
  state: runState({ iteration: 2, spent: { tokens: 61_234, costUsd: 0.4217 }, ...changes }),
  verdicts: BASELINE,
});

export const doneState = (): LoopState =>
  runState({
    status: 'verified_done',
    iteration: 3,
    spent: { tokens: 1_234_567, costUsd: 1.234 },
    gates: gateLines(DONE),
    run: { ...newRun({ mode: 'hybrid' }), sessions: 2 },
    ending: { cause: 'gates_passed', detail: '4 gates', at: T0 + 42 * 60_000 },
  });

/** What happens in a run that is held, handed over, limited, and done, second by second. */
export const STORY: RunEvent[] = [
  { type: 'session', session: SESSION, resume: false, why: 'first', state: runState() },
  happens({ kind: 'began', session: SESSION, model: 'claude-opus-4-6' }),
  happens({ kind: 'said', text: 'I look at\nthe tests first.' }),
  happens({ kind: 'called', tool: 'Bash', input: { command: 'npm test' } }),
  happens({ kind: 'returned', tool: 'Bash', failed: true }),
  happens({ kind: 'called', tool: 'Bash', input: { command: 'git push' } }),
  happens({ kind: 'denied', tool: 'Bash', input: { command: 'git push' } }),
  happens({ kind: 'returned', tool: 'Bash', failed: true, denied: true }),
  happens({ kind: 'usage', contextTokens: 124_000, model: 'claude-opus-4-6' }),
  happens({
    kind: 'called',
    tool: 'Edit',
    input: { file_path: '/project/src/a.ts', old_string: 'a', new_string: 'b' },
  }),
  happens({ kind: 'returned', tool: 'Edit', failed: false }),
  { type: 'judging' },
  held(),
  happens({ kind: 'retry', attempt: 2, delayMs: 4_000, why: 'overloaded' }),
  happens({ kind: 'limit', resetsAt: T0 + 3_600_000, text: 'usage limit reached' }),
  happens({ kind: 'compacted' }),
  happens({ kind: 'told', text: 'untildone: the work goes on' }),
  {
    type: 'session_ended',
    end: { kind: 'rate_limited', until: T0 + 3_600_000, detail: 'the usage limit of the account is reached' },
    state: runState({ iteration: 2, spent: { tokens: 61_234, costUsd: 0.4217 } }),
  },
  { type: 'waiting', until: T0 + 3_600_000, why: 'the usage limit of the account is reached' },
  { type: 'warning', text: '80 % of the limit of cost is used' },
  { type: 'session', session: SESSION, resume: true, why: 'again', state: runState({ iteration: 2 }) },
  {
    ...held({ run: { ...newRun({ mode: 'hybrid' }), sessions: 1, handOver: 'asked' } }),
  },
  {
    type: 'stop',
    answer: 'silence',
    state: runState({ iteration: 2, waiting: { why: 'needs_person', since: T0, detail: 'approve it' } }),
  },
  { type: 'ended', state: doneState() },
];
