/** What looking after the loops of foreign formats needs from the world, and what was found of one. */
import type { FrozenContract } from '../../core/contract/contract.ts';
import type { HookEvent } from '../../core/loop/event.ts';
import type { Judges } from '../../judging/ports.ts';
import type { Claim, Claims, ForeignFiles, LoopRef, NewLoop, StateChange } from '../../ports/ports.ts';
import type { Dialect, ForeignLoop, Place } from '../format.ts';

export interface ForeignPorts extends Adopting {
  dialects: readonly Dialect[];
  place: Place;
  files: ForeignFiles;
  claims: Claims;
  /** Does the changes in order; returns what could not be done. */
  change(changes: readonly StateChange[]): string[];
  /** The client of this session is known to be gone. */
  isGone(session: string): boolean;
  refOf(loopDir: string): LoopRef;
  /** A path without links lies where foreign state belongs. */
  belongs(path: string): boolean;
}

/** What making a loop of a foreign state needs from the world. */
export interface Adopting {
  /** The contract that a person approved for a project, if it still is what was approved; else why it is left aside. */
  approved(project: string): Promise<{ contract?: FrozenContract; note?: string }>;
  judges(): Promise<Judges>;
  /** Makes the loop's files; its owner is whoever has the claim. */
  createLoopFiles(loop: NewLoop): LoopRef;
  newLoopId(): string;
  /** What the session used so far is not the loop's. */
  transcriptSoFar(transcript: string | undefined): { transcriptOffset: number; costTotalUsd: number };
  /** The state came with the repository, and no person said that it may hold sessions here. */
  needsApproval(seen: Pick<ForeignStateSeen, 'dialect' | 'path' | 'reading'>): Promise<boolean>;
}

/** One foreign state as it was found at an event. */
export interface ForeignStateSeen {
  dialect: Dialect;
  path: string;
  claim: Claim | undefined;
  reading: ForeignLoop;
  event: HookEvent;
  hasNative: boolean;
}
