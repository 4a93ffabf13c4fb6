/** Limits that a run which goes on is given more of. Apart from what hooks load: it asks the table of options. */
import type { Limits } from '../contract/contract.ts';
import type { LoopState } from '../loop/state.ts';
import { sayDuration } from '../text/duration.ts';
import { sayCount } from '../text/figures.ts';
import type { Limit } from './option-values.ts';
import { type RaisedLimit, type RunOption, runOptions } from './options.ts';
import { canReopen } from './reopen.ts';

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
