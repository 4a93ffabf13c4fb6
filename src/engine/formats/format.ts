import type { GateSpec, Limits } from '../core/contract/contract.ts';
import type { HookEvent } from '../core/loop/event.ts';
import type { Decision, LoopState } from '../core/loop/state.ts';
import type { Measured, Verdict } from '../core/loop/verdict.ts';
import type { Limit } from '../core/run/option-values.ts';
import type { ForeignFiles, StateChange, ToolCalls, Workspace } from '../ports/ports.ts';
import type { Held, Words } from '../ports/session-loop.ts';

export const FORMAT_NAMES = ['ralph-loop', 'feature-list', 'verified-done', 'lock'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** Says where the state of a session can lie. Paths are absolute and do not end with a slash. */
export interface StatePlace {
  session: string;
  /** The folder that the session was started in. */
  folder: string;
  /** The user's own home. */
  userHome: string;
  /** When the session began; absent when that is not known. */
  since?: number;
  /** `RALPH_LOOP_DIR`, when set. */
  ralphLoopDir?: string;
  /** `AMPLIHACK_MAX_LOCK_ITERATIONS`, when set. */
  maxLockIterations?: string;
  now: number;
}

/** What is found where a format keeps its state. Reading changes nothing. */
export type Reading =
  | { kind: 'none' }
  /** Something is there but cannot be used: no session is held, nothing is changed, and you are told. */
  | { kind: 'unusable'; problem: string; damage?: Damage }
  | { kind: 'loop'; loop: ForeignLoop };

/** A file that cannot be read any more, and that its writer can repair. */
export interface Damage {
  file: string;
  /** What is wrong with it, and where. */
  fault: string;
}

/** A foreign format: what its files mean. Its loops keep the rules of all loops. */
export interface StateFormat {
  name: FormatName;
  /** The path by which a state is claimed, whether or not something lies there. Undefined: no state can lie here. */
  path(place: StatePlace): string | undefined;
  /** Further files whose text reaches a session. Those that came with the repository need your word, too. */
  parts?(place: StatePlace): string[];
  read(place: StatePlace, files: ForeignFiles): Reading;
  /** A loop of this format may go on as a run when its session is full, where the contract asks for it. */
  handsOver?: true;
  /**
   * Whether the agent itself has to write this file in order to finish the work. The path has no links in it. Absent: no
   * such file exists.
   */
  agentWrites?(path: string, place: StatePlace, files: ForeignFiles): boolean;
  /** What the format records of events (metrics, logs), of every session, whether or not a state is there. */
  observe?(
    event: HookEvent,
    place: StatePlace,
    files: ForeignFiles,
    toolCalls: (transcript: string, from: number) => ToolCalls,
  ): StateChange[];
}

/** A loop as its foreign state describes it at this moment. */
export interface ForeignLoop {
  /** Tells loops apart. A state with the same identity stays cancelled; another identity is another loop. */
  identity: string;
  /** The part that tells the loops apart cannot be read. A state with this mark stays the loop that it was taken up as. */
  isPartial?: true;
  /** The session that the state names as its owner. */
  owner?: string;
  /** Who becomes the owner where the state names none: the first session that stops, or the one you name (`untildone claim`). */
  claimedBy: 'first' | 'person';
  task: string;
  /** The iteration that the state names; absent where it names none, or not as a number. */
  iteration?: number;
  /** The first iteration where the state names none. */
  firstIteration: number;
  /** The state is never written. untildone counts on its own, and the larger of both counts is the iteration. */
  readOnly?: true;
  maxIterations: Limit;
  /** Other limits that the format sets. */
  limits: Partial<Limits>;
  /** Gates that the format asks for (a promise). They are frozen when the state is taken up. */
  gates: Record<string, GateSpec>;
  /** How hard the work is, where the format says so (1 to 10). */
  complexity?: number;
  /** Why this state asks for nothing now (complete, inactive, expired). It is not taken up; an active loop is still judged. */
  rest?: string;
  /** With `rest`: the state says that the work is done. A session that was not judged for it yet is judged once. */
  saysDone?: true;
  /** With `saysDone`: the format's own record of it is missing yet. The state is judged even if it was judged before. */
  unrecorded?: true;
  /** The time of the state is over. An active loop ends as `reached_limit`. */
  expired?: true;
  /** What you should know: a counter that is no number, a limit that was set for safety. */
  notes: string[];
  /** What the state says about the work. The class is always claimed, because the agent can write these files. */
  judge(look: Look): Verdict[] | Promise<Verdict[]>;
  /** Whether this session begins a new loop although one of the same identity has ended. */
  renews(ended: LoopState, session: string): boolean;
  /** Words the reason of a hold in the way of the format. */
  instruct(held: Held): Words;
  /** The changes to the format's files after a Stop was decided. `after` is the state of the loop then. */
  writeBack(decision: Decision, after: LoopState, verdicts: readonly Verdict[]): StateChange[];
  /** What the format's own hook would have printed at this ending. It is journaled and shown to you. */
  output?(after: LoopState, verdicts: readonly Verdict[]): Record<string, string | string[]>;
}

/** What judging a state may look at besides its files. */
export interface Look {
  workspace(): Promise<Pick<Workspace, 'git'>>;
  /** The contract of the loop has gates besides a promise. */
  hasGates: boolean;
  /** What gates of the contract measured of this feature list; undefined when none judges it. */
  measuredOf?(listFile: string): Measured | undefined;
}
