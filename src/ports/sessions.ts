import type { Answer, HookEvent } from '../core/loop/event.ts';
import type { LoopState } from '../core/loop/state.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { SessionFacts } from '../core/run/session-end.ts';

/** How one client session of a run is to be started. */
export interface SessionPlan {
  /** Ours to choose for a new session; the one to go on with when `resume`. */
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
  /** Added to the client's environment. */
  env: Record<string, string>;
  /** Other options of the Agent SDK, as the contract names them; never hooks, session or working folder. */
  client: Record<string, unknown>;
}

/** What the one who drives a session hears of it. */
export interface SessionListener {
  /**
   * A hook event of the session; what it gets back is the client's to obey. A rejection lets the client go on. `signal`
   * says that the answer is no longer wanted. Not among them: the SessionStart of the beginning and the SessionEnd of
   * the end, for which the client has no callbacks.
   */
  event(event: HookEvent, signal: AbortSignal): Promise<Answer>;
  /** Something happened that a person may want to see. Never throws. */
  happened(happening: SessionHappening): void;
}

export type SessionHappening =
  | { kind: 'began'; session: string; model: string }
  | { kind: 'said'; text: string }
  | { kind: 'called'; tool: string; input: Record<string, unknown> }
  | { kind: 'returned'; tool: string; failed: boolean }
  /** The client tries an API call again. */
  | { kind: 'retry'; attempt: number; delayMs: number; why: string }
  | { kind: 'limit'; resetsAt?: number; text: string }
  | { kind: 'compacted' }
  | { kind: 'usage'; contextTokens: number; model: string }
  | { kind: 'told'; text: string };

/** A client that was started ahead of its prompt. */
export interface ReadySession {
  plan: SessionPlan;
  /** Ends it without a prompt. Never throws; may be called twice, and after it was used. */
  discard(): Promise<void>;
}

export interface SessionLimits {
  /**
   * So long without any message of the client is a hang. Time in an event's answer does not count, nor the delay of a
   * retry; a tool that runs gives a sign every 30 seconds.
   */
  idleMs: number;
  /**
   * How long, in silence, tasks in the background and one-time wake-ups keep a session that has come to its end by
   * itself; `idleMs` when absent. A Stop that is answered with `halt` ends it at once.
   */
  backgroundMs?: number;
  /** The longest that the session may take, from now. */
  deadlineMs?: number;
  signal: AbortSignal;
}

/** Client sessions, driven through the Agent SDK: every session is one process tree that is gone when it has ended. */
export interface SessionPort {
  /** Why no session can be started here at all, and what to do; undefined when one can. */
  missing(): Promise<string | undefined>;
  /** Starts the client without a prompt, so that the first request later leaves at once. Rejects with why it cannot. */
  prepare(plan: SessionPlan): Promise<ReadySession>;
  /**
   * Runs a session to its end and never rejects. A hang, `signal` and `deadlineMs` end it before (`cutBy`); it may
   * still have a result then, which says what was spent. A prepared client is used up; one that is gone is replaced.
   */
  run(
    session: ReadySession | SessionPlan,
    prompt: string,
    listener: SessionListener,
    limits: SessionLimits,
  ): Promise<SessionFacts>;
}

/** `here`: nothing is published. `published`: only what became of that is said. */
export type FinishWords = 'all' | 'here' | 'published';

/** The work of a run in git, on a branch of its own: never by force, never the user's own uncommitted work. */
export interface RunGitPort {
  /** Where the sessions work: the project, or a worktree beside it. */
  folder: string;
  branch: string;
  /** What a person should know when it begins. */
  notes: readonly string[];
  /** How the gates stand before the first session: what passes already is no progress. */
  startsFrom(baseline: readonly Verdict[]): void;
  /** After a judged Stop: commits when the work made progress. Returns lines for the person; never rejects. */
  keep(state: LoopState, verdicts: readonly Verdict[]): Promise<string[]>;
  /** When the run has ended or paused: pushes and opens the pull request where asked. Never rejects. */
  finish(state: LoopState, receipt: string | undefined, say?: FinishWords): Promise<string[]>;
  /** The run did not begin: takes branch and worktree back when nothing was done there. Never rejects. */
  takeBack(): Promise<string[]>;
}
