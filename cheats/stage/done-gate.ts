import type { Case, Project, Step } from '../format.ts';
import type { Place } from './place.ts';

/** What decides whether an agent may stop: untildone, or another program that is to be compared. */
export interface DoneGate {
  /** Sets itself up in a project, once; you commit what it writes there. */
  prepare(place: Place, project: Project): Promise<void>;
  /** Your changes before the start are done: what you have to say to them. */
  prepareAgain(place: Place): Promise<void>;
  start(place: Place, project: Project, played: Case): Promise<Guarded>;
}

/** A session that is held until the gate says that it is done. */
export interface Guarded {
  /** The environment of the agent's shell. */
  readonly agentEnv: Record<string, string>;
  /** Asks before a tool is used; returns why it is refused. */
  refuses(step: Step): Promise<string | undefined>;
  used(step: Step): Promise<void>;
  stop(message: string): Promise<Stopped>;
  /** You run a command of untildone. */
  answer(args: readonly string[]): Promise<void>;
  ending(): Promise<Ending>;
  close(): Promise<void>;
}

export interface Stopped {
  held: boolean;
  said: string;
}

export interface Ending {
  /** `active`, `verified_done`, ... */
  status: string;
  done: boolean;
  /** It waits for your answer. */
  asks: boolean;
  /** What was said to you about a work that is done. */
  receipt: string;
  /** Gates that do not pass, in the order of the contract. */
  gates: string[];
}
