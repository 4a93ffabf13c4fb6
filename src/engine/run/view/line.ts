/** What a run tells programs, line by line: docs/reference/run-events.md is the grammar. Times are ISO 8601. */

/** The last verdict of a gate. */
export interface GateLine {
  name: string;
  class: 'measured' | 'judged' | 'claimed';
  verdict: 'pass' | 'fail' | 'unproven' | 'skip';
  summary: string;
  evidence?: string[];
  next?: string;
}

/** The state of a run after a line. */
export interface RunFigures {
  loop: string;
  status: string;
  session: string;
  sessions: number;
  iteration: number;
  max_iterations: number | null;
  /** Null without phases. */
  phase: string | null;
  elapsed_s: number;
  cost_usd: number;
  tokens: number;
  /** Different tool calls that were denied. */
  denied: number;
  gates: GateLine[];
  waiting: { why: string; since: string | null; text: string } | null;
  ending: { cause: string; at: string | null; detail: string; text: string } | null;
}

export interface LimitsLine {
  iterations: number | null;
  duration_s: number | null;
  cost_usd: number | null;
  tokens: number | null;
  context: number;
}

/** Something inside a session. */
export type Happening =
  | { kind: 'began'; session: string; model: string }
  | { kind: 'said' | 'told'; text: string }
  | { kind: 'called'; tool: string; input: unknown }
  | { kind: 'returned'; tool: string; failed: boolean; denied: boolean }
  | { kind: 'denied'; tool: string; input: unknown; what: string; allow: string[] }
  | { kind: 'retry'; attempt: number; delay_ms: number; why: string }
  | { kind: 'limit'; resets_at: string | null; text: string }
  | { kind: 'compacted' }
  | { kind: 'usage'; context_tokens: number; context_window: number; model: string };

/** The child that a line is about; absent for the run itself. */
export interface ChildLine {
  loop: string;
  piece: string;
}

export type RunLine = { child?: ChildLine } & (
  | {
      type: 'begun';
      loop: string;
      resumed: boolean;
      task: string;
      limits: LimitsLine | null;
      gates: GateLine[];
    }
  | { type: 'session'; session: string; resume: boolean; why: string; run: RunFigures }
  | ({ type: 'happening' } & Happening)
  | { type: 'judging' }
  | { type: 'stop'; answer: string; held: boolean; run: RunFigures }
  | { type: 'session_ended'; end: { kind: string; detail: string; until: string | null }; run: RunFigures }
  | { type: 'waiting'; until: string | null; why: string }
  | { type: 'warning'; text: string }
  | {
      type: 'child';
      child: ChildLine;
      change: string;
      branch: string | null;
      files: string[];
      text: string;
      run: RunFigures;
    }
  | { type: 'paused'; why: string }
  | { type: 'ended'; run: RunFigures }
  | { type: 'note'; text: string }
);
