import type { Contract, Limit, Limits } from '../core/contract/contract.ts';
import type { Decision, LoopState } from '../core/loop/state.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { LoopRef } from './ports.ts';

/** A loop that the session of an event owns. */
export interface SessionLoop {
  ref: LoopRef;
  state: LoopState;
  /** Present for a loop that lives in a foreign format. */
  format?: FormatBehaviour;
}

/** The loops of a session that live in foreign state files. */
export interface ForeignLoops {
  loops: SessionLoop[];
  /** What the person should be told about such files. */
  messages: string[];
}

/** What a foreign format adds to the handling of a Stop: its own judgement, limits, words and files. */
export interface FormatBehaviour {
  verdicts(contract: Contract): Promise<Verdict[]>;
  limits(limits: Limits): Limits;
  /** Words a refused Stop in the format's own way. */
  instruct(held: Held): Words;
  /** Writes what was decided into the format's own files; returns what the person should be told besides. */
  writeBack(decision: Decision, after: LoopState, verdicts: readonly Verdict[]): string[];
  /** Whether this file, named without links, is one that the format asks the agent itself to write. */
  agentWrites(path: string): boolean;
}

/** What a format needs to know to word a refused Stop. */
export interface Held {
  /** The iteration that begins. */
  iteration: number;
  maxIterations: Limit;
  verdicts: readonly Verdict[];
  instruction: Extract<Decision, { kind: 'block' }>['instruction'];
  /** Where the whole task lies, for a task too long to repeat. */
  taskFile: string;
  promise?: string;
  /** What else has to be said before everything else. */
  notes?: readonly string[];
}

export interface Words {
  /** For the model. */
  reason: string;
  /** For the person. */
  message?: string;
}

/** What a loop writes into the project's notes at a Stop. */
export interface LoopStop {
  project: string;
  contract: Pick<Contract, 'memory' | 'phases'>;
  /** After the decision. */
  state: LoopState;
  /** Its beginning, without secrets. */
  task: string;
  verdicts: readonly Verdict[];
  now: number;
}
