import type { Limits } from '../core/contract/contract.ts';
import type { ChildState, LoopState, MergeOutcome } from '../core/loop/state.ts';
import type { Verdict } from '../core/loop/verdict.ts';
import type { SessionEnd } from '../core/run/session-end.ts';
import type { SessionHappening } from '../ports/ports.ts';

/** What a run reports while it works. */
export type RunEvent =
  | { type: 'session'; session: string; resume: boolean; why: string; state: LoopState }
  | { type: 'happening'; happening: SessionHappening }
  /** The gates are being judged. */
  | { type: 'judging' }
  /** With verdicts when the Stop was judged. */
  | { type: 'stop'; state: LoopState; answer: string; verdicts?: readonly Verdict[] }
  | { type: 'session_ended'; end: SessionEnd; state: LoopState }
  /** Until a time; without one, for the user. */
  | { type: 'waiting'; until?: number; why: string }
  | { type: 'warning'; text: string }
  /** A child began, went on, ended or was merged. */
  | {
      type: 'child';
      child: ChildState;
      change: 'begun' | 'goes_on' | 'ended' | MergeOutcome;
      text: string;
      state: LoopState;
    }
  | { type: 'paused'; why: string }
  | { type: 'ended'; state: LoopState };

/** Shows a user, or a program, what a run does. Its methods need no `this`, and none of them throws. */
export interface RunReporter {
  /** A run begins, or goes on after a pause; `baseline` holds the last verdicts of its gates. */
  begun(loop: string, task: string, baseline: readonly Verdict[], more?: BegunMore): void;
  event(event: RunEvent): void;
  note(text: string): void;
  /** The reporter for one child of the run: every line names the child. */
  child(child: ChildName): RunReporter;
}

export interface ChildName {
  loop: string;
  piece: string;
}

export interface BegunMore {
  limits: Limits;
  resumed: boolean;
}
