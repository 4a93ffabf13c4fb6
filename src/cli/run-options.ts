/** The options that say how a run works, for `untildone run` and `untildone submit`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  ASK_POLICIES,
  type AskPolicy,
  type Limit,
  RUN_MODES,
  type RunMode,
} from '../engine/core/contract/contract.ts';
import { isDone, type LoopState } from '../engine/core/loop/state.ts';
import type { LimitChange, LimitChanges } from '../engine/core/run/reopen.ts';
import { defined } from '../engine/core/text/defined.ts';
import { UsageError } from '../engine/core/text/errors.ts';
import { EXIT } from '../engine/core/words/exit-codes.ts';
import type { ClientOptions } from '../engine/run/begin/client-options.ts';
import { addLoopLimits, collect, duration, value, wholeNumber } from './flags.ts';

export interface LimitFlags {
  maxIterations?: LimitChange;
  maxDuration?: LimitChange;
  maxCost?: LimitChange;
  maxTokens?: LimitChange;
}

export interface WorkFlags extends LimitFlags {
  promise?: string;
  mode?: RunMode;
  model?: string;
  context?: number;
  freshEvery?: Limit;
  permissionMode?: string;
  allow?: string[];
  maxTurns?: Limit;
  maxIterationDuration?: Limit;
  idleTimeout?: Limit;
  ask?: AskPolicy;
  askTimeout?: Limit;
}

export function addWorkOptions(command: Command): Command {
  command
    .option('--promise <text>', 'the statement that ends the loop, besides the gates', value)
    .addOption(
      new Option('--mode <mode>', 'when a fresh session begins (default: hybrid)').choices(RUN_MODES),
    )
    .option('--model <model>', 'the model of the sessions', value);
  addRunLimits(command);
  addSessionOptions(command);
  return command;
}

export function addGitOptions(command: Command): Command {
  return command
    .option('--branch', 'work on a branch of its own; commit what makes progress (needs a clean tree)')
    .option('--worktree', 'the same in a worktree beside your tree, which stays as it is')
    .option('--pr', 'push that branch at the end and open a pull request through gh')
    .option('--merge', 'with --pr: merge it once every check has passed');
}

export function addRunLimits(command: Command): Command {
  return addLoopLimits(command, orMore)
    .option(
      '--max-cost <usd>',
      'most USD for all sessions together, or "unlimited" (default 20)',
      orMore(amount),
    )
    .option(
      '--max-tokens <n>',
      'most tokens for all sessions together, or "unlimited" (default 20000000)',
      orMore(wholeNumber),
    );
}

/** Reads `+5` as well: so much more than a run has that goes on. */
function orMore<T>(parse: (text: string) => T): (text: string) => T | { more: number } {
  return (text) => {
    if (!text.startsWith('+')) return parse(text);
    const more = parse(text.slice(1));
    if (typeof more === 'number') return { more };
    throw new InvalidArgumentError('Type a number after the plus sign.');
  };
}

function addSessionOptions(command: Command): void {
  command
    .option(
      '--context <share>',
      'begin a fresh session when this share of the context window is used (default 0.8)',
      share,
    )
    .option('--fresh-every <n>', 'begin a fresh session after this many iterations', wholeNumber)
    .option('--permission-mode <mode>', 'what sessions may do without asking (default acceptEdits)', value)
    .option('--allow <rule>', 'a permission rule, such as "Bash(npm test:*)"; may be repeated', collect)
    .option('--max-turns <n>', 'most turns of one session', wholeNumber)
    .option('--max-iteration-duration <time>', 'longest time of one session, like 2h', duration)
    .option(
      '--idle-timeout <time>',
      'end a session in which Claude Code was silent for this long (default 15m)',
      duration,
    )
    .addOption(
      new Option(
        '--ask <policy>',
        'when the agent asks something: wait for you, let it decide, or end the run (default: wait)',
      ).choices(ASK_POLICIES),
    )
    .option(
      '--ask-timeout <time>',
      'longest wait for one answer, like 12h, or "unlimited"; then the run pauses (default 24h)',
      duration,
    );
}

export function limitChanges({ maxIterations, maxDuration, maxCost, maxTokens }: LimitFlags): LimitChanges {
  return defined({
    iterations: maxIterations,
    durationMs: maxDuration,
    costUsd: maxCost,
    tokens: maxTokens,
  });
}

/** The limits of a run that begins; there is nothing yet that more could be added to. */
export function firstLimits(flags: LimitFlags, goesOn = '--resume'): { [K in keyof LimitChanges]: Limit } {
  const changes = limitChanges(flags);
  if (Object.values(changes).some((change) => typeof change === 'object'))
    throw new UsageError(
      `a limit with a plus sign adds to that of a run that goes on: name the run (${goesOn}), or leave the plus sign out`,
    );
  return changes as { [K in keyof LimitChanges]: Limit };
}

/** Returns only the options that were given: a run that goes on keeps the others as they were. */
export function clientOptions(flags: WorkFlags): Partial<ClientOptions> {
  const { model, permissionMode, allow, maxTurns, maxIterationDuration, idleTimeout } = flags;
  return defined({
    permissionMode,
    allow,
    idleMs: idleTimeout === undefined ? undefined : idleTimeout === 'unlimited' ? LONGEST_MS : idleTimeout,
    model,
    maxTurns: typeof maxTurns === 'number' ? maxTurns : undefined,
    sessionMs: typeof maxIterationDuration === 'number' ? maxIterationDuration : undefined,
  });
}

/** The longest timer of Node: a longer one goes off at once. */
const LONGEST_MS = 2 ** 31 - 1;

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
