/** What answering a hook needs beyond `ports.ts`. These types name gates, which `ports` may not import. */

import type { Contract } from '../core/contract/contract.ts';
import type { Answer, HookEvent, StopEvent } from '../core/loop/event.ts';
import type { Receipt } from '../core/loop/receipt.ts';
import type { Utterance } from '../core/loop/transcript.ts';
import type { ToolGuard } from '../core/tools/tool-rules.ts';
import type { Gates } from '../gates/gate.ts';
import type {
  AgentPort,
  FallbackCounts,
  ForeignFiles,
  Guard,
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
  Workspace,
  Worktree,
} from '../ports/ports.ts';
import type { ForeignLoops, LoopStop, SessionLoop } from '../ports/session-loop.ts';

/** Everything that judging needs from the world; loaded only when a contract has more than a promise. */
export interface Judges {
  gates: Gates;
  shell: Shell;
  agent: AgentPort;
  tasks: TaskList;
  notifier: Notifier;
  workspace(project: string): Workspace;
  /** Throw-away copies of the project's trees. */
  scratch(project: string): Scratch;
  /** What the commands of a gate resolve to now: package.json scripts, make targets, script files; name to SHA-256. */
  parts(project: string, commands: readonly string[]): Record<string, string>;
  /** SHA-256 of the project's untildone.yaml as it is now. */
  contractFile(project: string): string | undefined;
  /** SHA-256 of a text. */
  digest(text: string): string;
  /** The end of the conversation in a transcript, oldest first; absent: transcripts are not read. */
  conversation?(transcript: string): readonly Utterance[];
  /** What a subagent was asked and did, from its own transcript; absent: such transcripts are not read. */
  agentStory?(transcript: string): Promise<SubagentActivity | undefined>;
  /** The worktree that a folder lies in, when it is another one of the project's own repository. */
  worktree?(project: string, folder: string): Worktree | undefined;
}

export interface JudgingPorts extends Ports {
  /**
   * The loops of this session that live in foreign state files, and what the person should be told about such files.
   * Quick where there are none. `hasNative`: the session has a loop of our own, too.
   */
  foreign(event: HookEvent, hasNative: boolean): Promise<ForeignLoops>;
  /** Quick for a contract that only asks for a promise. */
  judges(contract: Contract): Promise<Judges>;
  /** Loads the handling of everything but the Stops that are judged. */
  session(): Promise<OtherEvents>;
  /** Asks the tool rules of a contract; loaded where there are any. */
  tools(): Promise<ToolGuard>;
  /** Starts a process of its own that drives the loop from here on; absent where one drives it already. */
  spawnRun?(ref: LoopRef): void;
  /** Signs a receipt and keeps it with its loop. */
  saveReceipt(ref: LoopRef, receipt: Receipt): Promise<void>;
}

/** What a session gets besides the judging of its Stops; loaded when something else happens. */
export interface OtherEvents {
  inLoop(event: HookEvent, loop: SessionLoop, ports: JudgingPorts): Promise<Answer>;
  withoutLoop(event: HookEvent, ports: JudgingPorts): Promise<Answer[]>;
  /** Answers a Stop that was judged and could not be written down, because the disk is full. Undefined: let go. */
  holdForRoom(event: StopEvent, ref: LoopRef): Answer | undefined;
  /** Keeps the notes that the contract asks for; returns what the person should be told. */
  writeDown(stop: LoopStop): string[];
}

/** What the other events need from the world, beyond what judging needs. */
export interface SessionWorld {
  guard: Guard;
  standing: Standing;
  spare: FallbackCounts;
  /** Files of the project that hold notes. */
  notes: { files: ForeignFiles; change(changes: readonly StateChange[]): string[] };
  /**
   * Keeps a copy with a loop, beside a few earlier ones; of a very long transcript, its end. Never throws, and gives up
   * after some seconds.
   */
  keepTranscript(path: string, ref: LoopRef, now: number): KeptTranscript;
}

export interface SessionPorts extends JudgingPorts, SessionWorld {}
