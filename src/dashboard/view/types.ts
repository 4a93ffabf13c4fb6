/**
 * The JSON that the server of the dashboard sends and takes. The page imports these types, so nothing here needs Node.
 * Times are milliseconds since 1970, durations are milliseconds. All text comes from journals, tasks and people: it is data,
 * never markup. What is not known is absent, never zero.
 *
 *   GET  /api/overview                              Overview
 *   GET  /api/ended?from=&count=&q=&project=        EndedPage       (older loops that have ended, newest first)
 *   GET  /api/loops/:loop                           LoopView
 *   GET  /api/loops/:loop/entries?from=&count=      EntriesPage     (lines of the journal by their place; `only=` kinds)
 *   GET  /api/loops/:loop/entries/:place            EntryDetail
 *   GET  /api/loops/:loop/entries/:place/diff       DiffView
 *   GET  /api/loops/:loop/receipt                   ReceiptView
 *   GET  /api/insights?days=&project=               Insights
 *   POST /api/loops/:loop/actions                   ActionRequest, answered by ActionAnswer
 *   GET  /api/events?after=&loop=                   server-sent events: ServerEvent
 *
 * Every answer that is not 2xx has the body Problem.
 */

export interface Problem {
  /** For programs: `not_found`, `bad_request`, `no_token`, `wrong_host`, `wrong_origin`, `too_large`, `refused`, ... */
  code: string;
  /** For people: what happened. */
  message: string;
  /** For people: what to do. */
  fix?: string;
}

// ---------------------------------------------------------------------------------------------------- Overview

export interface Overview {
  now: number;
  version: string;
  /** Pass it as `after` to /api/events: nothing is missed in between. */
  eventId: string;
  /** The home whose journals are shown, as `~/.untildone` where it lies in yours. */
  home: string;
  /** The folders of `--project`; empty when all projects are shown. */
  only: string[];
  projects: ProjectRow[];
  /** What needs you, the oldest first. */
  needs: Need[];
  /** Every loop that has not ended, then the newest that have. Children of a run follow their run. */
  loops: LoopRow[];
  /** How many loops have ended in all; the rest of them: /api/ended. */
  ended: number;
  /** Sessions of Claude Code without a loop; absent when Claude Code does not tell. */
  sessions?: OtherSession[];
  totals: Totals;
  /** What is wrong with the home itself, in words: no home yet, a missing key, a full disk. */
  problems: Problem[];
}

export interface Totals {
  active: number;
  paused: number;
  waitingForYou: number;
  notHeld: number;
  /** Loops that ended since midnight, by whether that was a success. */
  doneToday: number;
  otherEndingsToday: number;
  /** What unended loops and those that ended today have cost. */
  costTodayUsd: number;
}

export interface ProjectRow {
  /** The name of its folder in the home. */
  id: string;
  name: string;
  /** Absent when no loop of it can be read. */
  path?: string;
  /** Its folder is gone. */
  gone?: true;
  loops: number;
  unended: number;
}

export interface EndedPage {
  total: number;
  from: number;
  loops: LoopRow[];
}

/** How a status looks. Only `done` is a success; `claimed` says done without proof and must not look like it. */
export type Tone = 'done' | 'claimed' | 'open' | 'waiting' | 'bad' | 'quiet';

/** What a loop does right now. */
export type Doing =
  /** The model works: its session runs, and nothing of ours does. */
  | 'thinks'
  /** A Stop is judged. */
  | 'gate_runs'
  /** A limit of the API, or an outage; it goes on by itself. */
  | 'waits_limit'
  /** Only you can let it go on. */
  | 'waits_you'
  /** Background work, a wake-up, a full context, a session that has ended: it goes on by itself or at the next prompt. */
  | 'waits_other'
  | 'paused'
  /** It is called active, but nobody is held. */
  | 'not_held'
  | 'ended'
  | 'unreadable';

