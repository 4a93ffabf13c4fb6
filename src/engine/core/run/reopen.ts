/** A run that you go on with after it has ended without being done, or whose limits you change. */
import type { Limits } from '../contract/contract.ts';
import { afterProgress, waitingAgain } from '../loop/asked.ts';
import { type ReachedLimit, reachedLimit } from '../loop/limits.ts';
import { closeWait, hasEnded, isDone, type LoopState, openWait } from '../loop/state.ts';
import { sayDuration } from '../text/duration.ts';
import { sayCount } from '../text/figures.ts';
import { type Limit, type RaisedLimit, type RunOption, runOptions } from './options.ts';

/** `more` is added to the limit that the run has; a limit takes its place. */
export type LimitChange = Limit | { more: number };

export type LimitChanges = { [K in RaisedLimit]?: LimitChange };

export function changedLimits(limits: Limits, changes: LimitChanges): Limits {
  const changed = (name: RaisedLimit): Limit => {
    const [change, now] = [changes[name], limits[name]];
    if (typeof change !== 'object') return change ?? now;
    return now === 'unlimited' ? now : now + change.more;
  };
  return { ...limits, ...Object.fromEntries(RAISED.map(([name]) => [name, changed(name)])) };
}

const RAISED = runOptions.filter(([, { flag }]) => flag?.more !== undefined) as [RaisedLimit, RunOption][];

/** The limits that differ, as a contract names them: `cost_usd 1.5 -> 6.5`. */
export function changesInWords(before: Limits, after: Limits): string {
  const say = ({ value }: RunOption, limit: Limit) =>
    limit === 'unlimited' ? limit : value.is === 'time' ? sayDuration(limit) : sayCount(limit);
  return RAISED.filter(([name]) => before[name] !== after[name])
    .map(
      ([name, option]) =>
        `${option.contract?.key} ${say(option, before[name])} -> ${say(option, after[name])}`,
    )
    .join(', ');
}

/** Whether a run can go on after it has ended: one that is done cannot. */
export function canReopen(state: LoopState): boolean {
  return state.run !== undefined && hasEnded(state) && !isDone(state.status);
}

/** The limit that would end the run again at once. */
export function limitInTheWay(state: LoopState, limits: Limits, now: number): ReachedLimit | undefined {
  return reachedLimit(canReopen(state) ? reopened(state, now) : state, limits, now);
}

/** The state in which the run goes on. The time since its end was no working time, and earlier failures are forgotten. */
export function reopened(state: LoopState, at: number): LoopState {
  if (!canReopen(state) || !state.run) return state;
  const { ending, picture: _picture, lastMessage: _message, promptId: _prompt, ...rest } = state;
  const { judged: _judged, lastEnd, ...run } = state.run;
  const again = closeWait(
    openWait(
      {
        ...rest,
        ...afterProgress(state),
        status: 'active',
        emptyAnswers: 0,
        blocksInARow: 0,
        run: { ...run, failures: 0, ...(lastEnd ? { lastEnd: { ...lastEnd, kind: 'lost' as const } } : {}) },
      },
      'session_ended',
      ending?.at ?? state.lastAt,
    ),
    at,
  );
  return waitingAgain(again, at);
}

/** How to go on with a run that a limit has ended. */
export function howToRaise(loop: string, cause: string): string {
  const flag = RAISED.map(([, option]) => option.flag).find((each) =>
    each?.name.startsWith(`--max-${cause} `),
  );
  return flag === undefined
    ? 'its limit is in untildone.yaml: change it there, and begin a new run'
    : `to go on with more: untildone run --resume ${loop} ${flag.name.split(' ')[0]} ${flag.more}`;
}

/** How to go on with a run that has ended; undefined for one that is done. */
export function howToGoOn(state: LoopState): string | undefined {
  if (!canReopen(state)) return undefined;
  const { loop, status, ending } = state;
  return status === 'reached_limit'
    ? howToRaise(loop, ending?.cause ?? '')
    : `to go on: untildone run --resume ${loop}`;
}
