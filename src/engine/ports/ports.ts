import type { Contract, FrozenContract, Notification } from '../core/contract/contract.ts';

import type { Entry, NewRun } from '../core/loop/entry.ts';
import type { BaseGate } from '../core/loop/since-start.ts';
import type { StartedWith } from '../core/loop/started-with.ts';
import type { AgentsRead, LoopState } from '../core/loop/state.ts';
import type { FileUsage } from '../core/loop/subagent-usage.ts';
import type { TranscriptSignals, TranscriptUsage } from '../core/loop/transcript.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { Protected } from '../core/tools/protect.ts';
import type { Message } from '../core/words/endings.ts';

export type * from './foreign.ts';
export type * from './sessions.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** A loop and the folder of its files. */
export interface LoopRef {
  loop: string;
  dir: string;
}

/** A command of a contract. It runs by `/bin/sh -c`, in a scrubbed environment, as a process tree of its own. */
export interface ShellCommand {
  command: string;
  cwd: string;
  /** Added to the scrubbed environment. */
  env?: Record<string, string>;
  /** Given on stdin; empty when absent. */
  input?: string;
  /** Gets stdout and stderr in the order they came, up to a bound. */
  outputFile?: string;
  /** stdout and stderr share one pipe: their order is exact, and `stdout` holds both. */
  oneStream?: boolean;
  timeoutMs: number;
  /** Whether it reaches the network from within walls; absent: as the contract says. */
  network?: boolean;
  /** Ends the whole process tree. */
  signal?: AbortSignal;
  /** A program of yours with a command of untildone, such as gh: no code of the work. */
  isOurs?: boolean;
}

export interface ShellResult {
  /** Absent after a signal or a timeout, or when it could not be started. */
  exitCode?: number;
  endedBy?: 'timeout' | 'abort' | 'signal' | 'not_started';
  /** The last part of stdout and stderr together, bounded. */
  output: string;
  /** stdout alone, bounded; for commands that answer in JSON. */
  stdout: string;
  /** stderr alone, the end of it; empty with `oneStream`. */
  stderr?: string;
  outputSha256: string;
  outputBytes: number;
  durationMs: number;
  /** The walls that it ran in; absent: there were none. */
  walls?: string;
}

export interface Shell {
  run(command: ShellCommand): Promise<ShellResult>;
}

export interface FileChange {
  path: string;
  change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** The old path of a renamed file. */
  from?: string;
}

export interface AddedLine {
  path: string;
  line: number;
  text: string;
}

/**
 * The work in the folder of the project. A tree names the exact content of everything that git tracks or does not ignore,
 * committed or not. Trees are kept in the home, so that git settings of the agent do not affect them.
 */
export interface Workspace {
  root: string;
  tree(): Promise<string>;
  changes(from: string, to: string): Promise<FileChange[]>;
  addedLines(from: string, to: string): Promise<AddedLine[]>;
  contentAt(tree: string, path: string): Promise<string | undefined>;
  /** The current text of a file; undefined when there is none. Refuses paths that lead out of the project. */
  read(path: string): Promise<string | undefined>;
  /** The current files that fit a glob, the newest first. */
  find(glob: string): Promise<string[]>;
  /** Commit and branch of the user's repository; undefined outside git or before the first commit. */
  head(): Promise<{ commit: string; branch?: string } | undefined>;
  /**
   * Runs git in the repository of the project. It starts no program that the repository names, except its filters with
   * `filters`: for what a person trusted, so that files count as their commits have them.
   */
  git(
    args: string[],
    signal?: AbortSignal,
    more?: { filters: boolean },
  ): Promise<{ exitCode: number; stdout: string; stderr: string }>;
}

/** A JSON schema, as far as the shapes of answers need one. */
export type AnswerShape = {
  /** `object`, `array`, `string`, `number` or `boolean`. */
  type: string;
  description?: string;
  enum?: readonly string[];
  items?: AnswerShape;
  properties?: Readonly<Record<string, AnswerShape>>;
  required?: readonly string[];
  /** False: the answer has no other fields. */
  additionalProperties?: boolean;
};

export interface AgentAsk {
  prompt: string;
  systemPrompt: string;
  /** The JSON schema of the answer: an `AnswerShape`. */
  schema: Record<string, unknown>;
  /** The tools that may be used without asking; empty: none at all. */
  tools: string[];
  /** Where tools run. */
  cwd: string;
  model?: string;
  maxCostUsd: number;
  maxTurns: number;
  signal: AbortSignal;
}

