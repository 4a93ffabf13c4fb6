/** What excuses an unfinished Stop, and how often in a row it does. Excuses come after money, tokens and time (`decide`). */
import type { Limits } from '../contract/contract.ts';
import { oneLine } from '../text/clip.ts';
import { firstSeen, type StopSeen } from './count-stop.ts';
import type { Decision, LoopState, WaitCause } from './state.ts';
import { lineOf, patienceWith } from './subagents.ts';

/**
 * So many Stops in a row are excused by background work or wake-ups while the tree does not change. Each later one counts.
 * It leaves room for looking at a long test run again and again.
 */
export const EXCUSED_IN_A_ROW = 8;

/** A wake-up excuses when it is due within this time. A session that sleeps longer has stopped. */
export const WAKE_UP_MS = 2 * 3_600_000;

const DETAIL_LIMIT = 500;

export type Excuse = Extract<Decision, { kind: 'allow' }>;

/** Allows an unfinished session to stop, uncounted: it cannot go on, or comes back by itself. */
export function excuse(state: LoopState, seen: StopSeen, limits: Limits, now: number): Excuse | undefined {
  if (seen.contextShare !== undefined && seen.contextShare >= limits.contextFull) {
    const detail = `${Math.floor(seen.contextShare * 100)} % of the context window is in use`;
    return { kind: 'allow', cause: 'context_full', wait: 'context_full', detail };
  }
  if (excusedInARow(state, seen) >= EXCUSED_IN_A_ROW) return undefined;
  const young = seen.background.filter(
    (t) => now - (firstSeen(state, t.id) ?? now) <= patienceWith(t.id, state, limits.backgroundMs),
  );
  if (young.length > 0) {
    const detail = oneLine(young.map((t) => `${t.type} ${t.id}`).join(', '), DETAIL_LIMIT);
    return { kind: 'allow', cause: 'background', wait: 'background', detail };
  }
  if (seen.wakeUps.once > 0) {
    return { kind: 'allow', cause: 'wake_up', wait: 'wake_up', detail: `${seen.wakeUps.once} scheduled` };
  }
  return undefined;
}

/**
 * The wait for subagents that were at work when a limit was reached, once in a loop: the end of the loop would not end them,
 * and nobody would count what they spend.
 */
export function lastWait(wait: Excuse, state: LoopState, { background }: StopSeen): Excuse | undefined {
  const isWorking = background.some(({ id }) => lineOf(state, id)?.status === 'working');
  if (wait.cause !== 'background' || !isWorking || state.lastWait) return undefined;
  return { ...wait, last: true };
}

const COMES_BACK: ReadonlySet<WaitCause | undefined> = new Set(['background', 'wake_up']);

function isExcused(decision: Decision): boolean {
  return decision.kind === 'allow' && decision.cause !== 'hand_over' && COMES_BACK.has(decision.wait);
}

/**
 * The state after a Stop, with the row of excused Stops. A changed tree ends the row. Where no tree is known, a hold does.
 * An excused Stop is no failure: the agent was not told what fails, so the counts for a stall stay as they were.
 */
export function withExcuses(
  after: LoopState,
  before: LoopState,
  seen: StopSeen,
  decision: Decision,
): LoopState {
  const { excused: _, ...rest } = after;
  const isHeldBlindly = decision.kind === 'block' && seen.tree === undefined;
  const row = isHeldBlindly ? 0 : excusedInARow(before, seen);
  const times = row + (isExcused(decision) && !isWindingDown(before, seen) ? 1 : 0);
  const counted =
    times === 0 ? rest : { ...rest, excused: { times, tree: seen.tree ?? before.excused?.tree } };
  if (!isExcused(decision)) return counted;
  return withCountsOf(before, 'last' in decision ? { ...counted, lastWait: true } : counted);
}

function excusedInARow({ excused }: LoopState, { tree }: StopSeen): number {
  const isChanged = excused?.tree !== undefined && tree !== undefined && excused.tree !== tree;
  return isChanged ? 0 : (excused?.times ?? 0);
}

/** Whether one task after the other comes to its end and none is new: that ends by itself. */
function isWindingDown(before: LoopState, { background }: StopSeen): boolean {
  const isKnown = ({ id }: StopSeen['background'][number]) => firstSeen(before, id) !== undefined;
  const { length } = background;
  return length > 0 && length < Object.keys(before.background).length && background.every(isKnown);
}

function withCountsOf(before: LoopState, { picture, lastMessage, ...after }: LoopState): LoopState {
  const known = before.picture?.fingerprint === picture?.fingerprint ? before.picture : undefined;
  const onTree = known?.tree === picture?.tree ? known : undefined;
  const said = before.lastMessage?.fingerprint === lastMessage?.fingerprint ? before.lastMessage : undefined;
  return {
    ...after,
    emptyAnswers: Math.min(before.emptyAnswers, after.emptyAnswers),
    ...(lastMessage ? { lastMessage: { ...lastMessage, times: said?.times ?? 0 } } : {}),
    ...(picture
      ? { picture: { ...picture, times: known?.times ?? 0, timesSameTree: onTree?.timesSameTree ?? 0 } }
      : {}),
  };
}
