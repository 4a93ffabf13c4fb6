import type { Decision } from '../../core/loop/state.ts';
import type { Verdict } from '../../core/loop/verdict.ts';
import { oneLine } from '../../core/text/clip.ts';
import type { StateChange } from '../../ports/ports.ts';
import type { Place } from '../format.ts';
import { sentences } from './words.ts';

const LINE_LIMIT = 1000;

/** The two lines that the document's hook writes about a Stop. */
export function stopLog(place: Place, decision: Decision, verdicts: readonly Verdict[]): StateChange {
  const stamp = stampOf(place.now);
  const lines = [`Stop hook fired: session=${place.session}`, outcomeOf(decision, verdicts)];
  const text = lines.map((line) => `[${stamp}] ${oneLine(line, LINE_LIMIT)}\n`).join('');
  return { kind: 'append', path: `${place.userHome}/.ralph/logs/stop-hook.log`, text };
}

/** `Stop APPROVED` alone means done; every other way to be let go says how. */
function outcomeOf(decision: Decision, verdicts: readonly Verdict[]): string {
  switch (decision.kind) {
    case 'block':
      return `Stop BLOCKED: ${sentences(verdicts) || 'a gate of the contract does not pass'}`;
    case 'allow':
      return `Stop APPROVED for now, not done: ${decision.cause}`;
    case 'end':
      return isDone(decision.status)
        ? 'Stop APPROVED'
        : `Stop APPROVED, NOT done: ${decision.status} (${decision.detail})`;
  }
}

export function isDone(status: string): boolean {
  return status === 'verified_done' || status === 'claimed_done';
}

/** `YYYY-mm-dd HH:MM:SS`, as `date` prints it on this machine. */
function stampOf(now: number): string {
  const at = new Date(now);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}
