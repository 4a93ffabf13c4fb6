/** What answering an event needs besides `src/engine/ports`. These types name gates, which `src/engine/ports` may not import. */

import type { KeptForRooms } from '../core/contract/clean-room.ts';
import type { PartsRule } from '../core/contract/command-parts.ts';
import type { Contract, FrozenContract, SandboxRule } from '../core/contract/contract.ts';
import type { Answer, HookEvent, StopEvent } from '../core/loop/event.ts';
import type { Receipt } from '../core/loop/receipt.ts';
import type { LoopState } from '../core/loop/state.ts';
import type { Utterance } from '../core/loop/transcript.ts';
import type { ToolGuard } from '../core/tools/tool-rules.ts';
import type { Gates } from '../gates/gate.ts';
import type {
  AgentPort,
  FallbackCounts,
  ForeignFiles,
  Guard,
  Kept,
  KeptTranscript,
  LoopRef,
  Notifier,
  Ports,
  Scratch,
  Shell,
  Standing,
  StateChange,
  SubagentActivity,
  TaskList,
  ToolCalls,
  Workspace,
  Worktree,
} from '../ports/ports.ts';
import type { Holdout, Place, Rooms } from '../ports/rooms.ts';
import type { ForeignLoops, FormatBehaviour, LoopStop, SessionLoop } from '../ports/session-loop.ts';
import type { SourceReader } from '../ports/source.ts';

/** What judging needs from the world. It is loaded only when a contract has more than a promise. */
export interface Judges {
  gates: Gates;
  shell: Shell;
  /** A folder of the project as a place for commands, within the walls that the contract asks for. */
  inPlace(dir: string, contract?: Pick<Contract, 'sandbox' | 'room'>): Place;
  /** The walls that a contract gets on this machine. Absent: there are none, and no contract is asked for any. */
  walls?(sandbox: SandboxRule | undefined): WallsHere;
  /** Keeps what clean rooms need of the start of a loop, and returns its name. */
  keepStart(project: string, kept: KeptForRooms): Promise<string>;
  /** Clean rooms, with what was kept at the start. */
  rooms(frozen: FrozenContract, project: string): Rooms;
  /** Parses source text; absent where nothing can. */
  source?: SourceReader;
  agent: AgentPort;
  tasks: TaskList;
  notifier: Notifier;
  workspace(project: string): Workspace;
  /** Facts that gates of one loop keep, by the folder of its outputs; absent: nothing is kept. */
  kept?(outputDir: string, fingerprint: string): Kept;
  /** What gates measured on trees of a project; absent: nothing is kept. */
  measured?(project: string, fingerprint: string): Kept;
  /** The tests of a project that the agent never sees; absent where none can be kept. */
  holdout?(project: string): Holdout;
  /** Throw-away copies of the project's trees. */
  scratch(project: string): Scratch;
  /**
   * SHA-256 digests of what the commands of a gate lead to now and what defines them: package.json scripts, make targets,
   * check scripts.
   */
  parts(project: string, commands: readonly string[], rule?: PartsRule): Record<string, string>;
  /** SHA-256 of the project's untildone.yaml as it is now. */
  contractFile(project: string): string | undefined;
  /** SHA-256 of a text. */
  digest(text: string): string;
  /** The end of the conversation in a transcript, oldest first; absent: transcripts are not read. */
  conversation?(transcript: string): readonly Utterance[];
  /** The tool calls in a transcript from an offset on; absent: transcripts are not read. */
  toolCalls?(transcript: string, from: number): ToolCalls;
  /** What a subagent was asked and did, from its own transcript; absent: such transcripts are not read. */
  subagentActivity?(transcript: string): Promise<SubagentActivity | undefined>;
  /** The worktree that a folder lies in, when it is another one of the project's own repository. */
  worktree?(project: string, folder: string): Worktree | undefined;
}

export interface WallsHere {
  /** What builds them. */
  name?: string;
  /** Why there are none although the contract asks for some, and what to do. */
  problem?: string;
}

export interface JudgingPorts extends Ports {
  /**
   * The loops of this session in foreign state files, and what you should be told about such files. Quick where there are
   * none. `hasNative`: the session has a native loop, too.
   */
  foreign(event: HookEvent, hasNative: boolean): Promise<ForeignLoops>;
  /** In a run: how the foreign format of a loop behaves that a full session has handed over; undefined for other loops. */
  formatOf?(event: HookEvent, ref: LoopRef, state: LoopState): FormatBehaviour | undefined;
  /** Quick for a contract that only asks for a promise. */
  judges(contract: Contract): Promise<Judges>;
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
  inLoop(event: HookEvent, loop: SessionLoop, ports: JudgingPorts): Promise<Answer>;
  withoutLoop(event: HookEvent, ports: JudgingPorts): Promise<Answer[]>;
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

/** What the other events need from the world, besides judging. */
export interface SessionWorld {
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

export interface SessionPorts extends JudgingPorts, SessionWorld {}
