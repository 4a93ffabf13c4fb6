import type { FrozenContract } from '../core/contract/contract.ts';
import type { PhaseSituation } from '../core/loop/phases.ts';
import type { AgentLine } from '../core/loop/state.ts';
import type { GuardedAgent } from '../core/loop/subagents.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { JudgingRequest } from './judging.ts';

/**
 * A session whose prompts, tools, subagents and tasks a contract guards, and where that is counted and recorded: in the
 * journal of its loop, or, for a session without a loop, in its standing record.
 */
export interface GuardedSession {
  contract: FrozenContract;
  /** Whether the contract guards anything: a person approved it, and nobody put another one in its place. */
  rules(): boolean;
  /** False for a paused loop: its agents are told nothing. */
  isActive: boolean;
  /** The phase that the loop is in; absent where there are no phases. */
  phase?: PhaseSituation;
  /** Whether events that refuse nothing are recorded, too. */
  keepsNotes: boolean;
  /** The folder for whole outputs of gates. */
  outputDir: string;
  /** What a judging needs to know of the session. */
  facts(): JudgingFacts;
  /** How often in a row this subject (a subagent, a task, a teammate, a prompt) was refused. */
  refusals(subject: string): number;
  /** The worktree that a subagent was seen to begin in. */
  worktreeOf(agent: string): AgentLine['worktree'];
  /** Counts and records what guarding an event came to. Never throws. */
  record(outcome: GuardOutcome): Recorded;
  /** Records an event that is not counted; returns what the person should be told. Never throws. */
  note(detail: Record<string, string>, options?: { durable?: boolean }): string[];
}

export type JudgingFacts = Pick<
  JudgingRequest,
  'frozen' | 'session' | 'task' | 'outputDir' | 'base' | 'allowed' | 'answers' | 'agents' | 'cache'
>;

export interface GuardOutcome {
  subject: string;
  verdicts: Verdict[];
  refused: boolean;
  /** The subagent that stops. */
  agent?: GuardedAgent;
}

export interface Recorded {
  written: boolean;
  /** What the person should be told, once. */
  messages: string[];
}