export interface LoopRow {
  id: string;
  /** `ProjectRow.id` */
  project: string;
  task: string;
  /** active, paused, the name of an ending (`verified_done`, ...), or `unreadable`. */
  status: string;
  tone: Tone;
  /** The situation in one sentence: how it ended, what it waits for, why it is not held, what it does. */
  words: string;
  doing: Doing;
  /** Since when it does that. */
  doingSince?: number;
  /** Names of the gates that are being judged. */
  judging?: string[];
  owner: Owner;
  /** Absent in an unreadable loop. */
  iteration?: number;
  /** Absent: unlimited. */
  maxIterations?: number;
  /** The feature, chunk or phase that the work is at. */
  current?: { kind: 'feature' | 'chunk' | 'phase'; name: string; number?: number; of?: number };
  gates: GateMark[];
  /** The share of the context window that was full at the last Stop, 0 to 1. */
  context?: number;
  /** Absent when no cost is known. */
  costUsd?: number;
  /** The part of it that was estimated. */
  estimatedUsd?: number;
  tokens: number;
  startedAt: number;
  endedAt?: number;
  /** The time of the last line of its journal. */
  lastAt: number;
  /** Working time, waits left out. While it works it grows by the time since `Overview.now`. */
  elapsedMs: number;
  /** What would end it next: the limit that is nearest to being used up. Absent when it has ended, or nothing is limited. */
  next?: Budget;
  /** How many questions are open for you. */
  questions: number;
  dialect: string;
  run?: { mode: string; sessions: number; parent?: string; children?: ChildCounts };
  /** What was asked of it by a person and has not been taken yet. */
  requested?: string[];
}

export interface Owner {
  kind: 'session' | 'run';
  /** The id of the session. */
  session: string;
  /** Whether its Claude Code (or the driver of its run) still runs; absent when that cannot be told. */
  alive?: boolean;
  /** How to look at it or go on with it in a terminal. */
  command?: string;
}

export interface ChildCounts {
  pieces: number;
  merged: number;
  open: number;
}

export type Outcome = 'pass' | 'fail' | 'unproven' | 'skip';

export interface GateMark {
  name: string;
  class: 'measured' | 'judged' | 'claimed';
  verdict: Outcome;
  summary: string;
  /** The iteration since which the verdict has been the same. */
  since: number;
}

export type LimitName =
  | 'iterations'
  | 'duration'
  | 'cost'
  | 'tokens'
  | 'phase_iterations'
  | 'phase_duration'
  | 'stall';

export interface Budget {
  name: LimitName;
  /** `iteration 7 of 20`, `1 h 10 min of 8 h`. */
  words: string;
  used: number;
  limit: number;
  /** 0 to 1, and more where it was passed. */
  share: number;
}

/** Something that only a person can do. */
export interface Need {
  /** Stays the same while it is open. */
  id: string;
  kind:
    | 'approval'
    | 'question'
    | 'trust'
    | 'not_held'
    | 'needs_person'
    | 'missed_stop'
    | 'unreadable'
    | 'ended_asking';
  /** Absent for `trust` of a project without a loop. */
  loop?: string;
  project: string;
  /** One line: what it is. */
  title: string;
  /** More of it, where there is more: the question, what was found, why nobody is held. */
  text?: string;
  since: number;
  /** Answers to choose from with one tap. */
  answers: NeedAnswer[];
  /** A command for a terminal, where it cannot be done from here, or only there. */
  command?: string;
}

export interface NeedAnswer {
  label: string;
  tone: 'good' | 'bad' | 'quiet';
  /** What is sent to /api/loops/:loop/actions. */
  action: ActionRequest;
  /** A note or answer in your own words may, or must, be added (`ActionRequest.note` or `.text`). */
  note?: 'optional' | 'required';
}

/** A session of Claude Code without a loop. */
export interface OtherSession {
  id: string;
  name?: string;
  folder?: string;
  /** As Claude Code calls it. */
  status?: string;
  startedAt?: number;
}

// ---------------------------------------------------------------------------------------------------- A loop

