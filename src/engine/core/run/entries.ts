/** How journal entries of a run change its state. */
import type { Entry } from '../loop/entry.ts';
import { countIteration } from '../loop/phases.ts';
import { closeWait, hasEnded, type LoopState, NEW_SESSION, openWait, type RunState } from '../loop/state.ts';
import type { SessionEnd } from './session-end.ts';

export function advanceIntent(
  state: LoopState,
  entry: Extract<Entry, { kind: 'intent' }>,
  at: number,
): LoopState {
  if (!state.run || hasEnded(state)) return state;
  const open = { session: entry.session, resume: entry.resume, at };
  const goesOn = closeWait(state, at);
  const { judged: _judged, ...begun } = state.run;
  if (entry.resume) {
    const { moved: _moved, ...run } = begun;
    return { ...goesOn, session: entry.session, run: { ...run, open } };
  }
  const { handOver: _handOver, compacted: _compacted, moved, ...run } = begun;
  const counted = run.sessions > 0 && moved !== 'in_iteration' ? countIteration(goesOn) : goesOn;
  const { promptId: _promptId, lastMessage: _lastMessage, ...rest } = counted;
  return {
    ...rest,
    session: entry.session,
    ...NEW_SESSION,
    read: { offset: 0 },
    run: { ...run, open, sessions: run.sessions + 1, heldInSession: 0, counted: { costUsd: 0, tokens: 0 } },
  };
}

/**
 * Lets another machine go on. The time since the last line was no working time.
 */
export function advanceMoved(
  state: LoopState,
  { contractSha256 }: Extract<Entry, { kind: 'moved' }>,
  at: number,
): LoopState {
  if (!state.run || hasEnded(state)) return state;
  const moved = isInIteration(state, state.run) ? 'in_iteration' : 'between';
  const judged = isJudged(state, state.run) ? { judged: true as const } : {};
  return { ...withoutSilence(state, at), contractSha256, run: { ...state.run, ...judged, moved } };
}

/** Whether the last session ended right after a hold, as when the run had to pause: its work is judged. */
function isJudged({ waiting, toolSeen }: LoopState, { open, heldInSession, lastEnd }: RunState): boolean {
  const isEnded =
    lastEnd?.kind === 'completed' || lastEnd?.kind === 'stopped_by_hook' || lastEnd?.kind === 'budget';
  return !open && isEnded && heldInSession > 0 && !toolSeen && waiting?.why !== 'approval';
}

/** Whether an iteration has begun that the next session goes on with: not if the last one was to hand over, or was full. */
function isInIteration({ waiting }: LoopState, { sessions, handOver, lastEnd }: RunState): boolean {
  const isFull = lastEnd?.kind === 'prompt_too_long' || lastEnd?.kind === 'context_full';
  return sessions > 0 && handOver === undefined && waiting?.why !== 'context_full' && !isFull;
}

const FAILURES = ['api_error', 'crashed', 'hung'];

/** A session that is too long before its first hold counts as a failure: the next one would be too long as well. */
function isFailure({ kind }: SessionEnd, run: RunState): boolean {
  const tooLong = kind === 'prompt_too_long' || kind === 'context_full';
  return FAILURES.includes(kind) || (tooLong && run.heldInSession === 0);
}

/** Sums below this are rounding errors. */
const NO_MONEY = 1e-9;

