/** Lines of a journal as entries of a timeline. Pure. */
import type { Entry, EntryOf } from '../../../engine/core/loop/entry.ts';
import { MISSED_STOP } from '../../../engine/core/loop/missed-stop.ts';
import type { LoopState } from '../../../engine/core/loop/state.ts';
import { oneLine } from '../../../engine/core/text/clip.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import { entryLines } from '../../../engine/core/words/entries.ts';
import { toneOf } from '../../loop/situation.ts';
import type { TimelineEntry, TimelineKind } from './loop-types.ts';
import type { Tone } from './overview-types.ts';
import { judgedMs } from './verdicts.ts';

/** A line of a journal, as far as the timeline needs it. */
export interface TimelineLine {
  seq: number;
  at: string;
  entry: Entry;
  state: LoopState;
}

const WORDS_LIMIT = 500;

/** `before`: the valid line before it; undefined for the first. `changed`: whether the work differs from the Stop before. */
export function timelineEntry(
  place: number,
  line: TimelineLine,
  before?: TimelineLine,
  changed?: boolean,
): TimelineEntry {
  const { seq, entry, state } = line;
  const at = Date.parse(line.at);
  const [words = ''] = entryLines(entry, state);
  return {
    place,
    seq,
    at,
    kind: kindOf(entry),
    iteration: state.iteration,
    words: oneLine(words, WORDS_LIMIT),
    tone: toneOfEntry(entry),
    ...defined({ sinceMs: before && Math.max(0, at - Date.parse(before.at)), session: sessionOf(entry) }),
    ...ofVerdicts(entry),
    ...(entry.kind === 'stop' || entry.kind === 'result' ? spentIn(state, before?.state) : {}),
    ...defined({ context: entry.kind === 'stop' ? entry.seen.contextShare : undefined, changed }),
  };
}

/** A line that untildone did not write, or that is damaged. */
export function damagedEntry(place: number, problem: string): TimelineEntry {
  return {
    place,
    kind: 'damage',
    words: `a line that counts for nothing: ${oneLine(problem, WORDS_LIMIT)}`,
    tone: 'bad',
  };
}

function ofVerdicts(entry: Entry): Pick<TimelineEntry, 'gates' | 'judgedMs'> {
  if (entry.kind !== 'stop' && entry.kind !== 'guard') return {};
  const gates = entry.verdicts.map(({ gate, outcome }) => ({ name: gate, verdict: outcome }));
  return { ...(gates.length === 0 ? {} : { gates }), ...defined({ judgedMs: judgedMs(entry.verdicts) }) };
}

function spentIn(
  { spent }: LoopState,
  before: LoopState | undefined,
): Pick<TimelineEntry, 'tokens' | 'costUsd'> {
  if (!before) return {};
  const tokens = spent.tokens - before.spent.tokens;
  const costUsd = spent.costUsd - before.spent.costUsd;
  return { ...(tokens > 0 ? { tokens } : {}), ...(costUsd > 0 ? { costUsd } : {}) };
}

function sessionOf(entry: Entry): string | undefined {
  return entry.kind === 'started' || entry.kind === 'claimed' || entry.kind === 'intent'
    ? entry.session
    : undefined;
}

type FixedKind = Exclude<Entry['kind'], 'stop' | 'event' | 'command'>;

const KINDS: Readonly<Record<FixedKind, TimelineKind>> = {
  started: 'start',
  guard: 'guard',
  allowed: 'person',
  asked: 'question',
  answered: 'person',
  contract: 'contract',
  reopened: 'person',
  moved: 'session',
  synced: 'event',
  withdrawn: 'end',
  claimed: 'session',
  run_begun: 'session',
  intent: 'session',
  result: 'session',
  ended: 'end',
  closed: 'event',
  said: 'event',
  foreign: 'damage',
  error: 'damage',
  split: 'child',
  child_begun: 'child',
  child_spent: 'child',
  child_ended: 'child',
  merge_begun: 'child',
  merge_ended: 'child',
  children_waiting: 'wait',
  children_resumed: 'child',
  children_over: 'child',
};

export function kindOf(entry: Entry): TimelineKind {
  switch (entry.kind) {
    case 'stop':
      return kindOfStop(entry);
    case 'event':
      return kindOfEvent(entry);
    case 'command':
      return 'person';
    default:
      // A kind of a later version is shown as what it says.
      return Object.hasOwn(KINDS, entry.kind) ? KINDS[entry.kind] : 'event';
  }
}

function kindOfStop({ decision }: EntryOf<'stop'>): TimelineKind {
  if (decision.kind === 'end') return 'end';
  if (decision.kind === 'block') return decision.instruction === 'hand_over' ? 'hand_over' : 'hold';
  if (decision.cause === 'hand_over') return 'hand_over';
  return 'wait' in decision && decision.wait !== undefined ? 'wait' : 'let_go';
}

function kindOfEvent({ event, detail = {} }: EntryOf<'event'>): TimelineKind {
  if (/Compact/.test(event)) return 'compaction';
  if (event === MISSED_STOP) return 'damage';
  if (event === 'PermissionDenied' || 'refused' in detail || 'rewritten' in detail) return 'tool';
  if (event === 'SessionStart' || event === 'SessionEnd') return 'session';
  return event === 'StopFailure' ? 'wait' : 'event';
}

function toneOfEntry(entry: Entry): Tone {
  switch (kindOf(entry)) {
    case 'end':
      return toneOf(endingIn(entry), 'ended');
    case 'damage':
      return 'bad';
    case 'hold':
    case 'question':
      return 'open';
    case 'wait':
    case 'let_go':
      return 'waiting';
    case 'guard':
      return entry.kind === 'guard' && entry.refused ? 'open' : 'quiet';
    default:
      return 'quiet';
  }
}

function endingIn(entry: Entry): string {
  if (entry.kind === 'stop' && entry.decision.kind === 'end') return entry.decision.status;
  return entry.kind === 'ended' ? entry.status : 'cancelled';
}