export interface LoopView {
  now: number;
  /** As in Overview. */
  eventId: string;
  row: LoopRow;
  project: ProjectRow;
  /** The whole task, at most 20,000 characters. */
  task: string;
  taskCut?: true;
  needs: Need[];
  gates: GateView[];
  board?: Board;
  phases?: { name: string; state: 'passed' | 'current' | 'later'; iterations?: number }[];
  questions: QuestionView[];
  agents: AgentView[];
  children: LoopRow[];
  budgets: Budget[];
  /** What can be changed with the action `limits`; absent where nothing can. */
  limits?: LimitsView;
  /** Actions that make sense now. */
  actions: ActionName[];
  /** What a person asked of it, the newest first: requested, then taken. */
  requests: RequestView[];
  /** Lines of its journal, those included that untildone did not write. */
  entries: number;
  /** How many lines there are of each `TimelineEntry.kind`. */
  kinds: Partial<Record<TimelineKind, number>>;
  strip: HeatStrip;
  series: Series;
  hasReceipt: boolean;
  /** The walls around the commands of its gates, in words. */
  walls?: string;
  contract?: { sha256: string; gates: number };
  /** What is wrong with its files, in words: damaged lines, a missing contract, a deleted project. */
  problems: Problem[];
}

export interface GateView extends GateMark {
  next?: string;
  parts?: { name: string; verdict: Outcome; summary: string }[];
}

/** Features or chunks. */
export interface Board {
  kind: 'features' | 'chunks';
  total: number;
  passed: number;
  /** At most 500. */
  cards: { name: string; verdict: Outcome; summary: string; current?: true }[];
}

export interface QuestionView {
  name: string;
  text: string;
  options: string[];
  askedAt: number;
  /** `open`, `answered`, `prompted` (by a prompt in its session), `decided` (by the agent: an assumption). */
  state: 'open' | 'answered' | 'prompted' | 'decided';
  answer?: string;
  option?: number;
  answeredAt?: number;
  /** The agent has been told. */
  told?: true;
}

export interface AgentView {
  id: string;
  type: string;
  status: 'working' | 'passed' | 'failed' | 'lost';
  begunAt: number;
  endedAt?: number;
  said?: string;
  failed?: string;
}

export interface LimitsView {
  iterations?: number;
  durationMs?: number;
  costUsd?: number;
  tokens?: number;
}

export type TimelineKind =
  | 'start'
  /** A Stop that was held. */
  | 'hold'
  /** A Stop that was let go without an end. */
  | 'let_go'
  /** A Stop, or the driver of a run, that ended the loop. */
  | 'end'
  /** A session of a run begins, or ended. */
  | 'session'
  | 'hand_over'
  | 'wait'
  | 'compaction'
  /** You: pause, resume, cancel, release, answers, limits, exceptions. */
  | 'person'
  | 'question'
  /** A subagent, task, teammate or prompt was judged. */
  | 'guard'
  | 'child'
  | 'contract'
  /** A tool call that was refused, denied or rewritten. */
  | 'tool'
  | 'event'
  /** A line that untildone did not write, lines that were removed, errors. */
  | 'damage';

export interface TimelineEntry {
  /** Its place in the journal, counted from 0. */
  place: number;
  /** `seq` of the line; absent in a line that is not ours. */
  seq?: number;
  at?: number;
  kind: TimelineKind;
  iteration?: number;
  /** One line. */
  words: string;
  tone: Tone;
  /** Of a judged Stop or guard: each gate. */
  gates?: { name: string; verdict: Outcome }[];
  session?: string;
  /** Since the line before. */
  sinceMs?: number;
  /** How long gates ran for it. */
  judgedMs?: number;
  /** Spent between this Stop and the one before. */
  tokens?: number;
  costUsd?: number;
  context?: number;
  /** The project differs from the tree of the Stop before. */
  changed?: boolean;
}

export interface EntriesPage {
  loop: string;
  /** Places (of those that `only` asks for) from here on. */
  from: number;
  /** How many there are in all, after `only`. */
  total: number;
  entries: TimelineEntry[];
}

