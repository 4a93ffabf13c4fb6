import type { Contract, Limits } from '../core/contract/contract.ts';
import type { Decision, LoopState } from '../core/loop/state.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { Limit } from '../core/run/option-values.ts';
import type { LoopRef } from './ports.ts';

/** A loop of the session that an event comes from. */
export interface SessionLoop {
  ref: LoopRef;
  state: LoopState;
  /** Present for a loop in a foreign format. */
  format?: FormatBehaviour;
}

/** The loops of a session that come from foreign state files. */
export interface ForeignLoops {
  loops: SessionLoop[];
  /** Messages for you about such files. */
  messages: string[];
}

/** What a foreign format adds to the handling of a Stop: verdicts, limits, words and files. */
export interface FormatBehaviour {
  /** `judged`: the verdicts of the contract's gates. */
  verdicts(contract: Contract, judged: readonly Verdict[]): Promise<Verdict[]>;
  limits(limits: Limits): Limits;
  /** The reason for a held Stop, in the words of the format. */
  instruct(held: Held): Words;
  /** Writes a decision into the files of the format; returns further messages for you. */
  writeBack(decision: Decision, after: LoopState, verdicts: readonly Verdict[]): string[];
  /** The loop may go on as a run. */
  handsOver?: true;
  /** Whether the format asks the agent itself to write this file (a path without links). */
  agentWrites(path: string): boolean;
}

/** What a format needs to know for the reason of a held Stop. */
export interface Held {
  /** The iteration that begins. */
  iteration: number;
  maxIterations: Limit;
  verdicts: readonly Verdict[];
  instruction: Extract<Decision, { kind: 'block' }>['instruction'];
  /** Where the whole task lies, for a task too long to repeat. */
  taskFile: string;
  promise?: string;
  /** What is said before everything else. */
  notes?: readonly string[];
}

export interface Words {
  /** For the agent. */
  reason: string;
  /** For you. */
  message?: string;
}

/** What the notes of the project are updated with at a Stop. */
export interface LoopStop {
  project: string;
  contract: Pick<Contract, 'memory' | 'phases'>;
  /** After the decision. */
  state: LoopState;
  /** The beginning of the task, without secrets. */
  task: string;
  verdicts: readonly Verdict[];
  now: number;
}
