/** What the page of one loop shows; a part of types.ts. */
import type {
  ActionName,
  Budget,
  GateMark,
  LoopRow,
  Need,
  Outcome,
  Problem,
  ProjectRow,
  RequestView,
  Tone,
} from './overview-types.ts';

export interface LoopPage {
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
    /** Signed, unchanged, and made on this machine, or by a run of the fleet. */
    ok: boolean;
    problems: string[];
    /** A short name of the key that signed it. */
    key?: string;
    ownKey: boolean;
  };
  /** As `untildone receipt --format md` prints it. */
  markdown: string;
}
