/** What becomes of a run on the queue when its process is over. */
import { afterFailure, type Intake, type Tries } from '../../engine/core/fleet/intake.ts';
import type { RunResult } from '../../engine/ports/fleet.ts';
import type { DriveOutcome } from '../drive/protocol.ts';

export type Settlement = Intake | { do: 'complete'; result: RunResult };

/** Longer than anybody waits: only a command wakes it. */
export const UNTIL_TOLD_MS = 365 * 86_400_000;
const AFTER_FENCE_MS = 2_000;

export function settlementOf(
  outcome: DriveOutcome | { kind: 'crashed'; why: string },
  facts: { tries: Tries; attempts: number; gotOn: boolean; now: number },
): Settlement {
  // What got on begins to count its failures anew.
  const failed = facts.gotOn ? { failed: false } : {};
  switch (outcome.kind) {
    case 'ended':
      return { do: 'complete', result: outcome.result };
    case 'rests': {
      const { untilMs, why } = outcome;
      const afterMs = untilMs === undefined ? UNTIL_TOLD_MS : Math.max(0, untilMs - facts.now);
      return { do: 'give_back', afterMs, why, ...failed };
    }
    case 'handed_back':
      return { do: 'give_back', afterMs: 0, why: 'its worker was drained', ...failed };
    case 'fenced':
      return { do: 'give_back', afterMs: AFTER_FENCE_MS, why: outcome.why, ...failed };
    case 'hopeless':
      return { do: 'bury', why: outcome.why };
    case 'failed':
    case 'crashed':
      return afterFailure(outcome.why, facts.tries, facts);
  }
}
