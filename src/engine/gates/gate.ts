import type { KnownFailure } from '../core/contract/contract.ts';
import type { GateKind, GateOptions } from '../core/contract/gate-options.ts';
import type { GateTraits } from '../core/contract/gate-traits.ts';
import type { HookEvent } from '../core/loop/event.ts';
import type { AgentLine, Answered } from '../core/loop/state.ts';
import type { Utterance } from '../core/loop/transcript.ts';
import type { EvidenceClass, Measured, Outcome, Proof } from '../core/loop/verdict.ts';
import type { LoopCounts } from '../ports/judging.ts';
import type { AgentPort, Kept, Scratch, Shell, TaskList, ToolCalls, Workspace } from '../ports/ports.ts';
import type { Holdout, Place, Rooms } from '../ports/rooms.ts';
import type { SourceReader } from '../ports/source.ts';

/** What a gate may look at. */
export interface GateContext {
  /** The gate's name in the contract. */
  name: string;
  /** The folder of the project. Commands run there, and paths of the contract are relative to it. */
  project: string;
  session: string;
  task: string;
  /** The final message of the turn; absent when it is not known. */
  lastMessage?: string;
  transcript?: string;
  /** Reads the end of the conversation, oldest message first; absent without a transcript. Never rejects. */
  conversation?(): Promise<readonly Utterance[]>;
  /** The event that is being judged; absent when there is none (`verify`, a baseline). */
  event?: HookEvent;
  workspace: Workspace;
  /** The start tree; absent without a loop, or when it could not be made. */
  baseTree?: string;
  /** The commit at the loop's start. */
  baseCommit?: string;
  /** The tree that is being judged. */
  tree?: string;
  /** What this gate froze at the loop's start; absent when it froze nothing. */
  frozen?: unknown;
  /** Exceptions that you allowed by name (`untildone allow`). */
  allowed: readonly string[];
  /** Your answers to the questions of this loop, by gate; absent without a loop. */
  answers?: Readonly<Record<string, Answered>>;
  /** The subagents of this loop; absent without a loop. */
  agents?: readonly AgentLine[];
  /** When the loop began, and what it has counted up to the Stop before; absent without a loop. */
  loop?: LoopCounts;
  /** Reads tool calls of a transcript from a byte offset on, a bounded piece at a time; absent: transcripts are not read. */
  toolCalls?(transcript: string, from: number): ToolCalls;
  /** The files that a subagent changed, when only these are judged; absent: everything is judged. */
  onlyPaths?: readonly string[];
  /** A folder of this loop for whole outputs. */
  outputDir: string;
  /** SHA-256 of a text. */
  digest(text: string): string;
  shell: Shell;
  /** Where commands of this gate run: the folder of the project, or a clean room that all gates of one judging share. */
  place(signal?: AbortSignal): Promise<Place>;
  /** Clean rooms for any tree; absent where there are none, as without git. */
  rooms?: Rooms;
  /** Tests that the agent never sees; absent where none can be kept. */
  holdout?: Holdout;
  /** Parses source text; absent where nothing can. */
  source?: SourceReader;
  agent: AgentPort;
  tasks: TaskList;
  /** What gates of this loop found out before; absent where nothing is kept. */
  kept?: Kept;
  /** What was measured on trees of this project, in any loop; absent where nothing is kept. */
  measured?: Kept;
  /** What the contract knows to fail in the command of this gate. */
  knownFailures?: readonly KnownFailure[];
  /** A gate of the same judging runs the tests of the start on the code of now. */
  hasDifferential?: boolean;
  /** Absent where no copies of the project can be made. */
  scratch?: Scratch;
}

export interface Judgement {
  outcome: Outcome;
  /** One line: what was found. */
  summary: string;
  /** The most useful lines first. The caller strips colours, redacts secrets and shortens. */
  evidence?: string[];
  /** What the agent should do next. */
  next?: string;
  /** Names this failure without its volatile parts. Absent: it is made from summary and evidence. */
  fingerprint?: string;
  proof?: Proof;
  /** The question that you are asked, when only you can let the gate pass. */
  asks?: string;
  /** The question that you are asked when the agent stops again with the same fingerprint. */
  asksIfRepeated?: string;
  /** What you allowed although the gate objects to it. */
  exceptions?: string[];
  /** What the receipt has to name although it holds nobody. */
  notes?: string[];
  /** Why the loop ends at once, whatever else fails (a hook said `continue: false`). */
  letGo?: string;
  /** What was measured otherwise than a list says. */
  measured?: Measured;
  /** The class, where it depends on what was found (features with and without `verify`). */
  class?: EvidenceClass;
  /** The same files gave another outcome before. */
  flaky?: true;
  /** Not judged yet, because other gates do not pass. */
  waits?: true;
}

/** One way of judging one aspect of the work. `judge` may throw: the caller turns that into `unproven`. */
export type Gate<Kind extends GateKind = GateKind> = TimedGate<Kind> | InstantGate<Kind>;

/** A kind of gate as one object: its traits, and how it is judged. */
interface AnyGate<Kind extends GateKind> extends GateTraits<Kind> {
  /** The shell commands that judging may run. You trust these. */
  commands?(options: GateOptions[Kind], frozen: unknown): string[];
  /** What must not change after the start of a loop, as JSON. Runs nothing. */
  freeze?(options: GateOptions[Kind], context: FreezeContext): unknown | Promise<unknown>;
}

/** A gate that takes time. It ends its work and its processes when `signal` aborts; what it returns then is ignored. */
export interface TimedGate<Kind extends GateKind = GateKind> extends AnyGate<Kind> {
  instant?: never;
  judge(
    options: GateOptions[Kind],
    context: GateContext,
    signal: AbortSignal,
  ): Judgement | Promise<Judgement>;
}

/** A gate that only looks at the event: it needs no tree and no time limit. */
export interface InstantGate<Kind extends GateKind = GateKind> extends AnyGate<Kind> {
  instant: true;
  judge(options: GateOptions[Kind], context: GateContext): Judgement;
}

/** The kinds of gates that can be judged. A loop with only a promise loads no other kind. */
export type Gates = { [Kind in GateKind]?: Gate<Kind> };

export interface FreezeContext {
  project: string;
  /** Tests that the agent never sees; absent where none can be kept. */
  holdout?: Holdout;
  workspace: Workspace;
}
