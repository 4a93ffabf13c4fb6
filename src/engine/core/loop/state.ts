import type { AskPolicy, Limit } from '../run/option-values.ts';
import type { Pace } from '../run/options.ts';
import type { SessionEnd } from '../run/session-end.ts';
import type { BaseGate } from './since-start.ts';
import type { StartedWith } from './started-with.ts';
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

/** Why a loop waits without having ended. Waiting spends no iteration. */
export type WaitCause =
  | 'paused'
  | 'needs_person'
  /** The loop, or its agent, asks you a question (`untildone approve`, `untildone answer`). */
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
  /** 1 at the start, one more with every hold. */
  iteration: number;
  maxIterations: Limit;
  startedAt: number;
  /** The time of the last line. */
  lastAt: number;
  /** When the last Stop reached us, or the loop began; absent in journals of older versions. */
  stoppedAt?: number;
  /** A turn of the session ended at this time, and no Stop has reached us since. */
  missed?: { at: number };
  /** Holds in a row without a tool call or a new prompt in between: Claude Code allows only so many. */
  blocksInARow: number;
  promptId?: string;
  /** A tool call of the session was seen since the last hold. */
  toolSeen: boolean;
  /** A tool call of a subagent was seen since the last hold. */
  agentToolSeen?: true;
  emptyAnswers: number;
  lastMessage?: { fingerprint: string; times: number };
  /** What fails, how often in a row, and how often of these with an unchanged tree. */
  picture?: { fingerprint: string; times: number; tree?: string; timesSameTree: number };
  waiting?: { why: WaitCause; since: number; detail?: string };
  /** How many Stops in a row were excused by background work or wake-ups, and on which tree. */
  excused?: { times: number; tree?: string };
  /** A limit was reached while subagents worked, and they were waited for. */
  lastWait?: true;
  /** The sum of all ended waits, pauses included. */
  waitedMs: number;
  /** When each background task was first seen running. */
  background: Record<string, number>;
  /** `estimatedUsd` is the part of the cost that Claude Code did not report. */
  spent: { tokens: number; costUsd: number; estimatedUsd?: number };
  /** How far the transcript was read, and the cost total of Claude Code at that place; and those of the subagents. */
  read: { offset: number; lastMessageId?: string; costTotalUsd?: number; agents?: AgentsRead };
  /** The part of `spent.tokens` that subagents of sessions spent. */
  spentBySubagents?: number;
  gates: GateLine[];
  /** SHA-256 of `contract.json`, the frozen contract. */
  contractSha256: string;
  /** Lines in the journal that untildone did not write, or that others removed. */
  foreignLines: number;
  /** How many of them the agent was told about. */
  foreignTold: number;
  /**
   * The start tree, its commit, and whether everything that could be measured passed on it. `changeGate`: the gate that
   * asks for a change, although the contract does not. `gates`: what each gate said there; absent where that is not known.
   */
  base: { tree?: string; commit?: string; passing?: true; changeGate?: string; gates?: BaseGate[] };
  /** Tests that were changed before the loop began. */
  startedWith?: StartedWith;
  /** How often each subagent, task, teammate or prompt was refused in a row; the newest last. */
  guarded: Record<string, number>;
  /** Exceptions that you allowed by name (`untildone allow`). */
  allowed: string[];
  /** `rests`: what a verified ending rests on, in words; absent in journals of older versions. */
  ending?: { cause: string; detail: string; at: number; rests?: string };
  /** Of a loop in a foreign format: the iteration that its state file was last seen with. */
  fileIteration?: number;
  /** Of an ended loop in a foreign format: its state files were written for the last time. */
  closed?: true;
  /** Of a contract with phases. */
  phase?: PhaseState;
  /** Your answers to the questions of this loop, by the gate that asks, or by the name of the agent's question. */
  answers?: Record<string, Answered>;
  /** What the agent asked (`untildone ask`), the newest last; only the newest are remembered. */
  questions?: AskedQuestion[];
  /** How many questions the agent asked in all, and how many of them since something changed in what fails. */
  asked?: { count: number; inARow: number };
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
  /** The same failure has the same fingerprint. */
  fingerprint?: string;
  /** The iteration since which the verdict has been the same. */
  since: number;
  /** What to do next; only on the first gate that holds the loop and knows it. */
  next?: string;
  /** Of chunks: each of them. */
  parts?: { name: string; verdict: Outcome; summary: string }[];
}

