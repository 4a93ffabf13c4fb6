/** The words and shapes of what loops do and how they ended. Pure. */
import type { LoopRow, Outcome, TimelineKind, Tone } from '../../view/types.ts';

/** Every state has a shape of its own: nobody has to tell colours apart. */
export type ShapeName =
  | 'done'
  | 'claimed'
  | 'busy'
  | 'gate'
  | 'you'
  | 'wait'
  | 'undone'
  | 'stopped'
  | 'paused'
  | 'start'
  | 'held'
  | 'session'
  | 'person'
  | 'live'
  | 'unproven'
  | 'skip'
  | 'unknown';

export interface Look {
  words: string;
  shape: ShapeName;
  tone: 'done' | 'you' | 'undone' | 'busy' | 'calm';
}

const DOING: Record<Exclude<LoopRow['doing'], 'ended'>, Look> = {
  thinks: { words: 'The model thinks', shape: 'busy', tone: 'busy' },
  gate_runs: { words: 'A gate runs', shape: 'gate', tone: 'busy' },
  waits_limit: { words: 'Waits for a limit', shape: 'wait', tone: 'calm' },
  waits_you: { words: 'Waits for you', shape: 'you', tone: 'you' },
  waits_other: { words: 'Waits', shape: 'wait', tone: 'calm' },
  paused: { words: 'Paused', shape: 'paused', tone: 'calm' },
  not_held: { words: 'Not held', shape: 'you', tone: 'you' },
  unreadable: { words: 'Cannot be read', shape: 'unknown', tone: 'undone' },
};

const ENDED: Record<string, string> = {
  verified_done: 'Done, verified',
  claimed_done: 'Claimed done, not proven',
  reached_limit: 'Not done: limit reached',
  stalled: 'Not done: stalled',
  idle: 'Not done: idle',
  capped: 'Not done: capped',
  cancelled: 'Cancelled',
  released: 'Not done: let go',
  failed: 'Not done: failed',
};

export function lookOf(row: Pick<LoopRow, 'doing' | 'status' | 'tone'>): Look {
  if (row.doing !== 'ended') return DOING[row.doing];
  return { ...toneLook(row.tone), words: ENDED[row.status] ?? row.status };
}

export function endingWords(status: string): string {
  return ENDED[status] ?? status;
}

const TONES: Record<Tone, Omit<Look, 'words'>> = {
  done: { shape: 'done', tone: 'done' },
  claimed: { shape: 'claimed', tone: 'calm' },
  open: { shape: 'busy', tone: 'busy' },
  waiting: { shape: 'wait', tone: 'calm' },
  bad: { shape: 'undone', tone: 'undone' },
  quiet: { shape: 'stopped', tone: 'calm' },
};

export function toneLook(tone: Tone): Omit<Look, 'words'> {
  return TONES[tone];
}

export const OUTCOMES: Record<Outcome, Look> = {
  pass: { words: 'passes', shape: 'done', tone: 'done' },
  fail: { words: 'fails', shape: 'undone', tone: 'undone' },
  unproven: { words: 'unproven', shape: 'unproven', tone: 'you' },
  skip: { words: 'skipped', shape: 'skip', tone: 'calm' },
};

export const KINDS: Record<TimelineKind, { words: string; shape: ShapeName }> = {
  start: { words: 'Start', shape: 'start' },
  hold: { words: 'Held', shape: 'held' },
  let_go: { words: 'Let go', shape: 'stopped' },
  end: { words: 'End', shape: 'stopped' },
  session: { words: 'Session', shape: 'session' },
  hand_over: { words: 'Hand-over', shape: 'session' },
  wait: { words: 'Wait', shape: 'wait' },
  compaction: { words: 'Compaction', shape: 'session' },
  person: { words: 'You', shape: 'person' },
  question: { words: 'Question', shape: 'you' },
  guard: { words: 'Guard', shape: 'gate' },
  child: { words: 'Piece', shape: 'session' },
  contract: { words: 'Contract', shape: 'stopped' },
  tool: { words: 'Tool', shape: 'gate' },
  event: { words: 'Event', shape: 'skip' },
  damage: { words: 'Damage', shape: 'unproven' },
};
