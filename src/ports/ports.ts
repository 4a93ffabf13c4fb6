import type { FrozenContract, Notification, RunMode } from '../core/contract/contract.ts';
import type { Entry } from '../core/loop/entry.ts';
import type { LoopState } from '../core/loop/state.ts';
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

/** Where a loop's files are. */
export interface LoopRef {
  loop: string;
  dir: string;
}

/** How a command of a contract is run: by `/bin/sh -c`, in a scrubbed environment, as a process tree of its own. */
export interface ShellCommand {
  command: string;
  cwd: string;
  /** Added to the scrubbed environment. */
  env?: Record<string, string>;
  /** Given on stdin; empty when absent. */
  input?: string;
  /** stdout and stderr, in the order they came, up to a bound. */
  outputFile?: string;
  /** Both through one pipe, so that their order is exact; `stdout` then holds both. Without it they are told apart. */
  oneStream?: boolean;
  timeoutMs: number;
  /** Ends the whole process tree. */
  signal?: AbortSignal;
}

export interface ShellResult {
  /** Absent when it was ended by a signal, timed out, or could not be started. */
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
 * The work as it is in the project's folder. Trees name the exact content of everything that git tracks or does not
 * ignore, committed or not; they are kept in the untildone home, so the agent's own git settings do not bend them.
 */
export interface Workspace {
  root: string;
  tree(): Promise<string>;
  changes(from: string, to: string): Promise<FileChange[]>;
  addedLines(from: string, to: string): Promise<AddedLine[]>;
  contentAt(tree: string, path: string): Promise<string | undefined>;
  /** A file of the project as it is now; undefined when there is none. Refuses paths that lead out of the project. */
  read(path: string): Promise<string | undefined>;
  /** The files of the project as they are now that a glob fits, the newest first. */
  find(glob: string): Promise<string[]>;
  /** Commit and branch of the user's repository; undefined outside git or before the first commit. */
  head(): Promise<{ commit: string; branch?: string } | undefined>;
  /** The user's own repository, with no hooks, no fsmonitor, no external diff and no prompts. */
  git(args: string[], signal?: AbortSignal): Promise<{ exitCode: number; stdout: string; stderr: string }>;
}

export interface AgentAsk {
  prompt: string;
  systemPrompt: string;
  /** The JSON schema of the answer. */
  schema: Record<string, unknown>;
  /** Empty: no tools at all. What is named may be used without asking anybody. */
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

/** Folders that are thrown away: what is done in them does not reach the project. */
export interface Scratch {
  /**
   * The files of a tree (see Workspace) in a fresh folder, which is a git repository of its own: its last commit is
   * `base`, or the tree itself when absent, so that `git diff HEAD` shows the work. What git ignores is not there.
   */
  checkout(tree: string, options?: { base?: string; signal?: AbortSignal }): Promise<ScratchFolder>;
}

export interface ScratchFolder {
  dir: string;
  /** Removes the folder and everything in it. Never throws; may be called twice. */
  dispose(): Promise<void>;
}

/** What a subagent was asked and did, as far as its own transcript tells. */
export interface SubagentActivity {
  prompt?: string;
  /** Files that its calls wrote or edited, as they name them. */
  edited: string[];
  /** Other tools it called that may have changed something. */
  others: string[];
  /** False: the transcript is too long to be read to its end. */
  whole: boolean;
}

/** Another checkout of the project's repository. */
export interface Worktree {
  top: string;
  /** The project's folder in it. */
  project: string;
  workspace: Workspace;
}

/** The client's own task list of a session. */
export interface TaskList {
  /** Undefined when the session has no list. */
  open(session: string): Promise<{ id: string; subject: string; status: string }[] | undefined>;
}

/** Verdicts of earlier judgings, with what they depended on. */
export interface VerdictCache {
  find(gate: string, inputs: string): Verdict | undefined;
  /** Replaces what was kept for these gates. */
  keep(entries: readonly { inputs: string; verdict: Verdict }[]): void;
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
  /** The client's own cost total of the session so far. */
  costTotalUsd?: number;
  transcriptOffset: number;
  /** A loop over many sessions. */
  run?: { mode: RunMode; freshEvery?: number; parent?: string };
  /** Files of its own that whoever goes on with it after a crash has to find: they are there before its journal is. */
  files?: readonly { name: string; text: string }[];
}

export interface LoadedContract extends FrozenContract {
  sha256: string;
}

export interface Store {
  /** The loop that this session owns, ended ones included; none for a session that never had one. */
  loopOfSession(session: string): LoopRef | undefined;
  /** The last valid line's state. Throws `JournalError` when no line can be read. */
  read(ref: LoopRef): LoopState;
  /** With its SHA-256: the state knows which one the loop began with. */
  contract(ref: LoopRef): LoadedContract;
  task(ref: LoopRef): string;
  taskFile(ref: LoopRef): string;
  taskDigest(ref: LoopRef): { sha256: string; preview: string };
  /** How many lines the journal has, and the SHA-256 of the last valid one. */
  journalEnd(ref: LoopRef): { lines: number; lastLineSha256: string };
  /**
   * Appends what `build` makes of the freshest state, under the loop's lock, and returns the state after it.
   * `build` must be quick and must not touch the store; `undefined` appends nothing. What is not durable, a power cut
   * may take back; nothing else can.
   */
  append(
    ref: LoopRef,
    build: (state: LoopState) => Entry | undefined,
    options?: { durable?: boolean | ((entry: Entry) => boolean) },
  ): LoopState;
  /** Verdicts kept for a loop; what was not written by us is not found. */
  cache(ref: LoopRef): VerdictCache;
  /** The folder for whole outputs of a loop's gates. */
  outputDir(ref: LoopRef): string;
  /** Whether a person approved this loop's contract on this machine. */
  isTrusted(project: string, fingerprint: string): boolean;
  /** Puts lines at the journal's end that we did not write on record; every append does so, too. */
  noticeForeignLines(ref: LoopRef): LoopState;
  /** The loops of a project, runs included, that have not ended. */
  unendedLoops(project: string): LoopRef[];
  /** The session's hooks are wanted, or no longer: as long as any of its loops lives, they are. */
  mark(session: string, wanted: boolean): void;
}

export interface Transcripts {
  signals(path: string): TranscriptSignals;
  /** Polls for at most a second until `until` holds: the client writes its transcript while the hook runs. */
  poll(path: string, until: (signals: TranscriptSignals) => boolean): Promise<TranscriptSignals>;
  usage(path: string, from: { offset: number; lastMessageId?: string }): TranscriptUsage;
}

export type KeptTranscript =
  /** `cut`: how many bytes of its beginning are missing. */
  { kind: 'kept'; name: string; bytes: number; cut?: number } | { kind: 'none'; problem: string };

/** What keeps the definition of done, and the hooks themselves, out of the agent's reach. */
export interface Guard {
  /** Files and folders that no tool call of a session in this project may change. */
  protectedPaths(project: string): Protected;
  /** A path as written in a session's folder, made absolute, links resolved as far as they exist. */
  resolve(cwd: string, path: string): string;
  /** Whether the project has a contract file now. */
  hasContract(project: string): boolean;
  /** What is wrong with the settings that call our hooks; undefined when they still do. */
  settingsProblem(project: string): string | undefined;
}

export interface Notifier {
  /** Rejects with why it could not be delivered; never takes longer than a few seconds. */
  send(notification: Notification, message: Message, project: string): Promise<void>;
}

/** What is remembered of a session that standing gates look after. */
export interface StandingState {
  promptId?: string;
  /** Blocks given in this prompt. */
  blocks: number;
  /** Blocks given to subagents, tasks and teammates, by their id. */
  guarded: Record<string, number>;
  /** The tree when the session began: what changed since is its work. */
  baseTree?: string;
  /** The last tree that was let through. */
  settledTree?: string;
}

/** Gates that guard every session of a project, once a person approved them. */
export interface Standing {
  /** The approved contract of the project; undefined when it guards nothing beyond loops. */
  contract(project: string): FrozenContract | undefined;
  read(session: string): StandingState;
  write(session: string, state: StandingState): void;
  cache(project: string): VerdictCache;
  outputDir(project: string): string;
}

/** Counts beside the home, for when nothing can be written there. */
export interface FallbackCounts {
  /** How often this was counted in the last hour, this time included; undefined when not even that can be kept. Never throws. */
  next(session: string, what: string): number | undefined;
}

/** What was found of a Stop that nobody finished judging. */
export interface InterruptedJudging {
  loop: string;
  gates: string[];
  /** How often in a row by now; 0: whoever waited for the hook was ended, too, and nobody answered the Stop. */
  inARow: number;
  /** False: the session was let go. */
  held: boolean;
}

/** Signs that a Stop is being judged, for whoever finds that the process which did so is gone. Never throws. */
export interface JudgingWatch {
  /** Lets a shell wait for the hooks of a session that is held, from the next one on. */
  watch(session: string): void;
  /** What it returns says that the Stop was judged to its end, and forgets those before it that were not. */
  begin(session: string, judged: Pick<InterruptedJudging, 'loop' | 'gates'>): () => void;
  /** What is left of a judging of this loop; says it once. */
  takeInterrupted(session: string, loop: string): InterruptedJudging | undefined;
  /** For a loop that begins. */
  forget(session: string): void;
}

/** What handling a hook needs from the world. */
export interface Ports {
  /** The project that an event belongs to. */
  projectOf(event: { session: string; cwd?: string }): string;
  clock: Clock;
  store: Store;
  transcripts: Transcripts;
  /** The client's cap on blocks in a row, from the hook's environment; 0 is none. */
  blockCap: number;
  /** Absent where whoever judges is watched in another way. */
  judging?: JudgingWatch;
}