/** A subagent of a loop, as its events describe it. */
export interface AgentLine {
  id: string;
  type: string;
  /**
   * passed: it ended, and the gates for its type passed, or there are none. failed: it was allowed to stop although they
   * fail. lost: it no longer runs, and no event told how it ended.
   */
  status: 'working' | 'passed' | 'failed' | 'lost';
  begunAt: number;
  endedAt?: number;
  /** The failures with which it was allowed to stop. */
  failed?: string;
  /** It passed, and something was measured. */
  measured?: true;
  /** What it said last, in short; of the newest only. The journal has more of it. */
  said?: string;
  /** The session was told what it said, together with what the others said. */
  told?: true;
  /** Its own worktree, and the commit of that at its start. */
  worktree?: { folder: string; commit?: string };
}

/** How far the transcripts of the session's subagents were read. */
export interface AgentsRead {
  /** A transcript that was last written up to this moment, and is not in the list, counts as read. */
  since: number;
  /** Those that were written last, oldest first. */
  files: ReadTranscript[];
}

export interface ReadTranscript {
  /** Its path below the folder of the subagents. */
  file: string;
  /** The end of the last line that was read. */
  offset: number;
  /** The last answer that was counted: some of its lines may come after `offset`. */
  lastMessageId?: string;
  /** When it was last written, as far as it was read. */
  at: number;
  /** Only lines that name a later time count: it is older than the loop, or was written anew. */
  since?: number;
}

/** A question of the agent (`untildone ask`). */
export interface AskedQuestion {
  /** `question 1`: no gate has such a name, so its answer stands among those for gates. */
  name: string;
  text: string;
  options?: string[];
  at: number;
  policy: AskPolicy;
  /** The longest that a run waits for the answer. */
  waitMs: Limit;
}

/** approved, rejected: `untildone approve`, `untildone reject`. The others are for questions of the agent. */
export const SAID = [
  'approved',
  'rejected',
  /** You answered it: `untildone answer`. */
  'answered',
  /** You sent a prompt in the session while it was open. The journal keeps no prompts. */
  'prompted',
  /** The agent decided it, because nobody is there: an assumption. */
  'decided',
] as const;

/** An answer to a question of a loop. */
export interface Answered {
  said: (typeof SAID)[number];
  note?: string;
  /** The option of the question that was chosen, counted from 1. */
  option?: number;
  at: number;
  /** SHA-256 of the file that the question was about. */
  digest?: string;
  /** The agent has been told. */
  told?: true;
}

/** The phase that a loop is in. */
export interface PhaseState {
  name: string;
  /** Iterations in this phase; 0 at the Stop at which it begins. */
  iteration: number;
  /** Working time of the loop when the phase began. */
  since: number;
}

/** What the driver of a run needs to go on, after a crash too. */
export interface RunState extends Pace {
  /** The permission mode of the session that became this run; the run never gets more. */
  permissionMode?: string;
  /** How many sessions were started. */
  sessions: number;
  /** Stops that were held in the current session. */
  heldInSession: number;
  /** The session that was started and has not ended. After a crash, the run recovers it. */
  open?: { session: string; resume: boolean; at: number };
  /** The current session was asked for a hand-over note, or has given it. */
  handOver?: 'asked' | 'given';
  /** The last hand-over note. */
  note?: string;
  compacted?: true;
  /**
   * The run has moved to another folder, so the next session is a fresh one. In the middle of an iteration, it goes on with
   * that one, and is no further one.
   */
  moved?: 'in_iteration' | 'between';
  /** The work was judged since the last session ended, and is not done. */
  judged?: true;
  /** Sessions in a row that ended by an error. */
  failures: number;
  lastEnd?: SessionEnd & { at: number };
  /** What was counted of the current session; the cost of `pricedTokens` is known. */
  counted: {
    costUsd: number;
    tokens: number;
    pricedTokens?: number;
    /** The part that was estimated, because Claude Code has not reported it. */
    estimated?: { costUsd: number; tokens: number };
  };
  /** The reported cost and its tokens, from which the price of a token is estimated. */
  priced?: { costUsd: number; tokens: number };
  /** Tool calls that Claude Code denied: how many different ones, and the first of them. */
  denied?: { count: number; first: string[] };
  /** Of a run that divides its work. */
  children?: Children;
  /** The run that this one does a piece of. */
  parent?: string;
}

/** What a child may spend, out of what is left of the limits of its parent. */
export interface Share {
  costUsd: Limit;
  tokens: Limit;
  iterations: Limit;
}

