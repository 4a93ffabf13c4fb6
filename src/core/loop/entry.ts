import type { Limit, RunMode } from '../contract/contract.ts';
import type { ChildEntry } from '../run/children.ts';
import type { SessionEnd } from '../run/session-end.ts';
import type { StopSeen } from './count-stop.ts';
import type { Decision, Ending } from './state.ts';
import type { GuardedAgent } from './subagents.ts';
import type { Verdict } from './verdict.ts';
/** What one line of a journal says. docs/reference/journal.md is the grammar that others read. */
export type Entry =
  | StartedEntry
  | { kind: 'stop'; seen: StopSeen; verdicts: Verdict[]; decision: Decision }
  | { kind: 'event'; event: string; detail?: Record<string, string> }
  | {
      kind: 'guard';
      event: string;
      subject: string;
      verdicts: Verdict[];
      refused: boolean;
      /** Of a SubagentStop. */
      agent?: GuardedAgent;
    }
  | { kind: 'command'; command: PersonCommand; note?: string }
  | { kind: 'allowed'; exception: string; note?: string }
  /** A person answered a question of the loop; `digest`: of the file it is about. */
  | { kind: 'answered'; gate: string; said: 'approved' | 'rejected'; note?: string; digest?: string }
  /** A person put another definition of done in place of the one from the start. */
  | { kind: 'contract'; contractSha256: string; maxIterations: Limit }
  /** What the foreign state of a loop says now; `iteration` and `maxIterations` are taken over, `says` is remembered. */
  | { kind: 'synced'; iteration?: number; maxIterations?: Limit; says?: number }
  /** The foreign state is no longer there, is another one, or its time is over. */
  | { kind: 'withdrawn'; cause: 'state_removed' | 'state_replaced' | 'expired'; detail: string }
  /** Another session goes on with the loop. */
  | { kind: 'claimed'; session: string; transcriptOffset: number; costTotalUsd?: number }
  /** An in-session loop goes on as a run from here on. */
  | { kind: 'run_begun'; permissionMode?: string }
  /** Of a run: a session is about to be started. Without a `result` after it, something ended the driver. */
  | { kind: 'intent'; session: string; resume: boolean; why: string }
  /** Of a run: how a session came back. */
  | {
      kind: 'result';
      end: SessionEnd;
      costTotalUsd?: number;
      tokensTotal?: number;
      /** Where the transcript ends now, and what of it was not counted before. */
      read?: { offset: number; tokens: number };
    }
  /** Of a run: its driver ends it. */
  | { kind: 'ended'; status: Ending; cause: string; detail: string }
  /** Of a run that divides its work. */
  | ChildEntry
  /** The files of an ended loop in a foreign format were given their last form. */
  | { kind: 'closed' }
  /** What the format's own hook puts out at this ending. */
  | { kind: 'said'; output: Record<string, string | string[]> }
  /** Whole lines stood at the journal's end that we did not write. */
  | { kind: 'foreign'; lines: number }
  | { kind: 'error'; message: string };

export type EntryOf<K extends Entry['kind']> = Extract<Entry, { kind: K }>;

export interface StartedEntry {
  kind: 'started';
  loop: string;
  session: string;
  project: string;
  dialect: string;
  task: { preview: string; bytes: number; sha256: string };
  contractSha256: string;
  maxIterations: Limit;
  transcriptOffset: number;
  baseTree?: string;
  baseCommit?: string;
  /** Everything that could be measured passed already. */
  basePassing?: true;
  /** A loop over many sessions. */
  run?: { mode: RunMode; freshEvery?: number; parent?: string };
  /** The client's own cost total of the session so far. */
  costTotalUsd?: number;
}

export type PersonCommand = 'pause' | 'resume' | 'cancel' | 'release';
