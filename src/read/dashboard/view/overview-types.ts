/** What the overview shows and what you can ask of a loop; a part of types.ts. */
import type { Budget, Doing, Tone } from '../../loop/shape.ts';

export type * from '../../loop/shape.ts';

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
  /**
   * The runs of a fleet are shown, not the loops of this machine. `place`: where the store of its queue is. `away`: it cannot
   * be reached, in words.
   */
  fleet?: { place: string; away?: string };
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
  /** Not everything has been read yet: so many loops of these. What is at work comes first. */
  reading?: { read: number; of: number };
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
  /** Of a run of a fleet: its repository, and the worker that has it. */
  repo?: string;
  worker?: string;
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
    | 'ended_asking'
    | 'dead_letter';
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

// ---------------------------------------------------------------------------------------------------- Acting

export type ActionName =
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'release'
  | 'approve'
  | 'reject'
  | 'answer'
  | 'limits'
  /** Of a run of a fleet that ended without being done, or is in the dead letters. */
  | 'retry';

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
    }
  | { action: 'retry' };

export interface ActionAnswer {
  request: RequestView;
  /** As the command in a terminal would say it. */
  words: string[];
}

/** A request of a person. It is in the journal at once; it is taken at the next step of the loop. */
export interface RequestView {
  /** The place of its line in the journal; below 0 as long as it is in none. */
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
