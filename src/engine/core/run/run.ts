import type { Contract, Limits } from '../contract/contract.ts';
import { answerUntil } from '../loop/asked.ts';
import type { NewRun } from '../loop/entry.ts';
import { elapsedMs, type ReachedLimit, reachedLimit } from '../loop/limits.ts';
import { limitsIn, phaseOf } from '../loop/phases.ts';
import { hasEnded, type LoopState, type RunState } from '../loop/state.ts';
import { sayDuration } from '../text/duration.ts';
import { describeWait } from '../words/endings.ts';
import type { Limit } from './option-values.ts';
import type { SessionEnd } from './session-end.ts';

export function newRun(run: NewRun): RunState {
  return {
    ...run,
    sessions: 0,
    heldInSession: 0,
    failures: 0,
    counted: { costUsd: 0, tokens: 0 },
  };
}

/** The state of a run that goes on with a loop whose session is full; that session counts as its first. */
export function runFromSession(permissionMode: string | undefined): RunState {
  return {
    ...newRun({ mode: 'hybrid' }),
    sessions: 1,
    ...(permissionMode === undefined ? {} : { permissionMode }),
  };
}

export type Step =
  | {
      kind: 'session';
      resume: boolean;
      why: 'first' | 'hand_over' | 'not_done' | 'answered' | 'again' | 'context_full';
    }
  /** Judge the work: the session ended, and the loop has not. */
  | { kind: 'judge' }
  | { kind: 'wait'; until: number; why: string }
  /** Wait for your answer, at most until a time; nothing is spent meanwhile. */
  | { kind: 'ask'; why: string; until?: number }
  | { kind: 'fail'; cause: string; detail: string }
  | { kind: 'pause'; why: string }
  | { kind: 'over' };

const MOST_FAILURES = 5;
const MOST_TOO_LONG = 3;
const BACK_OFF_MS = [2_000, 10_000, 30_000, 120_000, 300_000];
/** For a limit that names no time at which it ends. */
const LIMIT_WAIT_MS = 60_000;

/** What a run does next. Pure: after a crash the same journal gives the same step. */
export function nextStep(state: LoopState, now: number): Step {
  const step = stepAfter(state, now);
  // A session that has given its hand-over note is not resumed, however it ended.
  const goesOn = step.kind === 'session' || step.kind === 'judge';
  return goesOn && state.run?.handOver === 'given'
    ? { kind: 'session', resume: false, why: 'hand_over' }
    : step;
}

function stepAfter(state: LoopState, now: number): Step {
  const run = state.run;
  if (hasEnded(state) || !run) return { kind: 'over' };
  if (state.status === 'paused') return { kind: 'pause', why: state.waiting?.detail ?? 'paused' };
  // Only you can answer the question, however the session ended that led to it.
  if (state.waiting?.why === 'approval') return askingStep(state, state.waiting, now);
  if (!run.lastEnd) return withoutSession(run);
  return AFTER_END[run.lastEnd.kind]?.(run, run.lastEnd, now) ?? afterStop(state, run);
}

function askingStep(
  state: LoopState,
  { since, detail = '' }: { since: number; detail?: string },
  now: number,
): Step {
  const until = answerUntil(state);
  if (until === undefined || now < until) return { kind: 'ask', why: describeWait(state), until };
  const why = `nobody answered within ${sayDuration(until - since)} (${detail}); answer with: untildone answer ${state.loop} "your words"`;
  return { kind: 'pause', why };
}

function withoutSession(run: RunState): Step {
  // The children may have done everything; if not, the next session has to be told what fails.
  if (run.children?.over && !run.judged) return { kind: 'judge' };
  return { kind: 'session', resume: false, why: run.sessions === 0 ? 'first' : 'hand_over' };
}

type LastEnd = SessionEnd & { at: number };

/** The step after a session that did not end by a Stop. */
const AFTER_END: {
  readonly [K in SessionEnd['kind']]?: (run: RunState, last: LastEnd, now: number) => Step;
} = {
  auth: failed,
  billing: failed,
  model_not_found: failed,
  refused: failed,
  rate_limited: afterRateLimit,
  api_error: afterFailure,
  crashed: afterFailure,
  hung: afterFailure,
  lost: () => ({ kind: 'session', resume: true, why: 'again' }),
  no_session: () => ({ kind: 'session', resume: false, why: 'again' }),
  prompt_too_long: afterFullContext,
  context_full: afterFullContext,
  interrupted: (_run, { detail }) => ({ kind: 'pause', why: detail }),
  aborted: (_run, { detail }) => ({ kind: 'pause', why: detail }),
};

function failed(_run: RunState, { kind, detail }: LastEnd): Step {
  return { kind: 'fail', cause: kind, detail };
}