export type AgentAnswer =
  | { ok: true; value: unknown; costUsd: number }
  | { ok: false; problem: string; costUsd: number };

/** A model, asked through the Agent SDK. Never throws; loads no settings of the project. */
export interface AgentPort {
  ask(ask: AgentAsk): Promise<AgentAnswer>;
}

/** Temporary folders: what happens in them does not reach the project. */
export interface Scratch {
  /**
   * Puts the files of a tree into a fresh folder with a git repository of its own. Its last commit is `base`, or the tree
   * itself when absent, so that `git diff HEAD` shows the work. Files that git ignores are not there.
   */
  checkout(tree: string, options?: { base?: string; signal?: AbortSignal }): Promise<ScratchFolder>;
}

export interface ScratchFolder {
  dir: string;
  /** Removes the folder and everything in it. Never throws; may be called twice. */
  dispose(): Promise<void>;
}

/** What a subagent was asked and did, according to its transcript. */
export interface SubagentActivity {
  prompt?: string;
  /** Files that it wrote or edited, as its calls name them. */
  edited: string[];
  /** Other tools that it called and that may have changed something. */
  others: string[];
  /** False: the transcript was too long to be read completely. */
  whole: boolean;
}

/** Another checkout of the project's repository. */
export interface Worktree {
  top: string;
  /** The project's folder in it. */
  project: string;
  workspace: Workspace;
}

/** The task list that Claude Code keeps for a session. */
export interface TaskList {
  /** Undefined when the session has no list. */
  open(session: string): Promise<{ id: string; subject: string; status: string }[] | undefined>;
}

/** Verdicts of earlier judgings, with the inputs that they depended on. */
export interface VerdictCache {
  find(gate: string, inputs: string): Verdict | undefined;
  /** The last verdict of a gate, whatever it depended on. */
  last(gate: string): { inputs: string; verdict: Verdict } | undefined;
  /** Replaces the verdicts of these gates. */
  keep(entries: readonly { inputs: string; verdict: Verdict }[]): void;
}

/** Small facts that gates keep for later judgings of the same work. */
export interface Kept {
  /** Undefined when there is nothing of that name, or when another program wrote it. */
  read(name: string): unknown;
  /** Never throws: what cannot be kept is found out again. */
  write(name: string, value: unknown): void;
}

export interface NewLoop {
  loop: string;
  session: string;
  project: string;
  dialect: string;
  task: string;
  contract: FrozenContract;
  baseTree?: string;
  baseCommit?: string;
  basePassing?: true;
  /** What each gate said at the start. */
  baseGates?: BaseGate[];
  /** Tests that were changed before the loop began. */
  startedWith?: StartedWith;
  /** The gate that asks for a change, although the contract does not. */
  changeGate?: string;
  /** The cost of the session so far, as Claude Code counts it. */
  costTotalUsd?: number;
  transcriptOffset: number;
  /** A loop over many sessions. */
  run?: NewRun;
  /** Further files of the loop. They are written before its journal, so that they exist after a crash. */
  files?: readonly { name: string; text: string }[];
}

export interface LoadedContract extends FrozenContract {
  sha256: string;
}

export interface AppendOptions {
  durable?: boolean | ((entry: Entry) => boolean);
  /** Gets the state after the entry, before it is written. When this throws, nothing is written. */
  first?(after: LoopState, end: JournalEnd): void;
}

/** How many lines a journal has, and the SHA-256 of the last one. */
export interface JournalEnd {
  lines: number;
  lastLineSha256: string;
}

export interface Store {
  /** The loop of this session, also an ended one. */
  loopOfSession(session: string): LoopRef | undefined;
  /** The state of the last valid line. Throws `JournalError` when no line can be read. */
  read(ref: LoopRef): LoopState;
  /** The contract with its SHA-256, to compare with the one in the state. */
  contract(ref: LoopRef): LoadedContract;
  task(ref: LoopRef): string;
  taskFile(ref: LoopRef): string;
  taskDigest(ref: LoopRef): { sha256: string; preview: string };
  /**
   * Appends the entry that `build` makes from the current state, under the lock of the loop, and returns the state after
   * it. `build` must be quick and must not touch the store; `undefined` appends nothing. Only a power cut can lose an entry
   * that is not durable.
   */
  append(ref: LoopRef, build: (state: LoopState) => Entry | undefined, options?: AppendOptions): LoopState;
  /** Verdicts kept for a loop; those that untildone did not write are not found. */
  cache(ref: LoopRef): VerdictCache;
  /** The folder for whole outputs of a loop's gates. */
  outputDir(ref: LoopRef): string;
  /** Whether you trust this contract on this machine. */
  isTrusted(project: string, fingerprint: string): boolean;
  /** Records lines that others wrote at the end of the journal, or removed from it; every append does so, too. */
  noticeForeignLines(ref: LoopRef): LoopState;
  /** The loops of a project, runs included, that have not ended. */
  unendedLoops(project: string): LoopRef[];
  /** Notes whether the hooks of a session have work to do: as long as one of its loops has not ended. */
  mark(session: string, wanted: boolean): void;
}

