import type { GateSpec, Limit, Limits } from '../core/contract/contract.ts';
import type { HookEvent } from '../core/loop/event.ts';
import type { Decision, LoopState } from '../core/loop/state.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { ForeignFiles, StateChange, Workspace } from '../ports/ports.ts';
import type { Held, Words } from '../ports/session-loop.ts';

export const FORMAT_NAMES = ['ralph-loop', 'feature-list', 'verified-done', 'lock'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** Where a session's foreign state can lie. Paths are absolute, without a slash at their end. */
export interface StatePlace {
  session: string;
  /** The folder that the session was started in. */
  folder: string;
  /** The user's own home. */
  userHome: string;
  /** When the session began, as far as it is known. */
  since?: number;
  /** `RALPH_LOOP_DIR`, when set. */
  ralphLoopDir?: string;
  now: number;
}

/** What is found where a format keeps its state. Reading never changes anything. */
export type Reading =
  | { kind: 'none' }
  /** Something is there but cannot be used: nobody is held, nothing is changed, the person is told. */
  | { kind: 'unusable'; problem: string; damage?: Damage }
  | { kind: 'loop'; loop: ForeignLoop };

/** A file that is there and could be mended by whoever writes it. */
export interface Damage {
  file: string;
  /** What is wrong with it, and where. */
  fault: string;
}

/** A foreign format. Every loop in it is bound by the rules of all loops; this says what its files mean. */
export interface StateFormat {
  name: FormatName;
  /** The key of ownership: the same for the same place, whether or not something is there. Undefined: cannot be here. */
  path(place: StatePlace): string | undefined;
  /** Further files that speak to a session: what of all this came with the repository needs a person's word. */
  parts?(place: StatePlace): string[];
  read(place: StatePlace, files: ForeignFiles): Reading;
  /**
   * Whether a file (its path without links) is one that the agent itself has to write, or the work could never be done.
   * Absent: there is none.
   */
  agentWrites?(path: string, place: StatePlace, files: ForeignFiles): boolean;
  /** What the format keeps of events beside its loops (metrics, logs). Only asked of the session that owns the state. */
  observe?(event: HookEvent, place: StatePlace, files: ForeignFiles): StateChange[];
}

/** A loop as its foreign state describes it at this moment. */
export interface ForeignLoop {
  /** Decides what is "the same loop": the same identity stays cancelled, another one is another loop. */
  identity: string;
  /** The session that the state names as its owner. */
  owner?: string;
  /** How a state that names no owner gets one: the first session that stops, or only a person (`untildone claim`). */
  claimedBy: 'first' | 'person';
  task: string;
  /** What the state counts; absent where it counts nothing, or nothing that is a number. */
  iteration?: number;
  /** Where counting begins for a state that counts nothing yet. */
  firstIteration: number;
  /** The state is only read: our own count goes on beside its count, and the larger one is the iteration. */
  readOnly?: true;
  maxIterations: Limit;
  /** Other limits that the format sets. */
  limits: Partial<Limits>;
  /** Gates that the format asks for (a promise); frozen when the loop is taken over. */
  gates: Record<string, GateSpec>;
  /** How hard the work is, where the format says so (1 to 10). */
  complexity?: number;
  /** Why this state asks for nothing now (complete, inactive, expired): it is not taken over. A living loop is judged. */
  rest?: string;
  /** With `rest`: it rests because it says that the work is done. A session that was not judged for it yet is judged. */
  saysDone?: true;
  /** Its time is over: a living loop ends as having reached its limit. */
  expired?: true;
  /** What the person should know: a counter that is no number, a limit that was set for safety. */
  notes: string[];
  /** What the state itself says about the work. Claimed, whatever it rests on: the agent can write these files. */
  judge(look: Look): Verdict[] | Promise<Verdict[]>;
  /** Whether a loop of the same identity that ended before is to begin anew for this session. */
  renews(ended: LoopState, session: string): boolean;
  /** The instruction of a held Stop in the format's own words. */
  instruct(held: Held): Words;
  /** What the format's files become after a Stop was decided; `after` is the state then. */
  writeBack(decision: Decision, after: LoopState, verdicts: readonly Verdict[]): StateChange[];
  /** What the format's own hook would have put out at this ending; journaled, and shown to the person. */
  output?(after: LoopState, verdicts: readonly Verdict[]): Record<string, string | string[]>;
}

/** What judging a state may look at beside its files. */
export interface Look {
  workspace(): Promise<Workspace>;
  /** The loop's contract asks for more than a promise: something else decides when the work is done. */
  hasGates: boolean;
}
