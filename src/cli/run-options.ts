/** Flags for the options of a run, read back into what was chosen. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isDone, type LoopState } from '../engine/core/loop/state.ts';
import type { Limit } from '../engine/core/run/option-values.ts';
import {
  defaultWords,
  type OptionValue,
  type RaisedLimit,
  RUN_OPTIONS,
  type RunChoices,
  type RunOption,
  runOptions,
} from '../engine/core/run/options.ts';
import type { LimitChanges } from '../engine/core/run/raised-limits.ts';
import { UsageError } from '../engine/core/text/errors.ts';
import { EXIT } from '../engine/core/words/exit-codes.ts';
import { collect, duration, value, wholeNumber } from './flags.ts';

/** What was chosen by flags. Limits may say how much more a run gets that goes on. */
export type FlagChoices = Omit<RunChoices, 'limits'> & {
  limits: Omit<RunChoices['limits'], RaisedLimit> & LimitChanges;
};

type Parse = (text: string, before?: string[]) => unknown;

const PARSED: Record<Exclude<OptionValue['is'], 'one_of'>, Parse> = {
  text: value,
  texts: collect,
  count: wholeNumber,
  tokens: wholeNumber,
  time: duration,
  usd: amount,
  share,
};

/** The flags of all options that have one. */
export function addWorkOptions(command: Command): Command {
  for (const [, option] of runOptions) addFlag(command, option, true);
  return command;
}

/** The limits that a run which goes on can be given more of: `+5` adds to what it has. */
export function addRunLimits(command: Command): Command {
  for (const [, option] of runOptions) if (option.flag?.more) addFlag(command, option, true);
  return command;
}

/** The limits that every loop can be given, whether a session or a run owns it. */
export function addLoopLimits(command: Command): Command {
  addFlag(command, RUN_OPTIONS.iterations, false);
  addFlag(command, RUN_OPTIONS.durationMs, false);
  return command;
}

function addFlag(command: Command, option: RunOption, goesOn: boolean): void {
  if (!option.flag) return;
  const standard = defaultWords(option);
  const { name, help, more } = option.flag;
  const flag = new Option(name, standard === undefined ? help : `${help} (default: ${standard})`);
  if (option.value.is === 'one_of') flag.choices(option.value.of);
  else {
    const parse = PARSED[option.value.is];
    // Commander gives the value of a flag that is there twice.
    const parseMore = goesOn && more !== undefined ? orMore(parse) : parse;
    flag.argParser<unknown>((text, before) => parseMore(text, before as string[] | undefined));
  }
  command.addOption(flag);
}

export function addGitOptions(command: Command): Command {
  return command
    .option('--branch', 'work on a branch of its own; commit what makes progress (needs a clean tree)')
    .option('--worktree', 'the same in a worktree beside your tree, which stays as it is')
    .option('--pr', 'push that branch at the end and open a pull request through gh')
    .option('--merge', 'with --pr: merge it once every check has passed');
}

/** Reads `+5` as well: so much more than a run has that goes on. */
function orMore(parse: Parse): Parse {
  return (text) => {
    if (!text.startsWith('+')) return parse(text);
    const more = parse(text.slice(1));
    if (typeof more === 'number') return { more };
    throw new InvalidArgumentError('Type a number after the plus sign.');
  };
}

/** What was chosen by flags. What was not is absent: the contract says it, or the run that goes on. */
export function choicesFrom(flags: object): FlagChoices {
  const chosen: Record<string, unknown> = {};
  const parts: Record<string, Record<string, unknown>> = { limits: {}, client: {}, ask: {} };
  for (const [name, option] of runOptions) {
    const given = option.flag && meant(option, (flags as Record<string, unknown>)[attribute(option)]);
    if (given === undefined) continue;
    if (option.in) parts[option.in] = { ...parts[option.in], [name]: given };
    else chosen[name] = given;
  }
  const { ask, ...groups } = parts;
  return { ...chosen, ...groups, ...(Object.keys(ask ?? {}).length > 0 ? { ask } : {}) } as FlagChoices;
}

/** The flags of options that hold for a run from its beginning: one that goes on does not take them. */
export function flagsOfBeginning(flags: object): string[] {
  const isSet = (option: RunOption) => (flags as Record<string, unknown>)[attribute(option)] !== undefined;
  return runOptions.flatMap(([, option]) =>
    option.flag && option.in !== 'client' && option.flag.more === undefined && isSet(option)
      ? [`--${new Option(option.flag.name).name()}`]
      : [],
  );
}

/** Where commander keeps the value of a flag: `maxTurns` for `--max-turns <n>`. */
function attribute({ flag }: RunOption): string {
  return flag ? new Option(flag.name).attributeName() : '';
}

function meant({ value: declared }: RunOption, given: unknown): unknown {
  const isWord = 'what' in declared || 'of' in declared;
  return given !== 'unlimited' || isWord ? given : declared.unlimited;
}

/** The limits of a run that begins; there is nothing yet that more could be added to. */
export function firstLimits(limits: FlagChoices['limits'], goesOn = '--resume'): RunChoices['limits'] {
  if (Object.values(limits).some((change) => typeof change === 'object'))
    throw new UsageError(
      `a limit with a plus sign adds to that of a run that goes on: name the run (${goesOn}), or leave the plus sign out`,
    );
  return limits as RunChoices['limits'];
}

function amount(text: string): Limit {
  if (text === 'unlimited') return text;
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number > 0) return number;
  throw new InvalidArgumentError('Type an amount in USD like 5 or 2.50, or the word unlimited.');
}

function share(text: string): number {
  const number = Number(text);
  if (number > 0 && number <= 1) return number;
  throw new InvalidArgumentError('Type a share of the context window like 0.8.');
}

/** Returns 0 for done, 1 for a run that can go on or failed, 3 for one that was let go without being done. */
export function exitCodeOf(status: LoopState['status']): number {
  if (isDone(status)) return EXIT.ok;
  return status === 'failed' || status === 'active' || status === 'paused' ? EXIT.no : EXIT.letGo;
}
