import type { FrozenContract } from '../core/contract/contract.ts';
import type { HookEvent } from '../core/loop/event.ts';
import type { GateCall } from '../core/loop/plan-gates.ts';
import type { AgentLine, Answered } from '../core/loop/state.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { VerdictCache, Workspace } from './ports.ts';

/** Asks to judge some gates of one contract. */
export interface JudgingRequest {
  calls: readonly GateCall[];
  frozen: FrozenContract;
  session: string;
  task: string;
  outputDir: string;
  base: { tree?: string; commit?: string };
  allowed: readonly string[];
  /** What a person said to the questions of the loop, and its subagents; absent where there is no loop. */
  answers?: Readonly<Record<string, Answered>>;
  agents?: readonly AgentLine[];
  /** Of a subagent: the only files that are its work, as far as this can be told. */
  onlyPaths?: readonly string[];
  /** Of a subagent in a worktree of its own: `frozen` names the project there, this is the project it was made for. */
  worktree?: { workspace: Workspace; of: string };
  lastMessage?: string;
  transcript?: string;
  /** The event that is judged; absent when nothing happened (`verify`, a baseline). */
  event?: HookEvent;
  /** Verdicts of earlier judgings; absent: nothing is re-used, nothing kept. */
  cache?: VerdictCache;
  /** A tool ran since the last judging: a failure may have been mended outside the tree. */
  toolRan: boolean;
}

export interface Judged {
  verdicts: Verdict[];
  /** The tree that was judged; absent when it could not be had or nothing needed it. */
  tree?: string;
}

/** The work of a subagent, as far as it can be told from the rest of the project. */
export interface OwnWork {
  /** The gates that it is to be judged by, of those that guard its type. */
  calls(planned: readonly GateCall[]): GateCall[];
  work: Partial<JudgingRequest>;
  /** The verdicts, with what the agent has to know about how they were found. */
  explained(verdicts: readonly Verdict[]): Verdict[];
}
