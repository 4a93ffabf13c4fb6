/** What a person asked of a loop, and whether the loop has taken it. Pure. */
import type { Entry } from '../../../engine/core/loop/entry.ts';
import { hasEnded, type LoopState } from '../../../engine/core/loop/state.ts';
import { oneLine } from '../../../engine/core/text/clip.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import { describeEntry } from '../../../engine/core/words/entries.ts';
import type { RequestView } from './overview-types.ts';

/** A request as its line says it, before anybody knows whether it was taken. */
export type Requested = Omit<RequestView, 'state' | 'takenAt' | 'takenBy'>;

/** The request in a line of the journal; undefined for a line of somebody else. */
export function requestIn(place: number, at: number, entry: Entry, state: LoopState): Requested | undefined {
  const action = actionOf(entry, state);
  if (action === undefined) return undefined;
  const note = 'note' in entry ? entry.note : undefined;
  return { place, action, words: oneLine(describeEntry(entry, state), 300), at, ...defined({ note }) };
}

function actionOf(entry: Entry, { run }: LoopState): Requested['action'] | undefined {
  switch (entry.kind) {
    case 'command':
      // A run pauses by itself, too; its note says why.
      return entry.command === 'pause' && run && entry.note ? undefined : entry.command;
    case 'answered':
      if (entry.said === 'approved') return 'approve';
      if (entry.said === 'rejected') return 'reject';
      return entry.said === 'answered' ? 'answer' : undefined;
    case 'reopened':
      return 'limits';
    case 'contract':
      return 'contract';
    case 'allowed':
      return 'allow';
    default:
      return undefined;
  }
}

/** What is known of a loop since its last request. */
export interface Since {
  /** The first line after the request that is no request. */
  stepAt?: number;
  /** When the last turn of its session ended. */
  turnEndedAt?: number;
  /** Its Claude Code, or the process that drives its run, is gone: nobody is left who would take it. */
  gone?: true;
  /** Its Claude Code is known to be there, and may still be at work. */
  there?: true;
}

const ENDS_WORK = new Set<string>(['pause', 'cancel', 'release']);

/**
 * A request is taken by the first step of the loop after it. What ends the work is taken, too, when nobody works: of a loop
 * that has ended, unless its Claude Code is known to be there.
 */
export function asRequest(requested: Requested, state: LoopState, since: Since): RequestView {
  const takenBy = state.run ? 'the next step of its run' : 'the next Stop of its session';
  const { stepAt, turnEndedAt, there } = since;
  const gone = since.gone || (hasEnded(state) && !there);
  const turn = turnEndedAt !== undefined && turnEndedAt > requested.at ? turnEndedAt : undefined;
  const takenAt =
    stepAt ?? (ENDS_WORK.has(requested.action) ? (turn ?? (gone ? requested.at : undefined)) : undefined);
  if (takenAt === undefined) return { ...requested, state: 'requested', takenBy };
  return { ...requested, state: 'taken', takenAt, takenBy };
}
