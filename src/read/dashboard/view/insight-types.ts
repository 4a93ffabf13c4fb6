/** What the page of insights shows; a part of types.ts. */
import type { Tone } from './overview-types.ts';

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
  /** The last one of these days and this project, where one was asked for. */
  audit?: AuditView;
  /** One can be asked for: POST /api/audit. */
  canAudit?: true;
}

export interface LessonView {
  id: string;
  text: string;
  state: 'told' | 'pinned' | 'dropped';
  tone: Tone;
  project?: string;
}

/** How often "done" had a passing check behind it, as `untildone audit` counts it. Counts only: no names, no prompts. */
export interface AuditView {
  state: 'running' | 'done' | 'failed';
  /** While it runs: how much of the transcripts was read, 0 to 1. */
  share?: number;
  /** When it ended. It is kept until somebody asks for another. */
  at?: number;
  /** One line: what was looked at, how far it is, or why there is nothing. */
  words: string;
  /** `share`: of all turns that were looked at, 0 to 1. */
  findings: { title: string; text?: string; count?: number; share?: number; tone: Tone }[];
}

/** What /api/audit takes, and answers. */
export interface AuditAsked {
  days: number;
  project?: string;
}

export interface AuditAnswer {
  /** Absent when none was asked for. */
  audit?: AuditView;
}