export function advanceResult(
  state: LoopState,
  entry: Extract<Entry, { kind: 'result' }>,
  at: number,
): LoopState {
  if (!state.run) return state;
  const { open: _, ...run } = state.run;
  const { counted } = run;
  const costUsd = Math.max(counted.costUsd, entry.costTotalUsd ?? 0);
  const tokens = Math.max(counted.tokens + (entry.read?.tokens ?? 0), entry.tokensTotal ?? 0);
  const isWhole = (entry.tokensTotal ?? 0) >= tokens;
  const { estimated, priced } = pricing(run, costUsd - counted.costUsd, tokens, isWhole);
  const changeUsd = estimated.costUsd - (counted.estimated?.costUsd ?? 0);
  const estimatedUsd = (state.spent.estimatedUsd ?? 0) + changeUsd;
  const after: LoopState = {
    ...(entry.end.kind === 'lost' ? withoutSilence(state, at) : state),
    ...(entry.read ? { read: { ...state.read, offset: entry.read.offset } } : {}),
    spent: {
      tokens: state.spent.tokens + tokens - counted.tokens,
      costUsd: state.spent.costUsd + costUsd - counted.costUsd + changeUsd,
      estimatedUsd: estimatedUsd > NO_MONEY ? estimatedUsd : undefined,
    },
    run: {
      ...run,
      ...(priced ? { priced } : {}),
      counted: {
        costUsd,
        tokens,
        pricedTokens: tokens,
        estimated: estimated.tokens > 0 ? estimated : undefined,
      },
      failures: isFailure(entry.end, run) ? run.failures + 1 : 0,
      lastEnd: { ...entry.end, at },
    },
  };
  return waitingForApi(after, at);
}

/**
 * Estimates cost that was not reported. A process of Claude Code that is killed reports no cost, and the total of a
 * resumed session leaves that part out. Its tokens are priced like those of the sessions that did report; before the first
 * report they cost nothing. A total with all tokens in it (`isWhole`) includes that part, and replaces the estimate.
 */
function pricing(
  { priced, counted }: RunState,
  reportedUsd: number,
  tokens: number,
  isWhole: boolean,
): { estimated: { costUsd: number; tokens: number }; priced: RunState['priced'] } {
  const added = Math.max(0, tokens - (counted.pricedTokens ?? 0));
  const estimated = counted.estimated ?? { costUsd: 0, tokens: 0 };
  if (reportedUsd <= 0) {
    const each = priced && priced.tokens > 0 ? priced.costUsd / priced.tokens : 0;
    return {
      estimated: { costUsd: estimated.costUsd + added * each, tokens: estimated.tokens + added },
      priced,
    };
  }
  const before = priced ?? { costUsd: 0, tokens: 0 };
  const paidFor = added + (isWhole ? estimated.tokens : 0);
  return {
    estimated: isWhole ? { costUsd: 0, tokens: 0 } : estimated,
    priced: { costUsd: before.costUsd + reportedUsd, tokens: before.tokens + paidFor },
  };
}

/**
 * What the run has spent, its open session included: by the totals that this session told so far, or by its tokens, priced
 * like those of the sessions before. Without a price yet, the open session counts for nothing.
 */
export function spentSoFar(state: LoopState, open: { costTotalUsd?: number; tokensTotal?: number }): number {
  if (!state.run?.open) return state.spent.costUsd;
  const entry = { kind: 'result' as const, end: { kind: 'completed' as const, detail: '' }, ...open };
  return advanceResult(state, entry, state.lastAt).spent.costUsd;
}

const DENIED_KEPT = 5;

/** Counts a tool call that Claude Code denied. */
export function deniedIn(state: LoopState, what: string): LoopState {
  if (!state.run) return state;
  const { count, first } = state.run.denied ?? { count: 0, first: [] };
  const denied = { count: count + 1, first: [...first, what].slice(0, DENIED_KEPT) };
  return { ...state, run: { ...state.run, denied } };
}

/** Takes the time since the last line off the working time: the run was killed, and nothing worked since. */
function withoutSilence(state: LoopState, at: number): LoopState {
  return state.waiting ? state : closeWait(openWait(state, 'session_ended', state.lastAt), at);
}

/** Opens a wait after an API error or a limit of the account: that is no working time. */
export function waitingForApi(state: LoopState, at: number): LoopState {
  const last = state.run?.lastEnd;
  if (state.status !== 'active' || state.waiting) return state;
  if (last?.kind !== 'rate_limited' && last?.kind !== 'api_error') return state;
  return openWait(state, 'api_error', at, last.detail);
}

/** Lets a run go on after a session that was aborted: that session counts as lost, and is resumed. */
export function takenUp(state: LoopState): LoopState {
  const last = state.run?.lastEnd;
  if (!state.run || (last?.kind !== 'aborted' && last?.kind !== 'interrupted')) return state;
  return { ...state, run: { ...state.run, lastEnd: { ...last, kind: 'lost' } } };
}