export interface Spent {
  costUsd: number;
  /** The part of the cost that Claude Code did not report. */
  estimatedUsd?: number;
  tokens: number;
  iterations: number;
}

export type MergeOutcome =
  | 'merged'
  /** Both sides changed the same lines. */
  | 'conflict'
  /** Gates that passed before fail with it. */
  | 'regressed'
  /** A git hook refused it, or the settings changed, or work was not committed. */
  | 'refused'
  /** There was no commit to merge. */
  | 'nothing';

export interface ChildState {
  piece: string;
  loop: string;
  /** `nothing_to_do`: its piece passed before it started. */
  status: 'open' | 'nothing_to_do' | Ending;
  share: Share;
  spent: Spent;
  branch?: string;
  /** The last commit of its branch. */
  commit?: string;
  merge?: 'begun' | MergeOutcome;
  /** The files in conflict. */
  files?: string[];
  /** Why it was not done, or not merged. */
  detail?: string;
}

export interface Children {
  atOnce: number;
  pieces: number;
  /** In the order of their start; once `over`, only those that were not merged. */
  list: ChildState[];
  /** How many pieces were merged. */
  merged: number;
  /** All children have ended; the parent works by itself. */
  over?: true;
}

interface AllowedForNow {
  kind: 'allow';
  cause: 'paused' | 'ended' | WaitCause;
  wait?: WaitCause;
  detail?: string;
  /** A limit is reached: at the next Stop it ends the loop. */
  last?: true;
}

/** The decision about a Stop. `allow`: the session stops and the loop stays active. `end`: the loop ends. */
export type Decision =
  | AllowedForNow
  /** Of a run: the session ends and leaves `note` for the next one. */
  | { kind: 'allow'; cause: 'hand_over'; detail: string; note: string }
  | { kind: 'block'; instruction: 'continue' | 'different_approach' | 'hand_over' }
  /** `rests`: what a verified ending rests on, in words. */
  | { kind: 'end'; status: Ending; cause: string; detail: string; rests?: string };

export function hasEnded(state: LoopState): boolean {
  return state.status !== 'active' && state.status !== 'paused';
}

/** Whether it waits for you: an answer, or something that only you can do. */
export function asksPerson({ waiting }: Pick<LoopState, 'waiting'>): boolean {
  return waiting?.why === 'needs_person' || waiting?.why === 'approval';
}

/** Whether this status says that the work is done, proven or claimed. */
export function isDone(status: string): boolean {
  return status === 'verified_done' || status === 'claimed_done';
}

/** The counts of a session at its start. */
export const NEW_SESSION = {
  blocksInARow: 0,
  toolSeen: false,
  agentToolSeen: undefined,
  emptyAnswers: 0,
  background: {},
  excused: undefined,
} as const;

/** Ends an open wait and adds its time to `waitedMs`. */
export function closeWait(state: LoopState, now: number): LoopState {
  if (!state.waiting) return state;
  const { waiting, ...rest } = state;
  return { ...rest, waitedMs: state.waitedMs + Math.max(0, now - waiting.since) };
}

export function openWait(state: LoopState, why: WaitCause, since: number, detail?: string): LoopState {
  return { ...closeWait(state, since), waiting: { why, since, detail: detail || undefined } };
}

/** Ends a loop. An ended loop keeps its first ending. */
export function end(state: LoopState, ending: Ending, cause: string, detail: string, now: number): LoopState {
  if (hasEnded(state)) return state;
  return { ...closeWait(state, now), status: ending, ending: { cause, detail, at: now } };
}

const REMEMBERED_SUBJECTS = 50;

/** Counts refusals in a row of subagents, tasks, teammates and prompts; only the newest are remembered. */
export function guardedAfter(
  guarded: Readonly<Record<string, number>>,
  { subject, refused, verdicts }: { subject: string; refused: boolean; verdicts: readonly Verdict[] },
): Record<string, number> {
  const others = Object.entries(guarded).filter(([name]) => name !== subject);
  if (refused) {
    // Own properties only: a subject may be a name that every object inherits.
    const before = (Object.hasOwn(guarded, subject) && guarded[subject]) || 0;
    return Object.fromEntries([...others.slice(1 - REMEMBERED_SUBJECTS), [subject, before + 1]]);
  }
  // A pass resets the count. What was allowed although it fails keeps it, and is allowed again.
  return verdicts.some(blocks) ? { ...guarded } : Object.fromEntries(others);
}
