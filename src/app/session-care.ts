import type { Answer } from '../core/answer.ts';
import type { HookEvent, StopEvent } from '../core/event.ts';
import type {
  ForeignFiles,
  Guard,
  KeptTranscript,
  LoopRef,
  SpareCounts,
  Standing,
  StateChange,
} from '../ports.ts';
import { eventInLoop } from './event-in-loop.ts';
import { handleStanding } from './handle-standing.ts';
import type { OwnLoop } from './handle-stop.ts';
import type { JudgingPorts } from './judge.ts';
import { tellLeftLoops } from './left-loops.ts';
import { type LoopStop, updateMemory } from './memory.ts';
import { holdForRoom } from './unwritten.ts';

/** What a session gets besides the judging of its Stops: loaded when something else happens. */
export interface SessionCare {
  inLoop(event: HookEvent, loop: OwnLoop, ports: JudgingPorts): Promise<Answer>;
  withoutLoop(event: HookEvent, ports: JudgingPorts): Promise<Answer[]>;
  /** For a Stop that was judged and could not be written down, because the disk is full. Undefined: let go. */
  holdForRoom(event: StopEvent, ref: LoopRef): Answer | undefined;
  /** Keeps the notes that the contract asks for; returns what the person should be told. */
  writeDown(stop: LoopStop): string[];
}

/** What this care needs from the world, beyond what judging needs. */
export interface SessionWorld {
  guard: Guard;
  standing: Standing;
  spare: SpareCounts;
  /** Files of the project that hold notes. */
  notes: { files: ForeignFiles; change(changes: readonly StateChange[]): string[] };
  /**
   * Keeps a copy with a loop, beside a few earlier ones; of a very long transcript, its end. Never throws, and gives up
   * after some seconds.
   */
  keepTranscript(path: string, ref: LoopRef, now: number): KeptTranscript;
}

export interface SessionPorts extends JudgingPorts, SessionWorld {}

export function careWith(world: SessionWorld): SessionCare {
  const { notes } = world;
  return {
    inLoop: (event, loop, ports) => eventInLoop(event, loop, { ...ports, ...world }),
    withoutLoop: async (event, ports) => [
      await handleStanding(event, { ...ports, ...world }),
      tellLeftLoops(event, ports),
    ],
    holdForRoom: (event, ref) => holdForRoom(event, ref, world),
    writeDown: (stop) => updateMemory(stop, notes.files, notes.change),
  };
}
