/**
 * A run that divides its work. Each child is a run of its own with one piece, and what it spends and reaches becomes part
 * of the state of its parent. Pure: after a crash the same journal gives the same next steps.
 */

import type { Limits } from '../contract/contract.ts';
import { elapsedMs } from '../loop/limits.ts';
import {
  type Children,
  type ChildState,
  closeWait,
  hasEnded,
  isDone,
  type LoopState,
  type MergeOutcome,
  openWait,
  type Share,
  type Spent,
} from '../loop/state.ts';
import type { Limit } from './option-values.ts';

/** A part of the work that a child can do by itself. */
export interface Piece {
  /** The id of a feature or a prompt file; unique in a run. */
  name: string;
  title: string;
  /** The pieces that have to be merged before this one begins. */
  after: readonly string[];
}

export type ChildEntry =
  /** The work was divided. */
  | { kind: 'split'; atOnce: number; pieces: number }
  /** Written before anything of the child exists. */
  | { kind: 'child_begun'; child: string; piece: string; share: Share }
  /** The totals of a child: said twice, they count once. */
  | ({ kind: 'child_spent'; child: string } & Spent)
  | {
      kind: 'child_ended';
      child: string;
      status: Exclude<ChildState['status'], 'open'>;
      detail?: string;
      branch?: string;
      commit?: string;
    }
  /** Without a `merge_ended` after it, the branch shows whether the merge was made. */
  | { kind: 'merge_begun'; child: string; commit: string }
  | { kind: 'merge_ended'; child: string; outcome: MergeOutcome; files?: string[]; detail?: string }
  /** All children wait, for a limit of the account or after an error. Waiting is no working time. */
  | { kind: 'children_waiting'; why: string }
  /** The run goes on after a crash or a pause. The time in between was no working time. */
  | { kind: 'children_resumed' }
  | { kind: 'children_over' };

export function advanceChildren(state: LoopState, entry: ChildEntry, at: number): LoopState {
  const { run } = state;
  if (!run || hasEnded(state)) return state;
  const { children } = run;
  if (entry.kind === 'split') {
    if (children) return state;
    const { atOnce, pieces } = entry;
    return { ...state, run: { ...run, children: { atOnce, pieces, list: [], merged: 0 } } };
  }
  if (!children || children.over) return state;
  switch (entry.kind) {
    case 'children_waiting':
      return state.status === 'active' ? openWait(state, 'api_error', at, entry.why) : state;
    case 'children_resumed':
      return closeWait(state.waiting ? state : openWait(state, 'session_ended', state.lastAt), at);
    case 'children_over': {
      const list = children.list.filter(({ merge }) => merge !== 'merged');
      return withChildren(awake(state, at), { ...children, list, over: true });
    }
    case 'child_spent':
      return countSpent(awake(state, at), children, entry);
    default:
      return withChildren(awake(state, at), advanceList(children, entry));
  }
}

/** Ends a wait, but not a pause: a child that ends during a pause does not resume the run. */
function awake(state: LoopState, at: number): LoopState {
  return state.status === 'active' ? closeWait(state, at) : state;
}

function withChildren(state: LoopState, children: Children): LoopState {
  return state.run ? { ...state, run: { ...state.run, children } } : state;
}

type ListEntry = Extract<ChildEntry, { kind: 'child_begun' | 'child_ended' | 'merge_begun' | 'merge_ended' }>;

function advanceList(children: Children, entry: ListEntry): Children {
  if (entry.kind === 'child_begun') {
    const { child: loop, piece, share } = entry;
    if (children.list.some((known) => known.loop === loop)) return children;
    const begun: ChildState = { piece, loop, status: 'open', share, spent: NOTHING_SPENT };
    return { ...children, list: [...children.list, begun] };
  }
  const known = children.list.find(({ loop }) => loop === entry.child);
  if (!known || known.merge === 'merged') return children;
  const list = children.list.map((child) => (child === known ? changed(child, entry) : child));
  const isIn = entry.kind === 'merge_ended' && entry.outcome === 'merged';
  return { ...children, list, merged: children.merged + (isIn ? 1 : 0) };
}

const NOTHING_SPENT: Spent = { costUsd: 0, tokens: 0, iterations: 0 };

function changed(child: ChildState, entry: Exclude<ListEntry, { kind: 'child_begun' }>): ChildState {
  switch (entry.kind) {
    case 'child_ended': {
      const { kind: _, child: __, ...ended } = entry;
      return { ...child, ...ended };
    }
    case 'merge_begun':
      return { ...child, merge: 'begun', commit: entry.commit };
    case 'merge_ended': {
      const { outcome, files, detail } = entry;
      return { ...child, merge: outcome, ...(files ? { files } : {}), ...(detail ? { detail } : {}) };
    }
  }
}

