import type { Limits } from '../../core/contract/contract.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import type { RunEvent } from '../driver/run-event.ts';

/** Whoever tells a person, or a program, what a run does. Its methods may be handed around; none of them throws. */
export interface RunReporter {
  /** A run begins, or goes on after a pause; `baseline` is what its gates said last. */
  begun(loop: string, task: string, baseline: readonly Verdict[], more?: BegunMore): void;
  event(event: RunEvent): void;
  note(text: string): void;
  /** For one of the children of the run: what it tells says which of them it speaks of. */
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