export interface EntryDetail {
  entry: TimelineEntry;
  /** What it says in words, line by line. */
  lines: string[];
  /** What the model was told. `exact` is false where it was put together again from the journal. */
  reason?: { text: string; exact: boolean };
  verdicts: VerdictView[];
  /** What happened, by name and value, for everything that has no field of its own. */
  facts: { name: string; value: string }[];
  /** Whether /diff has something to show. */
  hasDiff: boolean;
}

export interface VerdictView {
  gate: string;
  kind: string;
  class: 'measured' | 'judged' | 'claimed';
  outcome: Outcome;
  /** It holds the loop. */
  blocks: boolean;
  summary: string;
  evidence: string[];
  next?: string;
  asks?: string;
  command?: string;
  exitCode?: number;
  durationMs?: number;
  costUsd?: number;
  room?: string;
  walls?: string;
  tests?: { passed: number; failed: number; skipped: number };
  reused?: true;
  flaky?: true;
  waits?: true;
  notes: string[];
  exceptions: string[];
  children: VerdictView[];
}

export interface DiffView {
  /** The trees that are compared. */
  from?: string;
  to?: string;
  files: DiffFile[];
  /** How many more files changed than are shown. */
  more: number;
  /** Why there is nothing to show. */
  problem?: string;
}

export interface DiffFile {
  path: string;
  before?: string;
  change: 'added' | 'removed' | 'changed' | 'renamed';
  added: number;
  removed: number;
  /** Unified hunks, without header lines; `+`, `-` or a blank before each line. Absent for binary files. */
  hunks?: { header: string; lines: string[] }[];
  /** Lines were left out. */
  cut?: true;
  binary?: true;
}

/** Gates over iterations. A column is one judged Stop, or several where there are more Stops than columns. */
export interface HeatStrip {
  columns: { from: number; to: number; place: number; at: number }[];
  /** A cell is the worst outcome in its column; null: not judged. */
  gates: { name: string; cells: (Outcome | null)[]; held: number }[];
}

/** At most 400 points, one a judged Stop or several; `place` leads to the entry. */
export interface Series {
  points: {
    at: number;
    iteration: number;
    place: number;
    costUsd?: number;
    tokens: number;
    context?: number;
  }[];
  /** Moments to mark: sessions, compactions, hand-overs. */
  marks: { at: number; kind: 'session' | 'compaction' | 'hand_over'; place: number }[];
}

export interface ReceiptView {
  loop: string;
  status: string;
  tone: Tone;
  /** The ending in words. */
  statement: string;
  task: string;
  madeAt?: number;
  commit?: string;
  tree?: string;
  contract: string;
  verdicts: VerdictView[];
  ladder: {
    /** The highest rung that was reached, in words; absent when no gate passed. */
    rests?: string;
    rungs: { name: string; words: string; reached: boolean; gates: string[]; by?: string }[];
    weak: { what: string; gate?: string; text: string }[];
  };
  allowed: string[];
  answers: { gate: string; said: string; note?: string; at: number }[];
  questions: { text: string; said: string; answer?: string; at: number }[];
  effort: {
    iterations: number;
    workingMs: number;
    tokens: number;
    costUsd?: number;
    estimatedUsd?: number;
    sessions?: number;
  };
  verification: {
    /** Signed, unchanged, and made on this machine. */
    ok: boolean;
    problems: string[];
    /** A short name of the key that signed it. */
    key?: string;
    ownKey: boolean;
  };
  /** As `untildone receipt --format md` prints it. */
  markdown: string;
}

// ---------------------------------------------------------------------------------------------------- Acting

export type ActionName =
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'release'
  | 'approve'
  | 'reject'
  | 'answer'
  | 'limits';