/** Adds what a child has spent since its last report to the parent. Totals only grow. */
function countSpent(
  state: LoopState,
  children: Children,
  entry: Extract<ChildEntry, { kind: 'child_spent' }>,
): LoopState {
  const known = children.list.find(({ loop }) => loop === entry.child);
  if (!known) return state;
  const spent = {
    costUsd: Math.max(known.spent.costUsd, entry.costUsd),
    tokens: Math.max(known.spent.tokens, entry.tokens),
    iterations: Math.max(known.spent.iterations, entry.iterations),
    estimatedUsd: entry.estimatedUsd,
  };
  const estimatedUsd =
    (state.spent.estimatedUsd ?? 0) + (spent.estimatedUsd ?? 0) - (known.spent.estimatedUsd ?? 0);
  const list = children.list.map((child) => (child === known ? { ...child, spent } : child));
  const before = iterationsOf(children);
  const next = { ...children, list };
  return {
    ...withChildren(state, next),
    // The parent counted iteration 1 at its start: the first iteration of the children is the same one.
    iteration: state.iteration + Math.max(0, iterationsOf(next) - 1) - Math.max(0, before - 1),
    spent: {
      costUsd: state.spent.costUsd + spent.costUsd - known.spent.costUsd,
      tokens: state.spent.tokens + spent.tokens - known.spent.tokens,
      estimatedUsd: estimatedUsd > 0 ? estimatedUsd : undefined,
    },
  };
}

function iterationsOf({ list }: Children): number {
  return list.reduce((sum, { spent }) => sum + spent.iterations, 0);
}

/** The pieces that may begin now, in order: not begun, and the pieces before them are merged. */
export function piecesToBegin(children: Children, pieces: readonly Piece[]): Piece[] {
  const begun = new Set(children.list.map(({ piece }) => piece));
  const isIn = (name: string) =>
    !pieces.some((piece) => piece.name === name) ||
    children.list.some((c) => c.piece === name && isMergedOrEmpty(c));
  return pieces.filter(({ name, after }) => !begun.has(name) && after.every(isIn));
}

/** Whether the work of a child is in, or there was none to do. */
function isMergedOrEmpty({ status, merge }: ChildState): boolean {
  return merge === 'merged' || status === 'nothing_to_do';
}

/** The first done child that is not merged; also one whose merge was interrupted. */
export function childToMerge({ list }: Children): ChildState | undefined {
  return list.find(({ status, merge }) => isDone(status) && (merge === undefined || merge === 'begun'));
}

/**
 * What the next child may spend: an equal part of what is neither spent nor promised to other children. One part is kept
 * for the parent, and for what children spend beyond theirs. Where a part is too small for one step, fewer children work
 * at a time. Undefined when too little is left to start another child now.
 */
export function shareFor(state: LoopState, limits: Limits, places: number): Share | undefined {
  const children = state.run?.children;
  if (!children) return undefined;
  const open = children.list.filter(({ status }) => status === 'open');
  const leftOf = (limit: Limit, used: number, what: keyof Share): Limit => {
    if (limit === 'unlimited') return limit;
    const promised = open.reduce((sum, { share, spent }) => {
      const own = share[what];
      return own === 'unlimited' ? sum : sum + Math.max(0, own - spent[what]);
    }, 0);
    return Math.max(0, limit - used - promised);
  };
  const left: Share = {
    costUsd: leftOf(limits.costUsd, state.spent.costUsd, 'costUsd'),
    tokens: leftOf(limits.tokens, state.spent.tokens, 'tokens'),
    iterations: leftOf(limits.iterations, iterationsOf(children), 'iterations'),
  };
  if (left.costUsd === 0 || left.tokens === 0 || left.iterations === 0) return undefined;
  const part = (limit: Limit, of: number) => (limit === 'unlimited' ? limit : limit / (of + 1));
  const isEnough = (of: number) =>
    isAtLeast(part(left.costUsd, of), STEP.costUsd) && isAtLeast(part(left.tokens, of), STEP.tokens);
  let of = Math.max(1, places);
  while (of > 1 && !isEnough(of)) of--;
  if (open.length > 0 && !isEnough(of)) return undefined;
  const whole = (limit: Limit) => (limit === 'unlimited' ? limit : Math.max(1, Math.floor(limit)));
  return {
    costUsd: part(left.costUsd, of),
    tokens: whole(part(left.tokens, of)),
    iterations: whole(part(left.iterations, of)),
  };
}

/** What one large step may cost. With a smaller share, every child could overspend at once. */
const STEP = { costUsd: 0.5, tokens: 200_000 };

function isAtLeast(limit: Limit, least: number): boolean {
  return limit === 'unlimited' || limit >= least;
}

/** The working time that is left to the parent, and so to a child that starts now. */
export function timeLeft(state: LoopState, limits: Limits, now: number): Limit {
  if (limits.durationMs === 'unlimited') return 'unlimited';
  return Math.max(0, limits.durationMs - elapsedMs(state, now));
}
