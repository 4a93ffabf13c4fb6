import type { KeptForRooms } from '../core/contract/clean-room.ts';
import type { PartsRule } from '../core/contract/command-parts.ts';
import type { Contract, FrozenContract, SandboxRule } from '../core/contract/contract.ts';
import type { GateKind, GateOptions } from '../core/contract/gate-options.ts';
import type { GateTraits } from '../core/contract/gate-traits.ts';
import type { Utterance } from '../core/loop/transcript.ts';
import type { EvidenceClass, Measured, Outcome, Proof } from '../core/loop/verdict.ts';
import type { JudgingRequest } from '../ports/judging.ts';
import type {
  AgentPort,
  Kept,
  Notifier,
  Scratch,
  Shell,
  SubagentActivity,
  TaskList,
  ToolCalls,
  Workspace,
  Worktree,
} from '../ports/ports.ts';
import type { Holdout, Place, Rooms } from '../ports/rooms.ts';
import type { SourceReader } from '../ports/source.ts';

/** What a gate is judged with. It asks for what it needs. */
export interface GateContext {
  /** The gate's name in the contract. */
  name: string;
  /** What is judged: the contract, the session and the event. */
  request: JudgingRequest;
  judges: Judges;
  workspace: Workspace;
  /** The tree that is judged; absent when no gate needs it or it could not be read. */
  tree?: string;
  /** Runs commands of this gate in the folder of the project, within the walls that the contract asks for. */
  shell: Shell;
  /** Where commands of this gate run: the folder of the project, or a clean room of its own. It waits for its turn. */
  place(signal?: AbortSignal): Promise<Place>;
  /** Clean rooms for any tree; absent where there are none, as without git. */
  rooms?: Rooms;
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

/** What judging needs from the world. It is loaded only when a contract has more than a promise. */
export interface Judges {
  gates: Gates;
  /** How many cores this machine gives to this process; absent: one. */
  cores?: number;
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

export interface FreezeContext {
  project: string;
  /** Tests that the agent never sees; absent where none can be kept. */
  holdout?: Holdout;
  workspace: Workspace;
}
