import type { FrozenContract } from '../core/contract/contract.ts';
import type { HookEvent } from '../core/loop/event.ts';
import type { GateCall } from '../core/loop/plan-gates.ts';
import type { AgentLine, Answered } from '../core/loop/state.ts';
import type { Took, Verdict } from '../core/loop/verdict.ts';
import type { VerdictCache, Workspace } from './ports.ts';

/** A session as gates see it, whatever of it is judged: its contract and its start. */
export interface JudgedSession extends FrozenContract {
  session: string;
  task: string;
  /** A folder for whole outputs of gates. */
  outputDir: string;
  /** The tree and the commit at the start; absent without a loop, or when they could not be read. */
  base: { tree?: string; commit?: string };
  /** Exceptions that you allowed by name (`untildone allow`). */
  allowed: readonly string[];
  /** Your answers to the questions of the loop, by gate; these and `agents` are absent without a loop. */
  answers?: Readonly<Record<string, Answered>>;
  agents?: readonly AgentLine[];
  /** What the loop has counted; absent without a loop. */
  loop?: LoopCounts;
  /** Verdicts of earlier judgings; absent: verdicts are neither re-used nor kept. */
  cache?: VerdictCache;
}

/** Asks to judge some gates of the contract of a session. */
export interface JudgingRequest extends JudgedSession {
  calls: readonly GateCall[];
  /** The event that is judged; absent for `verify` and for a baseline. */
  event?: HookEvent;
  /** The final message of the turn; absent when it is not known. */
  lastMessage?: string;
  transcript?: string;
  /** A tool ran since the last judging, so a failure may be mended although the tree is the same. */
  toolRan: boolean;
  /** No model is asked. */
  unpaid?: true;
  /** Of a subagent: the files that are its work, where these are known. */
  onlyPaths?: readonly string[];
  /** Of a subagent in its own worktree: `frozen` names the project there, `of` the original project. */
  worktree?: { workspace: Workspace; of: string };
  /** Verdicts on this very tree and contract that were found just before. */
  served?: ReadonlyMap<string, Verdict>;
  /** Hears what happens while gates are judged. */
  progress?: JudgingProgress;
  /** Ends the judging, and everything that it started. */
  signal?: AbortSignal;
}

export interface JudgingProgress {
  /** A gate has its turn and its room: its command may run. */
  runs(gate: string): void;
  judged(verdict: Verdict): void;
}

/** When a loop began, and what it has counted up to the Stop before. */
export interface LoopCounts {
  startedAt: number;
  iteration: number;
  tokens: number;
  costUsd: number;
}

export interface Judged {
  verdicts: Verdict[];
  /** The tree that was judged; absent when no gate needed it or it could not be read. */
  tree?: string;
  /** How long each gate took that was judged now and not in an instant. */
  took?: Record<string, Took>;
}

/** The work of a subagent, as far as it can be told apart from the rest of the project. */
export interface OwnWork {
  /** Those of the gates for its type that apply to its work. */
  calls(planned: readonly GateCall[]): GateCall[];
  work: Partial<JudgingRequest>;
  /** The verdicts, with what the subagent has to know about how it was judged. */
  explained(verdicts: readonly Verdict[]): Verdict[];
}
