/** What a loop does, how that looks and what would end it. Pure. */
import type { Limits } from '../../engine/core/contract/contract.ts';
import { questionsForYou } from '../../engine/core/loop/asked.ts';
import { elapsedMs } from '../../engine/core/loop/limits.ts';
import { hasEnded, type LoopState } from '../../engine/core/loop/state.ts';
import type { Limit } from '../../engine/core/run/option-values.ts';
import { sayUsed, type Unit } from '../../engine/core/text/figures.ts';
import { describeEnding, describeWait } from '../../engine/core/words/endings.ts';
import type { Budget, Doing, LimitName, Tone } from './shape.ts';

/** What is seen of a loop besides its journal: processes, markers, trust. */
export interface SeenOfLoop {
  /** Why nobody is held although the loop is active. */
  unheld?: string;
  /** Why nobody works on it, although it goes on by itself. */
  waits?: string;
  /** A Stop is judged: since when, and which gates. */
  judging?: { since: number; gates: string[] };
  /** Whether its Claude Code (or the driver of its run) still runs; absent when that cannot be told. */
  alive?: boolean;
  /** When the last turn of its session ended. */
  turnEndedAt?: number;
  /** When a turn of its session ended without a Stop that reached us. */
  missedAt?: number;
  /** Why nothing will be judged before you trust its contract. */
  untrusted?: string;
}

export interface Situation {
  doing: Doing;
  since?: number;
  tone: Tone;
  words: string;
}

export function situationOf(state: LoopState, seen: SeenOfLoop): Situation {
  const doing = doingOf(state, seen);
  return {
    doing,
    since: sinceOf(doing, state, seen),
    tone: toneOf(state.status, doing),
    words: wordsOf(doing, state, seen),
  };
}

const WAITS: Record<NonNullable<LoopState['waiting']>['why'], Doing> = {
  paused: 'paused',
  needs_person: 'waits_you',
  approval: 'waits_you',
  api_error: 'waits_limit',
  background: 'waits_other',
  wake_up: 'waits_other',
  context_full: 'waits_other',
  session_ended: 'waits_other',
};

function doingOf(state: LoopState, { unheld, judging, waits }: SeenOfLoop): Doing {
  if (hasEnded(state)) return 'ended';
  if (state.status === 'paused') return 'paused';
  // A Stop that is judged right now is held, whatever else was found.
  if (judging) return 'gate_runs';
  if (unheld !== undefined) return 'not_held';
  if (state.waiting) return WAITS[state.waiting.why];
  return waits === undefined ? 'thinks' : 'waits_other';
}

function sinceOf(doing: Doing, state: LoopState, { judging }: SeenOfLoop): number | undefined {
  switch (doing) {
    case 'ended':
      return state.ending?.at;
    case 'gate_runs':
      return judging?.since;
    case 'thinks':
      return Math.max(state.stoppedAt ?? state.startedAt, state.run?.open?.at ?? 0);
    case 'not_held':
      return state.waiting?.since ?? state.lastAt;
    default:
      return state.waiting?.since ?? state.lastAt;
  }
}

/** Only a verified ending is a success. */
export function toneOf(status: string, doing: Doing): Tone {
  switch (status) {
    case 'verified_done':
      return 'done';
    case 'claimed_done':
      return 'claimed';
    case 'cancelled':
      return 'quiet';
    case 'active':
    case 'paused':
      break;
    default:
      return 'bad';
  }
  if (doing === 'not_held') return 'bad';
  return doing === 'thinks' || doing === 'gate_runs' ? 'open' : 'waiting';
}

function wordsOf(doing: Doing, state: LoopState, { unheld, judging, waits = 'paused' }: SeenOfLoop): string {
  switch (doing) {
    case 'ended':
      return describeEnding(state);
    case 'not_held':
      return `not being held: ${unheld}`;
    case 'gate_runs': {
      const gates = judging?.gates ?? [];
      return gates.length === 0
        ? 'its work is being judged'
        : `its work is being judged: ${gates.join(', ')}`;
    }
    case 'thinks':
      return questionsForYou(state).length > 0
        ? 'the model works, and has asked you something'
        : 'the model works';
    default:
      return state.waiting ? describeWait(state) : waits;
  }
}

/** Every limit of a loop that has not ended, the one that is nearest to being used up first. */
export function budgetsOf(state: LoopState, limits: Limits, now: number): Budget[] {
  const worked = elapsedMs(state, now);
  const rows: [LimitName, number, Limit, Unit][] = [
    ['iterations', state.iteration, limits.iterations, 'count'],
    ['duration', worked, limits.durationMs, 'ms'],
    ['cost', state.spent.costUsd, limits.costUsd, 'usd'],
    ['tokens', state.spent.tokens, limits.tokens, 'count'],
    ['phase_iterations', state.phase?.iteration ?? 0, limits.phase?.iterations ?? 'unlimited', 'count'],
    ['phase_duration', worked - (state.phase?.since ?? 0), limits.phase?.durationMs ?? 'unlimited', 'ms'],
    ['stall', state.picture?.timesSameTree ?? 0, limits.stall, 'count'],
    ['stall', state.picture?.times ?? 0, limits.stallChanging, 'count'],
  ];
  const budgets = rows.flatMap(([name, used, limit, unit]): Budget[] => {
    if (limit === 'unlimited' || limit <= 0) return [];
    return [
      {
        name,
        words: `${LIMIT_WORDS[name]}: ${sayUsed(used, limit, unit)}`,
        used,
        limit,
        share: used / limit,
      },
    ];
  });
  const stalls = budgets.filter(({ name }) => name === 'stall').sort((a, b) => b.share - a.share);
  return [...budgets.filter(({ name }) => name !== 'stall'), ...stalls.slice(0, 1)].sort(
    (a, b) => b.share - a.share,
  );
}

const LIMIT_WORDS: Record<LimitName, string> = {
  iterations: 'iteration',
  duration: 'working time',
  cost: 'cost',
  tokens: 'tokens',
  phase_iterations: 'iteration of this phase',
  phase_duration: 'time in this phase',
  stall: 'the same failure in a row',
};
