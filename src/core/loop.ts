import type { AgentLine } from './agents.ts';
import type { Answered } from './approval.ts';
import type { Limit } from './contract.ts';
import type { PhaseState } from './phases.ts';
import type { RunState } from './run.ts';
import type { EvidenceClass, Outcome } from './verdict.ts';

export const ENDINGS = [
  'verified_done',
  'claimed_done',
  'reached_limit',
  'stalled',
  'idle',
  'capped',
  'cancelled',
  'released',
  'failed',
] as const;

export type Ending = (typeof ENDINGS)[number];
export type LoopStatus = 'active' | 'paused' | Ending;

/** Why the loop is let go for now without having ended. None of these spends an iteration. */
export type WaitCause =
  | 'paused'
  | 'needs_person'
  /** A person is asked a question (`untildone approve`). */
  | 'approval'
  | 'background'
  | 'wake_up'
  | 'context_full'
  | 'api_error'
  | 'session_ended';

export interface LoopState {
  loop: string;
  session: string;
  dialect: string;
  status: LoopStatus;
  /** 1 at the start, +1 with every block. */
  iteration: number;
  maxIterations: Limit;
  startedAt: number;
  /** The time of the last line. */
  lastAt: number;
  /** Blocks in a row without a tool call or a new prompt in between: what the client's cap counts. */
  blocksInARow: number;
  promptId?: string;
  /** A tool call was seen since the last block. */
  toolSeen: boolean;
  emptyAnswers: number;
  lastMessage?: { fingerprint: string; times: number };
  /** What fails, how often it did in a row, and how often of these with this very tree. */
  picture?: { fingerprint: string; times: number; tree?: string; timesSameTree: number };
  waiting?: { why: WaitCause; since: number; detail?: string };
  /** Closed waits, summed; pauses too. */
  waitedMs: number;
  /** When each background task was first seen running. */
  background: Record<string, number>;
  /** `estimatedUsd` is the part of the cost that no client reported. */
  spent: { tokens: number; costUsd: number; estimatedUsd?: number };
  /** Where the transcript was read to, and what the client's own cost total was there. */
  read: { offset: number; lastMessageId?: string; costTotalUsd?: number };
  gates: GateLine[];
  /** SHA-256 of `contract.json`: the definition of done that rules. */
  contractSha256: string;
  /** Lines in the journal that we did not write, as found so far. */
  foreignLines: number;
  /** How many of them the agent was told about. */
  foreignTold: number;
  /** The tree and the commit that the loop began with, and whether all that could be measured passed then. */
  base: { tree?: string; commit?: string; passing?: true };
  /** Blocks given to subagents, tasks and teammates, by their id; the newest last. */
  guarded: Record<string, number>;
  /** Exceptions that a person allowed by name. */
  allowed: string[];
  ending?: { cause: string; detail: string; at: number };
  /** Of a loop in a foreign format: the count that its state file was last seen with, beside what we write into it. */
  fileIteration?: number;
  /** Of an ended loop in a foreign format: its state files were given their last form. */
  closed?: true;
  /** Of a contract with phases. */
  phase?: PhaseState;
  /** What a person said to the questions of this loop, by the name of the gate that asks. */
  answers?: Record<string, Answered>;
  /** The subagents of this loop; the newest last. */
  agents?: AgentLine[];
  /** Of a run: a loop over many sessions. */
  run?: RunState;
}

export interface GateLine {
  name: string;
  class: EvidenceClass;
  verdict: Outcome;
  summary: string;
  /** Tells whether it fails in the same way as before. */
  fingerprint?: string;
  /** The iteration in which this verdict was found like this for the first time. */
  since: number;
  /** What to do next, of the first gate that holds the loop and knows it. */
  next?: string;
  /** Of chunks: each of them. */
  parts?: { name: string; verdict: Outcome; summary: string }[];
}

export function hasEnded(state: LoopState): boolean {
  return state.status !== 'active' && state.status !== 'paused';
}

/** What is counted within a session, for one that begins. */
export const NEW_SESSION = { blocksInARow: 0, toolSeen: false, emptyAnswers: 0, background: {} } as const;

/** Ends an open wait at `now` and adds it up. */
export function closeWait(state: LoopState, now: number): LoopState {
  if (!state.waiting) return state;
  const { waiting, ...rest } = state;
  return { ...rest, waitedMs: state.waitedMs + Math.max(0, now - waiting.since) };
}

export function openWait(state: LoopState, why: WaitCause, since: number, detail?: string): LoopState {
  return { ...closeWait(state, since), waiting: { why, since, ...(detail ? { detail } : {}) } };
}

/** An ending is final: whatever comes later changes nothing. */
export function end(state: LoopState, ending: Ending, cause: string, detail: string, now: number): LoopState {
  if (hasEnded(state)) return state;
  return { ...closeWait(state, now), status: ending, ending: { cause, detail, at: now } };
}