export type ActionRequest =
  | { action: 'pause' | 'resume' | 'cancel' | 'release'; note?: string }
  /** `gate`: which question, where several are open. */
  | { action: 'approve'; gate?: string; note?: string }
  | { action: 'reject'; gate?: string; note: string }
  /** `question`: its number (`question 2` is 2). Either `text` or `option` (counted from 1), or both. */
  | { action: 'answer'; question?: number; text?: string; option?: number }
  /** Only what changes; null: unlimited. */
  | {
      action: 'limits';
      iterations?: number | null;
      durationMs?: number | null;
      costUsd?: number | null;
      tokens?: number | null;
    };

export interface ActionAnswer {
  request: RequestView;
  /** As the command in a terminal would say it. */
  words: string[];
}

/** A request of a person. It is in the journal at once; it is taken at the next step of the loop. */
export interface RequestView {
  /** The place of its line in the journal. */
  place: number;
  action: ActionName | 'allow' | 'contract';
  words: string;
  note?: string;
  at: number;
  state: 'requested' | 'taken';
  takenAt?: number;
  /** What takes it: `the next Stop of its session`, `the next step of its run`. */
  takenBy: string;
}

// ---------------------------------------------------------------------------------------------------- Insights

export interface Insights {
  now: number;
  /** From this moment on. */
  since: number;
  loops: number;
  /** More loops than could be read in time; the newest were. */
  cut?: true;
  endings: { status: string; tone: Tone; words: string; count: number }[];
  /** Gates by how often they held, most first; at most 20. */
  gates: { name: string; project: string; held: number; judged: number; loops: number }[];
  /** The same failure in several Stops, most first; at most 20. */
  reasons: {
    gate: string;
    summary: string;
    times: number;
    loops: number;
    example: { loop: string; place: number };
  }[];
  /** Of loops that are done: iterations, sorted into bins. */
  untilDone: { median?: number; p90?: number; bins: { from: number; to: number; loops: number }[] };
  /** How long hooks took, as far as journals tell. */
  latency?: { event: string; count: number; p50: number; p95: number; p99: number; max: number }[];
  /** Attempts to get past gates: what was seen, how often, the newest example. */
  cheats: {
    what: string;
    words: string;
    times: number;
    loops: number;
    example: { loop: string; place: number };
  }[];
  /** Cost by day (`2026-01-31`, local) and project. */
  cost: { day: string; project: string; usd: number; tokens: number; loops: number }[];
  /** Parts that other commands know; each is absent where there is nothing. */
  lessons?: LessonView[];
  audit?: AuditView;
}

export interface LessonView {
  id: string;
  text: string;
  /** As `untildone lessons` calls it: proposed, on trial, kept, dropped, ... */
  state: string;
  tone: Tone;
  /** How its trial goes, in words. */
  trial?: string;
  project?: string;
  at?: number;
}

export interface AuditView {
  at?: number;
  /** One line: what was looked at. */
  words: string;
  findings: { title: string; text?: string; count?: number; tone: Tone }[];
}

// ---------------------------------------------------------------------------------------------------- Events

/**
 * Server-sent events. The name of the event is `type`, its data the JSON of the rest. A comment line comes every 15 s.
 * The id goes back as `Last-Event-ID` (browsers do that) or `after`; what was missed is sent again, or `reset` where that is
 * too much: then load the overview (and the loop) again.
 */
export type ServerEvent =
  | { type: 'hello'; now: number; version: string }
  | { type: 'reset'; why: string }
  /** Everything that changed within a moment, together. `needs` and `totals` are whole where they are there. */
  | {
      type: 'changes';
      now: number;
      loops: LoopRow[];
      gone: string[];
      needs?: Need[];
      totals?: Totals;
      ended?: number;
    }
  /** Lines that were added to the journal of the loop that `loop=` asks for. `total` counts all lines. */
  | { type: 'entries'; loop: string; total: number; entries: TimelineEntry[] }
  | { type: 'sessions'; sessions: OtherSession[] }
  /** A request was made, or was taken. */
  | { type: 'request'; loop: string; request: RequestView }
  /** The server ends: no need to connect again. */
  | { type: 'bye' };
