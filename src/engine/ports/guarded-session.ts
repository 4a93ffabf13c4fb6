import type { FrozenContract } from '../core/contract/contract.ts';
import type { PhaseSituation } from '../core/loop/phases.ts';
import type { AgentLine } from '../core/loop/state.ts';
import type { GuardedAgent } from '../core/loop/subagents.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { JudgedSession } from './judging.ts';

/**
 * A session whose prompts, tools, subagents and tasks are judged by a contract. Refusals are counted and recorded in the
 * journal of its loop, or, without a loop, in its record of standing gates.
 */
export interface GuardedSession {
  contract: FrozenContract;
  /** Whether the contract counts: it is trusted, and it was not replaced. */
  rules(): boolean;
  /** False for a paused loop: its subagents are told nothing. */
  isActive: boolean;
  /** The phase that the loop is in; absent where there are no phases. */
  phase?: PhaseSituation;
  /** Whether events without a refusal are recorded, too. */
  keepsNotes: boolean;
  /** The folder for whole outputs of gates. */
  outputDir: string;
  /** The session as gates see it. */
  judged(): JudgedSession;
  /** How often in a row this subject (a subagent, a task, a teammate, a prompt) was refused. */
  refusals(subject: string): number;
  /** The worktree in which a subagent started. */
  worktreeOf(agent: string): AgentLine['worktree'];
  /** Counts and records the outcome for an event. Never throws. */
  record(outcome: GuardOutcome): Recorded;
  /** Records an event without counting it; returns messages for you. Never throws. */
  note(detail: Record<string, string>, options?: { durable?: boolean }): string[];
}

export interface GuardOutcome {
  subject: string;
  verdicts: Verdict[];
  refused: boolean;
  /** The subagent that stops. */
  agent?: GuardedAgent;
}

export interface Recorded {
  written: boolean;
  /** Messages for you, each shown once. */
  messages: string[];
}
