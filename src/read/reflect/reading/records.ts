/**
 * What a transcript tells, as small records. The reader makes them from lines of any size, so a record never holds more than
 * the beginning and the end of a text.
 */

/** Where lines were written. Lines in a row that agree in all of it share one object. */
export interface Where {
  session?: string;
  /** The working folder of the agent, which follows its `cd`. */
  cwd?: string;
  /** The version of Claude Code. */
  version?: string;
  branch?: string;
  /** `cli`, `sdk-cli`, `sdk-ts`, ... */
  entrypoint?: string;
  /** True for a subagent, whose lines are in a file of their own, or in older versions between those of the session. */
  sidechain: boolean;
  /** The id of the subagent. */
  agent?: string;
}

/**
 * A text, of which a long one is cut. `head` is all of it when `tail` is empty. It is made when it is asked for: copy what you
 * keep or send to another thread (`keptOf`).
 */
export interface Excerpt {
  head: string;
  tail: string;
  /** Its length in bytes; of a very long one, about. */
  size: number;
}

/** The most characters of each end of a text that is cut. */
export const EXCERPT_END = 2_000;
/** The longest text, in characters, that is kept whole. */
export const EXCERPT_WHOLE = 2 * EXCERPT_END;

interface Line {
  /** The number of the line in its file, from 1. */
  line: number;
  /** When it was written, in milliseconds. Absent when the line does not say so. */
  at?: number;
  where: Where;
}

/** Something that a person, or a program in a person's place, asked for. It starts a turn, unless it was `queued`. */
export interface PromptRecord extends Line {
  kind: 'prompt';
  text: Excerpt;
  /** The id of the line. A fork or a resumed copy repeats the lines of its origin with their ids. */
  uuid?: string;
  promptId?: string;
  /** The client's word for where it came from: `typed`, `sdk`, ... */
  source?: string;
  /** A slash command with its slash. */
  command?: string;
  /** It was sent while the agent worked, and belongs to the turn that goes on. */
  queued?: true;
  images?: number;
}

/** Work in the background came to an end: a command or a subagent. In some cases it starts a turn of its own. */
export interface NotificationRecord extends Line {
  kind: 'notification';
  task?: string;
  /** The call that started the work. */
  toolUse?: string;
  /** `completed`, `failed`, `killed`, ... */
  status?: string;
  exit?: number;
  summary: string;
  /** It woke the agent up: a turn starts here that nobody asked for. */
  starts: boolean;
}

/** A text block of the agent. */
export interface TextRecord extends Line {
  kind: 'text';
  text: Excerpt;
  message?: string;
  model?: string;
  /** The whole answer, not only this block, ends the work for now. */
  final: boolean;
  stopReason?: string;
}

/** Only the number of thinking blocks and their sizes are of use. */
export interface ThinkingRecord extends Line {
  kind: 'thinking';
  message?: string;
  size: number;
}

/** One replacement in a file. Two texts with the same hash are the same. */
export interface EditPart {
  /** The text that was there; absent where a file is written whole. */
  before?: string;
  after: string;
}

/** The few inputs of a call that are of use. Long ones are cut. */
export interface ToolInput {
  command?: string;
  description?: string;
  /** `file_path` or `notebook_path`. */
  file?: string;
  pattern?: string;
  path?: string;
  url?: string;
  query?: string;
  prompt?: string;
  /** `subagent_type` of an agent. */
  agent?: string;
  skill?: string;
  /** The task or shell that is asked about: `task_id`, `bash_id`, `shell_id`. */
  task?: string;
  /** `run_in_background`. */
  background?: boolean;
  timeoutMs?: number;
  offset?: number;
  limit?: number;
}

export interface ToolUseRecord extends Line {
  kind: 'tool_use';
  id: string;
  name: string;
  message?: string;
  input: ToolInput;
  /** What an `Edit`, `Write`, `MultiEdit` or `NotebookEdit` changes in `input.file`. */
  edits?: EditPart[];
  /** About how many characters the input has. */
  size: number;
}