function afterRateLimit(_run: RunState, last: LastEnd, now: number): Step {
  const until = last.kind === 'rate_limited' ? last.until : undefined;
  return waitOr(until ?? last.at + LIMIT_WAIT_MS, last.detail, now);
}

function afterFullContext(run: RunState, last: LastEnd): Step {
  if (run.failures >= MOST_TOO_LONG) return failed(run, last);
  return { kind: 'session', resume: false, why: 'context_full' };
}

function afterFailure(run: RunState, last: LastEnd, now: number): Step {
  if (run.failures > MOST_FAILURES) {
    const detail = `${run.failures} sessions in a row failed; the last one: ${last.detail}`;
    return { kind: 'fail', cause: last.kind, detail };
  }
  const pause = BACK_OFF_MS[Math.min(run.failures, BACK_OFF_MS.length) - 1] ?? 0;
  // The API would refuse the same conversation again: a fresh session goes on.
  const fresh = last.kind === 'api_error' && last.status === 400 && run.failures > 1;
  const step = waitOr(last.at + pause, last.detail, now);
  return fresh && step.kind === 'session' ? { ...step, resume: false } : step;
}

/** Waits, then resumes the same session: an error or a limit spends no iteration. */
function waitOr(until: number, why: string, now: number): Step {
  return now < until ? { kind: 'wait', until, why } : { kind: 'session', resume: true, why: 'again' };
}

function afterStop(state: LoopState, run: RunState): Step {
  if (state.waiting?.why === 'context_full') return { kind: 'session', resume: false, why: 'context_full' };
  if (state.waiting?.why === 'needs_person')
    return { kind: 'pause', why: state.waiting.detail ?? 'it needs you' };
  // Work that was judged before a crash is not judged again: it would count twice.
  if (!run.judged) return { kind: 'judge' };
  const why = hasNewAnswer(state) ? 'answered' : 'not_done';
  return { kind: 'session', resume: true, why };
}

function hasNewAnswer({ answers = {} }: LoopState): boolean {
  return Object.values(answers).some(({ said, told }) => said === 'answered' && !told);
}

/** The limit that keeps the next session from starting. A resumed session is no further iteration. */
export function limitBefore(
  contract: Contract,
  state: LoopState,
  resume: boolean,
  now: number,
): ReachedLimit | undefined {
  const isNext = !resume && (state.run?.sessions ?? 0) > 0 && state.run?.moved !== 'in_iteration';
  const limits = isNext
    ? limitsIn(contract.limits, phaseOf(contract, state))
    : { ...contract.limits, iterations: 'unlimited' as const };
  return reachedLimit(state, limits, now) ?? moneyGone(limits, state);
}

/** The smallest budget of a session: with less than this the money counts as spent. */
const LEAST_USD = 0.0001;

function moneyGone({ costUsd }: Limits, { spent }: LoopState): ReachedLimit | undefined {
  if (costUsd === 'unlimited' || costUsd - spent.costUsd >= LEAST_USD) return undefined;
  return { cause: 'cost', used: spent.costUsd, limit: costUsd };
}

/** The budget of a session that begins now. Never more than what is left. */
export function costLeft({ costUsd }: Limits, { spent }: LoopState): { maxCostUsd?: number } {
  return costUsd === 'unlimited' ? {} : { maxCostUsd: Math.max(0, costUsd - spent.costUsd) };
}

/** The state once the cost that the open session has reported is counted. */
export function withBill(state: LoopState, costTotalUsd: number): LoopState {
  const added = Math.max(0, costTotalUsd - (state.run?.counted.costUsd ?? 0));
  return { ...state, spent: { ...state.spent, costUsd: state.spent.costUsd + added } };
}

const LEAST_MS = 1000;

/** The longest that a session may take: its own limit, and what is left of the run's. */
export function timeLeft(
  { durationMs }: Limits,
  sessionMs: number | undefined,
  state: LoopState,
  now: number,
): { deadlineMs?: number } {
  const left =
    durationMs === 'unlimited' ? undefined : Math.max(LEAST_MS, durationMs - elapsedMs(state, now));
  const bounds = [left, sessionMs].filter((ms) => ms !== undefined);
  return bounds.length === 0 ? {} : { deadlineMs: Math.min(...bounds) };
}

const NEAR = 0.8;

/** A limit of which 80 % or more is used. */
export function nearLimit(state: LoopState, limits: Limits, now: number): ReachedLimit | undefined {
  const share = (limit: Limit) => (limit === 'unlimited' ? limit : limit * NEAR);
  const { iterations, costUsd, tokens, durationMs } = limits;
  const most = {
    iterations: share(iterations),
    costUsd: share(costUsd),
    tokens: share(tokens),
    durationMs: share(durationMs),
  };
  return reachedLimit(state, { ...limits, ...most }, now);
}
