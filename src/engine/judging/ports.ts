import type { Contract } from '../core/contract/contract.ts';
import type { Answer, HookEvent, StopEvent } from '../core/loop/event.ts';
import type { Receipt } from '../core/loop/receipt.ts';
import type { LoopState } from '../core/loop/state.ts';
import type { ToolGuard } from '../core/tools/tool-rules.ts';
import type { Judges } from '../gates/gate.ts';
import type {
  Clock,
  FallbackCounts,
  ForeignFiles,
  Guard,
  JudgingWatch,
  KeptTranscript,
  LessonsFor,
  LoopRef,
  Standing,
  StateChange,
  Store,
  Transcripts,
} from '../ports/ports.ts';
import type { ForeignLoops, FormatBehaviour, LoopStop, SessionLoop } from '../ports/session-loop.ts';

/** What answering an event needs from the world, whichever it is. What only some events need is loaded when it is asked for. */
export interface Ports {
  /** The project that an event belongs to. */
  projectOf(event: { session: string; cwd?: string }): string;
  clock: Clock;
  store: Store;
  transcripts: Transcripts;
  /** How many holds in a row Claude Code allows, from the environment of the hook; 0: no limit. */
  blockCap: number;
  /** Absent where interruptions are noticed in another way. */
  judging?: JudgingWatch;
  /** Absent where sessions are told no lessons. */
  lessons?: LessonsFor;
  /**
   * The loops of this session in foreign state files, and what you should be told about such files. Quick where there are
   * none. `hasNative`: the session has a native loop, too.
   */
  foreign(event: HookEvent, hasNative: boolean): Promise<ForeignLoops>;
  /** In a run: how the foreign format of a loop behaves that a full session has handed over; undefined for other loops. */
  formatOf?(event: HookEvent, ref: LoopRef, state: LoopState): FormatBehaviour | undefined;
  /** What judges a contract; everything that judges without one. Quick for a contract that only asks for a promise. */
  judges(contract?: Contract): Promise<Judges>;
  /** Loads the handling of all events but the Stops that are judged. */
  session(): Promise<OtherEvents>;
  /** Loads the tool rules, for contracts that have any. */
  tools(): Promise<ToolGuard>;
  /** Starts a detached run that goes on with the loop; absent inside a run. */
  spawnRun?(ref: LoopRef): void;
  /** Whether the processes above this one prove that Claude Code sent the event. Absent: nothing can prove it. */
  isFromClient?(event: HookEvent): boolean;
  /** Queues a look back on a session that may end now. Returns what you should be told. Never throws. */
  ending?(event: HookEvent): Promise<string[]>;
  /** Loads what signs receipts and keeps them with their loops. */
  receipts(): Promise<Receipts>;
}

export interface Receipts {
  /** Writes the receipt of an ending that is not in the journal yet. Returns what you should know about it. */
  write(ref: LoopRef, receipt: Receipt): string | undefined;
  /** Removes it, when its ending could not be written. Never throws. */
  discard(ref: LoopRef): void;
}

/** The handling of all events but the Stops that are judged. */
export interface OtherEvents {
  inLoop(event: HookEvent, loop: SessionLoop, ports: Ports): Promise<Answer>;
  withoutLoop(event: HookEvent, ports: Ports): Promise<Answer[]>;
  /** Answers a Stop that Claude Code may not have sent: holds its session, a few times in a row. */
  doubtful(event: StopEvent, loop: UnjudgedLoop, why: string): Answer;
  /** Writes the notes that the contract asks for. Returns what you should be told. */
  writeDown(stop: LoopStop): string[];
}

/** A loop whose Stop could not be judged. */
export interface UnjudgedLoop {
  /** Undefined when not even that can be told. */
  ref?: LoopRef;
  /** Whether its contract measures anything. */
  measures: boolean;
  /** Where it stands, if that can be told: holds are counted from the last Stop that was judged. */
  iteration?: number;
}

/** What events that are no judged Stops need besides. It lies in the bundles of these events. */
export interface SessionPorts extends Ports {
  guard: Guard;
  standing: Standing;
  fallbackCounts: FallbackCounts;
  /** Files of the project that hold notes. */
  notes: { files: ForeignFiles; change(changes: readonly StateChange[]): string[] };
  /**
   * Keeps a copy of a transcript with its loop, beside a few earlier copies. Of a very long one only the end is kept.
   * Never throws, and gives up after some seconds.
   */
  keepTranscript(path: string, ref: LoopRef, now: number): KeptTranscript;
}