/**
 * How a call ended. `denied`: a rule, a hook or a missing permission refused it; `rejected`: a person did; `interrupted`: a
 * person stopped it; `invalid`: there is no such tool, or its input was wrong; `timeout`: it took too long.
 */
export type ToolOutcome = 'ok' | 'error' | 'denied' | 'rejected' | 'interrupted' | 'invalid' | 'timeout';

export interface ToolResultRecord extends Line {
  kind: 'tool_result';
  /** The id of the call. */
  id: string;
  outcome: ToolOutcome;
  text: Excerpt;
  /** The exit code of a command: 0 when Claude Code calls it no error, absent when it did not run to its end. */
  exit?: number;
  /** Claude Code's reading of an exit code that is no error, such as "No matches found". */
  exitMeans?: string;
  /** The command goes on in the background under this id. */
  background?: string;
  /** The subagent whose work this is. */
  agent?: string;
  /** Who refused: `user-rejected`, `permission-rule`, `hook`, ... */
  deniedBy?: string;
}

/** A hook spoke. `block`: it held the agent or refused something; `context`: it added something; `failed`: it did not work. */
export interface HookRecord extends Line {
  kind: 'hook';
  what: 'block' | 'context' | 'stopped' | 'failed' | 'timeout' | 'ok';
  /** `Stop`, `PreToolUse`, ... */
  event?: string;
  command?: string;
  toolUse?: string;
  text: Excerpt;
  durationMs?: number;
}

/** What all hooks of one Stop did together. */
export interface StopHooksRecord extends Line {
  kind: 'stop_hooks';
  hooks: { command: string; durationMs?: number }[];
  errors: string[];
  /** A hook ended the session. */
  prevented: boolean;
}

export interface CompactionRecord extends Line {
  kind: 'compaction';
  trigger?: string;
  preTokens?: number;
  postTokens?: number;
  durationMs?: number;
}

/** The API gave an error, either at last or before a retry. */
export interface ApiErrorRecord extends Line {
  kind: 'api_error';
  status?: number;
  /** `rate_limit`, `server_error`, `authentication_failed`, ... */
  error?: string;
  text: Excerpt;
  rateLimit: boolean;
  /** Claude Code tries again. */
  retry?: { attempt: number; inMs?: number };
}

/** A person stopped the agent. */
export interface InterruptionRecord extends Line {
  kind: 'interruption';
}

/**
 * Tokens of one answer that were not counted before: an answer has several lines, each with the same usage or, in older
 * versions, with a growing one. The sum over all records is right; the number of answers is that of records with `first`.
 */
export interface UsageRecord extends Line {
  kind: 'usage';
  message: string;
  model: string;
  first: boolean;
  input: number;
  cacheCreation: number;
  cacheRead: number;
  output: number;
}

/** The cost total of the session, over resumes. */
export interface CostRecord extends Line {
  kind: 'cost';
  totalUsd: number;
}

/** How long a turn took, as Claude Code measured it. */
export interface TurnDurationRecord extends Line {
  kind: 'turn_duration';
  ms: number;
}

export type TranscriptRecord =
  | PromptRecord
  | NotificationRecord
  | TextRecord
  | ThinkingRecord
  | ToolUseRecord
  | ToolResultRecord
  | HookRecord
  | StopHooksRecord
  | CompactionRecord
  | ApiErrorRecord
  | InterruptionRecord
  | UsageRecord
  | CostRecord
  | TurnDurationRecord;

/** What was read of one file, or why nothing was. */
export interface ReadingCounts {
  bytes: number;
  lines: number;
  /** Lines that are no JSON object. */
  badLines: number;
  /** Lines of which only a part was looked at, because they are too long. */
  longLines: number;
  /** The last line has no end: Claude Code is writing it, or was killed while it did. */
  torn: boolean;
  /** Why nothing, or only a part, was read: it is no regular file, or the system refuses it. */
  problem?: string;
}

/** Takes the records of a file in their order. What it throws ends the reading. */
export type SeeRecord = (record: TranscriptRecord) => void;