export interface Transcripts {
  signals(path: string): TranscriptSignals;
  /** When the last turn of the session ended; undefined when the end of the transcript does not tell. */
  turnEnd(path: string): number | undefined;
  /** Polls for at most a second until `until` holds: Claude Code writes its transcript while the hook runs. */
  poll(path: string, until: (signals: TranscriptSignals) => boolean): Promise<TranscriptSignals>;
  usage(path: string, from: { offset: number; lastMessageId?: string }): TranscriptUsage;
  /** What the subagents of the session with this transcript have spent since the last look. */
  subagents(path: string, read: AgentsRead): FileUsage[];
}

export type KeptTranscript =
  /** `cut`: how many bytes of its beginning are missing. */
  { kind: 'kept'; name: string; bytes: number; cut?: number } | { kind: 'none'; problem: string };

/** Protects the contract, the home and the hooks from the agent. */
export interface Guard {
  /** Files and folders that no tool call of a session in this project may change. */
  protectedPaths(project: string): Protected;
  /** Makes a path of a session absolute, with links resolved as far as it exists. */
  resolve(cwd: string, path: string): string;
  /** Whether the project has a contract file now. */
  hasContract(project: string): boolean;
  /** Why the settings no longer call the hooks of untildone; undefined when they do. */
  settingsProblem(project: string): string | undefined;
}

export interface Notifier {
  /** Rejects when it could not be delivered; takes a few seconds at most. */
  send(notification: Notification, message: Message, project: string): Promise<void>;
}

/** The state of a session with standing gates. */
export interface StandingState {
  promptId?: string;
  /** Holds since the last prompt. */
  blocks: number;
  /** Refusals in a row of subagents, tasks and teammates, by their id. */
  guarded: Record<string, number>;
  /** The tree when the session started: what changed since is its work. */
  baseTree?: string;
  /** The tree at the last Stop that was allowed. */
  settledTree?: string;
}

/** Standing gates of trusted contracts. */
export interface Standing {
  /** The trusted contract of the project; undefined when it has no standing gates. */
  contract(project: string): FrozenContract | undefined;
  read(session: string): StandingState;
  write(session: string, state: StandingState): void;
  cache(project: string): VerdictCache;
  outputDir(project: string): string;
}

/** Counts outside the home, for when the home cannot be written. */
export interface FallbackCounts {
  /** Counts once more and returns the count of the last hour; undefined when that cannot be written either. Never throws. */
  next(session: string, what: string): number | undefined;
}

/** A Stop whose judging was interrupted. */
export interface InterruptedJudging {
  loop: string;
  gates: string[];
  /** How often in a row; 0: the shell that waited for the hook died, too, so that the Stop was never answered. */
  inARow: number;
  /** False: the session was allowed to stop. */
  held: boolean;
}

/** Marks a Stop that is being judged, so that an interrupted judging is found later. Never throws. */
export interface JudgingWatch {
  /** From now on the session is held when its hook does not answer a Stop. */
  watch(session: string): void;
  /** Marks the beginning. The function that it returns marks the end, and forgets earlier interruptions. */
  begin(session: string, judged: Pick<InterruptedJudging, 'loop' | 'gates'>): () => void;
  /** The interrupted judging of this loop, if any; returned only once. */
  takeInterrupted(session: string, loop: string): InterruptedJudging | undefined;
  /** Forgets earlier marks when a loop starts. */
  forget(session: string): void;
}

/** The words of the lessons of a project; undefined when there are none to tell. */
export interface LessonsFor {
  /** For a session that begins without a loop. */
  session(project: string, now: number): string | undefined;
  /** For a session of a loop. Never throws. */
  loop(ref: LoopRef, contract: Contract, now: number): string | undefined;
}
