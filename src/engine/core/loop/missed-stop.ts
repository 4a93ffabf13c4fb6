/** Notices that a session ended a turn, and that no Stop of it reached us: then nothing was judged, and nobody was held. */
import type { Entry } from './entry.ts';
import type { LoopState } from './state.ts';

/** The name of its entry in the journal. It is no event of Claude Code. */
export const MISSED_STOP = 'MissedStop';

/**
 * When the last turn ended, if no Stop has reached us since. A Stop comes after the end of its turn, so the clock of this
 * machine decides. A run drives its sessions itself, and a paused loop judges nothing.
 */
export function missedStop(
  { status, run, stoppedAt, missed }: LoopState,
  turnEnd: number | undefined,
): number | undefined {
  if (status !== 'active' || run) return undefined;
  const isNew = turnEnd !== undefined && stoppedAt !== undefined && turnEnd > stoppedAt;
  return isNew ? turnEnd : missed?.at;
}

export function missedEntry(turnEnd: number): Entry {
  return { kind: 'event', event: MISSED_STOP, detail: { ended: new Date(turnEnd).toISOString() } };
}

export function missedAt(detail: Readonly<Record<string, string>>): number | undefined {
  const at = Date.parse(detail.ended ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** For you. */
export const MISSED_WORDS =
  'a turn of its session ended without a Stop that reached untildone, so nothing was judged then. Find out why with: ' +
  'untildone doctor. Then prompt the session to go on';
