import type { ChildEntry } from '../run/children.ts';
import type { Limit } from '../run/option-values.ts';
import type { Pace } from '../run/options.ts';
import type { SessionEnd } from '../run/session-end.ts';
import type { AskedEntry } from './asked.ts';
import type { StopSeen } from './count-stop.ts';
import type { BaseGate } from './since-start.ts';
import type { StartedWith } from './started-with.ts';
import type { Answered, Decision, Ending } from './state.ts';
import type { FileUsage } from './subagent-usage.ts';
import type { GuardedAgent } from './subagents.ts';
import type { Took, Verdict } from './verdict.ts';

/** One line of a journal. docs/reference/journal.md describes the format. */
export type Entry =
  | StartedEntry
  | {
      kind: 'stop';
      seen: StopSeen;
      verdicts: Verdict[];
      decision: Decision;
      /** When each gate was judged, and for how long; absent for gates whose verdict was known, and in older journals. */
      took?: Record<string, Took>;
    }
  | { kind: 'event'; event: string; detail?: Record<string, string> }
  | {
      kind: 'guard';
      event: string;
      subject: string;
      verdicts: Verdict[];
      refused: boolean;
      /** Of a SubagentStop. */
      agent?: GuardedAgent;
      /** What was found in the transcripts of the session's subagents. */
      subagents?: FileUsage[];
    }
  | { kind: 'command'; command: PersonCommand; note?: string }
  | { kind: 'allowed'; exception: string; note?: string }
  /** The agent asks you something. */
  | AskedEntry
  /** A question was answered; `gate`: which one; `digest`: of the file that it is about. */
  | ({ kind: 'answered'; gate: string } & Pick<Answered, 'said' | 'note' | 'option' | 'digest'>)
  /** You replaced the contract of the loop. */
  | { kind: 'contract'; contractSha256: string; maxIterations: Limit }
  /** You go on with a run that had ended, or changed its limits; `limits`: what changed, in words. */
  | { kind: 'reopened'; contractSha256: string; maxIterations: Limit; limits?: string }
  /**
   * Of a run of a fleet: this worker goes on with it on another machine, or in another folder. The contract was frozen anew
   * there; the sessions so far stay behind.
   */
  | { kind: 'moved'; worker: string; contractSha256: string; iteration: number }
  /** The foreign state file changed: `iteration` and `maxIterations` are taken over, `says` is only remembered. */
  | { kind: 'synced'; iteration?: number; maxIterations?: Limit; says?: number }
  /** The foreign state file was removed or replaced, or it expired. */
  | { kind: 'withdrawn'; cause: 'state_removed' | 'state_replaced' | 'expired'; detail: string }
  /** Another session goes on with the loop. */
  | { kind: 'claimed'; session: string; transcriptOffset: number; costTotalUsd?: number }
  /** An in-session loop goes on as a run from here on. */
  | { kind: 'run_begun'; permissionMode?: string }
  /** Of a run: a session is about to start. Without a `result` after it, the run crashed. */
  | { kind: 'intent'; session: string; resume: boolean; why: string }
  /** Of a run: how a session ended. */
  | {
      kind: 'result';
      end: SessionEnd;
      costTotalUsd?: number;
      tokensTotal?: number;
      /** Where the transcript ends, and the tokens in it that were not counted before. */
      read?: { offset: number; tokens: number };
    }
  /** Of a run: it ends outside a Stop. */
  | { kind: 'ended'; status: Ending; cause: string; detail: string }
  /** Of a run that divides its work. */
  | ChildEntry
  /** The foreign state files of an ended loop were written for the last time. */
  | { kind: 'closed' }
  /** The output that the foreign format's own hook would give at this ending. */
  | { kind: 'said'; output: Record<string, string | string[]> }
  /** Others wrote whole lines at the end of the journal, or removed some (`cut` of them). */
  | { kind: 'foreign'; lines: number; cut?: number }
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
  /** Everything that could be measured passed at the start. */
  basePassing?: true;
  /** What each gate said at the start; absent where nothing was judged then, and in journals of version 0.1.0. */
  baseGates?: BaseGate[];
  /** Tests that were changed before the loop began; absent where none were. */
  startedWith?: StartedWith;
  /** The gate that asks for a change, although the contract does not (`askForChange`). */
  changeGate?: string;
  /** A loop over many sessions. */
  run?: NewRun;
  /** The cost of the session so far, as Claude Code counts it. */
  costTotalUsd?: number;
}

/** A loop over many sessions, as it begins. `parent`: the run that it is a piece of. */
export type NewRun = Pace & { parent?: string };

export type PersonCommand = 'pause' | 'resume' | 'cancel' | 'release';
