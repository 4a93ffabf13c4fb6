/** What taking up foreign state needs from the world, and what was found of one state. */
import type { FrozenContract } from '../../core/contract/contract.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import type { Judges } from '../../gates/gate.ts';
import type {
  Baselines,
  Claim,
  Claims,
  ForeignFiles,
  LoopRef,
  NewLoop,
  StateChange,
  ToolCalls,
  Workspace,
} from '../../ports/ports.ts';
import type { ForeignLoop, StateFormat, StatePlace } from '../format.ts';

export interface ForeignPorts extends TakeUpPorts {
  formats: readonly StateFormat[];
  place: StatePlace;
  files: ForeignFiles;
  claims: Claims;
  /** Makes the changes in order. Returns the problems of those that failed. */
  change(changes: readonly StateChange[]): string[];
  /** The Claude Code process of this session is known to have ended. */
  isGone(session: string): boolean;
  refOf(loopDir: string): LoopRef;
  /** The tool calls of a transcript from a byte offset on. Never throws. */
  toolCalls(transcript: string, from: number): ToolCalls;
  /** Git in a project: what the state says of the work is looked at without the gates. */
  git(project: string): Workspace['git'];
  /** Whether a path without links lies where foreign state belongs. */
  belongs(path: string): boolean;
}

/** What making a loop of a foreign state needs from the world. */
export interface TakeUpPorts {
  /**
   * The contract of a project, if you trust it as it is now; else a note that says why it is not used. `then`: the
   * fingerprint that was trusted when the session began. What was changed since does not take that contract away.
   */
  approved(project: string, then?: string): Promise<{ contract?: FrozenContract; note?: string }>;
  baselines: Baselines;
  judges(): Promise<Judges>;
  /** Makes the files of a loop. The claim decides whose loop it is. */
  createLoopFiles(loop: NewLoop): LoopRef;
  newLoopId(): string;
  /** What the session has used before its loop begins. */
  transcriptSoFar(transcript: string | undefined): { transcriptOffset: number; costTotalUsd: number };
  /** Whether the state came with the repository and you have not claimed it yet. */
  needsApproval(seen: Pick<ForeignStateSeen, 'format' | 'path' | 'reading'>): Promise<boolean>;
}

/** One foreign state as it was found at an event. */
export interface ForeignStateSeen {
  format: StateFormat;
  path: string;
  claim: Claim | undefined;
  reading: ForeignLoop;
  event: HookEvent;
  hasNative: boolean;
}
