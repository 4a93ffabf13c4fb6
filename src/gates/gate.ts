import type { GateKind, GateOptions } from '../core/contract/gate-options.ts';
import type { GateTraits } from '../core/contract/gate-traits.ts';
import type { HookEvent } from '../core/loop/event.ts';
import type { AgentLine, Answered } from '../core/loop/state.ts';
import type { Utterance } from '../core/loop/transcript.ts';
import type { EvidenceClass, Outcome, Proof } from '../core/loop/verdict.ts';
import type { AgentPort, Scratch, Shell, TaskList, Workspace } from '../ports/ports.ts';

/** What a gate may look at. */
export interface GateContext {
  /** The gate's name in the contract. */
  name: string;
  /** The project's folder: commands run there, paths of the contract are relative to it. */
  project: string;
  session: string;
  task: string;
  /** The final message of the turn that wants to stop; absent when it could not be had. */
  lastMessage?: string;
  transcript?: string;
  /** The end of the conversation, oldest first; absent where there is no transcript. Never rejects. */
  conversation?(): Promise<readonly Utterance[]>;
  /** The event that is being judged; absent when there is none (`verify`, a baseline). */
  event?: HookEvent;
  workspace: Workspace;
  /** The tree at the loop's start; absent when there is no loop, or it could not be had. */
  baseTree?: string;
  /** The commit at the loop's start. */
  baseCommit?: string;
  /** The tree that is being judged. */
  tree?: string;
  /** What this gate froze at the loop's start; absent when it froze nothing. */
  frozen?: unknown;
  /** Exceptions that a person allowed by name (`untildone allow`). */
  allowed: readonly string[];
  /** What a person said to the questions of this loop, by gate; absent where there is no loop. */
  answers?: Readonly<Record<string, Answered>>;
  /** The subagents of this loop; absent where there is no loop. */
  agents?: readonly AgentLine[];
  /** Only these files are the work that is judged (of a subagent, as far as it can be told); absent: everything is. */
  onlyPaths?: readonly string[];
  /** A folder of this loop for whole outputs. */
  outputDir: string;
  /** SHA-256 of a text. */
  digest(text: string): string;
  shell: Shell;
  agent: AgentPort;
  tasks: TaskList;
  /** Absent where no copies of the project can be made. */
  scratch?: Scratch;
}

export interface Judgement {
  outcome: Outcome;
  /** One line: what was found. */
  summary: string;
  /** The most useful lines first; the caller strips colours, redacts secrets and shortens. */
  evidence?: string[];
  /** What to do next, when the gate knows it. */
  next?: string;
  /** Names this failure without its volatile parts (core/fingerprint); made from summary and evidence when absent. */
  fingerprint?: string;
  proof?: Proof;
  /** Only a person can let this pass: what they are asked. */
  asks?: string;
  /** Why the loop has to end at once, whatever else fails (a hook said `continue: false`). */
  letGo?: string;
  /** Overrides the gate's class, when it depends on what was found (features with and without `verify`). */
  class?: EvidenceClass;
}

/** One way of judging one aspect of the work. `judge` may throw: the caller turns that into `unproven`. */
export type Gate<Kind extends GateKind = GateKind> = TimedGate<Kind> | InstantGate<Kind>;

/** A kind of gate as one object: its traits, and how it is judged. */
interface AnyGate<Kind extends GateKind> extends GateTraits<Kind> {
  /** The shell commands that judging may run, for a person to approve. */
  commands?(options: GateOptions[Kind], frozen: unknown): string[];
  /** What must not change from the loop's start on, as JSON; runs nothing. */
  freeze?(options: GateOptions[Kind], context: FreezeContext): unknown | Promise<unknown>;
}

/**
 * Stops its work, and every process it started, when `signal` aborts. What it returns after that is ignored.
 */
export interface TimedGate<Kind extends GateKind = GateKind> extends AnyGate<Kind> {
  instant?: never;
  judge(
    options: GateOptions[Kind],
    context: GateContext,
    signal: AbortSignal,
  ): Judgement | Promise<Judgement>;
}

/** Looks at nothing but the event: it needs no tree, and no time worth limiting. */
export interface InstantGate<Kind extends GateKind = GateKind> extends AnyGate<Kind> {
  instant: true;
  judge(options: GateOptions[Kind], context: GateContext): Judgement;
}

/** The gates that can be judged here; a promise loop loads its own alone. */
export type Gates = { [Kind in GateKind]?: Gate<Kind> };

export interface FreezeContext {
  project: string;
  workspace: Workspace;
}
