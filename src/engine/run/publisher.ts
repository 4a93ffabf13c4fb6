import type { LoopState } from '../core/loop/state.ts';
import type { LoopRef } from '../ports/ports.ts';

/** Publishes a run elsewhere while it goes on, step by step, and says when it has to pause. None of its methods rejects. */
export interface RunPublisher {
  /** Before the first session of this process. Returns why the run has to pause before it. */
  begins(ref: LoopRef): Promise<string | undefined>;
  /**
   * After a Stop was judged, before the session hears of it. `spentUsd`: what the run has spent, its open session included.
   * Returns why the run has to pause now.
   */
  iterated(state: LoopState, spentUsd: number): Promise<string | undefined>;
  /** Before a fresh session that follows another one, whose cost is known by then. Returns why the run has to pause now. */
  goesOn(): Promise<string | undefined>;
  /** What one more session may spend; a session that has spent it ends, and its work is judged. */
  readonly leftUsd: number | undefined;
  /** While the run waits for a time, or without one for you. Returns why this process leaves it instead. */
  leaves(until: number | undefined): string | undefined;
}
