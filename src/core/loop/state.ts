import type { Limit, RunMode } from '../contract/contract.ts';
import type { SessionEnd } from '../run/session-end.ts';
import { blocks, type EvidenceClass, type Outcome, type Verdict } from './verdict.ts';

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
type LoopStatus = 'active' | 'paused' | Ending;

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

/** A subagent of a loop, as far as its hooks told. */
export interface AgentLine {
  id: string;
  type: string;
  /**
   * passed: it ended, and the gates that guard its type passed, or there are none. failed: it was let go although they
   * fail. lost: it no longer works, and its end was never seen.
   */
  status: 'working' | 'passed' | 'failed' | 'lost';
  begunAt: number;
  endedAt?: number;
  /** What it was let go with. */
  failed?: string;
  /** Of one that passed: by something that was measured. */
  measured?: true;
  /** It began in a worktree of its own, which was at this commit. */
  worktree?: { folder: string; commit?: string };
}

/** What a person said to a question of a loop (`untildone approve`, `untildone reject`). */
export interface Answered {
  said: 'approved' | 'rejected';
  note?: string;
  at: number;
  /** SHA-256 of the file that was asked about, as it was then. */
  digest?: string;
  /** The agent was told since. */
  told?: true;
}

/** Where a loop is in the order of its phases. */
export interface PhaseState {
  name: string;
  /** How often the work went on in it, this time included; 0 at the very Stop at which it begins. */
  iteration: number;
  /** Working time of the loop when it began. */
  since: number;
}

/** What the driver of a run needs to go on, after a crash too. */
export interface RunState {
  mode: RunMode;
  /** The permissions of the session that it came from; a detached run never gets more. */
  permissionMode?: string;
  /** Hand over after so many iterations in one session. */
  freshEvery?: number;
  /** Sessions begun. */
  sessions: number;
  /** Stops that were held in the current session. */
  heldInSession: number;
  /** A session that was begun and has not come back: what crash recovery looks for. */
  open?: { session: string; resume: boolean; at: number };
  /** The current session was asked for a hand-over note, or has given it. */
  handOver?: 'asked' | 'given';
  /** What the last session left for the next one. */
  note?: string;
  compacted?: true;
  /** The work was judged since the last session came back, and is not done. */
  judged?: true;
  /** Sessions in a row that ended by an error. */
  failures: number;
  lastEnd?: SessionEnd & { at: number };
  /** What was counted of the current session's own totals; for `pricedTokens` of these the cost is known. */
  counted: {
    costUsd: number;
    tokens: number;
    pricedTokens?: number;
    /** Of these, what nobody reported so far. */
    estimated?: { costUsd: number; tokens: number };
  };
  /** What clients reported so far: what a token of this run costs. */
  priced?: { costUsd: number; tokens: number };
  /** Of a run that divides its work. */
  children?: Children;
  /** The run that this one does a piece of. */
  parent?: string;
}

/** What a child may use up; taken off what is left of its parent's limits. */
export interface Share {
  costUsd: Limit;
  tokens: Limit;
  iterations: Limit;
}

export interface Spent {
  costUsd: number;
  /** The part of the cost that no client reported. */
  estimatedUsd?: number;
  tokens: number;
  iterations: number;
}

export type MergeOutcome =
  | 'merged'
  /** Both sides changed the same lines: for somebody who reads them. */
  | 'conflict'
  /** What passed before did not pass any more. */
  | 'regressed'
  /** A hook, settings that were changed, work that was not committed. */
  | 'refused'
  /** There was no commit to take. */
  | 'nothing';

export interface ChildState {
  piece: string;
  loop: string;
  /** `nothing_to_do`: its piece passed before it began. */
  status: 'open' | 'nothing_to_do' | Ending;
  share: Share;
  spent: Spent;
  branch?: string;
  /** The last commit of its branch. */
  commit?: string;
  merge?: 'begun' | MergeOutcome;
  /** Of a conflict. */
  files?: string[];
  /** Why it was not done, or not merged. */
  detail?: string;
}

export interface Children {
  atOnce: number;
  pieces: number;
  /** In the order they were begun. When all is over, without those whose work is in. */
  list: ChildState[];
  /** Pieces whose work is in. */
  merged: number;
  /** From here on the parent works by itself. */
  over?: true;
}

/** What a Stop gets back. `allow` is silence and the loop lives on; `end` is an ending that a person is told about. */
export type Decision =
  | { kind: 'allow'; cause: 'paused' | 'ended' | WaitCause; wait?: WaitCause; detail?: string }
  /** Of a run: this session is over, and leaves `note` for the next one. */
  | { kind: 'allow'; cause: 'hand_over'; detail: string; note: string }
  | { kind: 'block'; instruction: 'continue' | 'different_approach' | 'hand_over' }
  | { kind: 'end'; status: Ending; cause: string; detail: string };

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
  return { ...closeWait(state, since), waiting: { why, since, detail: detail || undefined } };
}

/** An ending is final: whatever comes later changes nothing. */
export function end(state: LoopState, ending: Ending, cause: string, detail: string, now: number): LoopState {
  if (hasEnded(state)) return state;
  return { ...closeWait(state, now), status: ending, ending: { cause, detail, at: now } };
}

const REMEMBERED_SUBJECTS = 50;

/** How often in a row each subagent, task, teammate or prompt was refused; the newest last, only so many of them. */
export function guardedAfter(
  guarded: Readonly<Record<string, number>>,
  { subject, refused, verdicts }: { subject: string; refused: boolean; verdicts: readonly Verdict[] },
): Record<string, number> {
  const others = Object.entries(guarded).filter(([name]) => name !== subject);
  if (refused) {
    // Subjects come from outside: only what was counted counts, not what every object inherits.
    const before = (Object.hasOwn(guarded, subject) && guarded[subject]) || 0;
    return Object.fromEntries([...others.slice(1 - REMEMBERED_SUBJECTS), [subject, before + 1]]);
  }
  // What passes is no longer held up; what was only let go stays let go.
  return verdicts.some(blocks) ? { ...guarded } : Object.fromEntries(others);
}
