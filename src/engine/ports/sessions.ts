import type { Answer, HookEvent } from '../core/loop/event.ts';
import type { LoopState } from '../core/loop/state.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { SessionSandbox } from '../core/run/client-sandbox.ts';
import type { SessionFacts, SessionResult } from '../core/run/session-end.ts';

/** How a session of a run is started. */
export interface SessionPlan {
  /** The id for a new session, or of the session to resume. */
  session: string;
  resume: boolean;
  cwd: string;
  permissionMode: string;
  /** Permission rules that are allowed without asking. */
  allow: readonly string[];
  model?: string;
  appendSystemPrompt?: string;
  maxTurns?: number;
  /** What is left of the budget for this session. */
  maxCostUsd?: number;
  /** Added to the environment of Claude Code. */
  env: Record<string, string>;
  /** Walls around the shell of the agent; absent: there are none. */
  sandbox?: SessionSandbox;
  /** Other options of the Agent SDK, as the contract names them; never hooks, session or working folder. */
  client: Record<string, unknown>;
}

/** What the driver of a session hears of it. */
export interface SessionListener {
  /**
   * Answers an event of the session. After a rejection Claude Code goes on. `signal` says that the answer is no longer
   * wanted. The first SessionStart and the last SessionEnd are missing: Claude Code has no callbacks for them. `halt` ends
   * the whole session, also when the event comes from a subagent.
   */
  event(event: HookEvent, signal: AbortSignal): Promise<Answer>;
  /** Reports something that you may want to see. Never throws. */
  happened(happening: SessionHappening): void;
  /** Reports what the session has used, after every request and at the end of every turn. Never throws. */
  used?(used: SessionUse): void;
}

export interface SessionUse {
  /** Of all requests since this process of Claude Code began, those of subagents included. */
  tokens: number;
  /** The cost total of the session, which goes on over resume; only at the end of a turn. */
  costTotalUsd?: number;
  /** Only at a Stop: the totals of the session so far, which may go on; null when Claude Code does not tell them. */
  soFar?: SessionTotals | null;
}

/** They go on over resume, and include subagents. */
export type SessionTotals = Pick<SessionResult, 'costTotalUsd' | 'tokensTotal'>;

export type SessionHappening =
  | { kind: 'began'; session: string; model: string }
  | { kind: 'said'; text: string }
  | { kind: 'called'; tool: string; input: Record<string, unknown> }
  /** `denied`: it was denied, and so never ran. */
  | { kind: 'returned'; tool: string; failed: boolean; denied?: true }
  /** Claude Code denied a tool call, because nobody is there to allow it or a rule forbids it. */
  | { kind: 'denied'; tool: string; input: Record<string, unknown> }
  /** Claude Code tries an API call again. */
  | { kind: 'retry'; attempt: number; delayMs: number; why: string }
  | { kind: 'limit'; resetsAt?: number; text: string }
  | { kind: 'compacted' }
  | { kind: 'usage'; contextTokens: number; model: string }
  | { kind: 'told'; text: string };

/** A process of Claude Code that was started before its prompt is known. */
export interface ReadySession {
  plan: SessionPlan;
  /** Ends it without a prompt. Never throws; may be called twice, and after it was used. */
  discard(): Promise<void>;
}

export interface SessionLimits {
  /**
   * How long Claude Code may be silent before it counts as hung. Time that an event takes to answer does not count, nor
   * the delay of a retry; a running tool gives a sign every 30 seconds.
   */
  idleMs: number;
  /**
   * How long a session that has stopped by itself is kept for silent background tasks and one-time wake-ups; `idleMs` when
   * absent. A Stop that is answered with `halt` ends it at once.
   */
  backgroundMs?: number;
  /** The longest that the session may take, from now. */
  deadlineMs?: number;
  signal: AbortSignal;
}

/** Sessions of Claude Code, driven through the Agent SDK. The whole process tree of a session is gone when it has ended. */
export interface SessionPort {
  /** Why no session can be started on this machine, and what to do; undefined when one can. */
  missing(): Promise<string | undefined>;
  /** Starts Claude Code without a prompt, so that the first request leaves at once later. Rejects when it cannot. */
  prepare(plan: SessionPlan): Promise<ReadySession>;
  /**
   * Runs a session to its end. Never rejects. A hang, `signal` and `deadlineMs` end it early (`cutBy`); it may still have a
   * result then, which says what was spent. A prepared process is used once; one that has died is replaced.
   */
  run(
    session: ReadySession | SessionPlan,
    prompt: string,
    listener: SessionListener,
    limits: SessionLimits,
  ): Promise<SessionFacts>;
}

/** What `finish` does and reports. `here`: it publishes nothing. `published`: it reports only what it published. */
export type FinishWords = 'all' | 'here' | 'published';

/** Keeps the work of a run on a branch of its own: never by force, and never with your own uncommitted work. */
export interface RunGitPort {
  /** The folder of the sessions: the project, or a worktree beside it. */
  folder: string;
  branch: string;
  /** Messages for you when it begins. */
  notes: readonly string[];
  /** Takes the verdicts before the first session: what passes already is no progress. */
  startsFrom(baseline: readonly Verdict[]): void;
  /** Commits after a judged Stop when the work made progress. Returns messages for you; never rejects. */
  keep(state: LoopState, verdicts: readonly Verdict[]): Promise<string[]>;
  /** Pushes and opens the pull request where asked, when the run has ended or paused. Never rejects. */
  finish(state: LoopState, receipt: string | undefined, say?: FinishWords): Promise<string[]>;
  /** Removes branch and worktree of a run that did not begin, when nothing was done there. Never rejects. */
  takeBack(): Promise<string[]>;
}
