import { InvalidArgumentError, Option } from 'commander';
import type { Scope } from '../engine/client/settings/files.ts';
import type { Limit } from '../engine/core/run/option-values.ts';
import { parseDuration } from '../engine/core/text/duration.ts';

/** Help for the argument of commands that change a loop. */
export const ACTIVE_LOOP = 'the loop, by its id or the beginning of it (default: the only active one here)';
/** Help for the argument of commands that show a loop. */
export const NEWEST_LOOP = 'the loop, by its id or the beginning of it (default: the newest one here)';

/** Refuses a flag in the place of a value: in `--promise --session s1` the value was forgotten. */
export function value(text: string): string {
  if (!/^--[a-z]/.test(text)) return text;
  throw new InvalidArgumentError('Its value is missing: type one before the next flag.');
}

/** Collects the values of a flag that may be repeated. */
export function collect(text: string, before: string[] = []): string[] {
  return [...before, value(text)];
}

export function wholeNumber(text: string): Limit {
  if (text === 'unlimited') return text;
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError('Type a whole number from 1, for example 20, or the word unlimited.');
}

export function duration(text: string): Limit {
  if (text === 'unlimited') return text;
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError('Type a time like 8h, 90m or 1h30m, or the word unlimited.');
}

/** A time back from now, in milliseconds. */
export function age(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError('Type a time like 30d, 12h or 90m.');
}

export const DAY_MS = 86_400_000;

/** Every command that prints JSON knows `--json`, also one with a `--format`. */
export function jsonFlag(): Option {
  return new Option('--json', 'print JSON, the same as --format json').implies({ format: 'json' });
}

/** Repeats the names of the scopes, so that the help can be shown without loading what changes settings. */
const SCOPES: Record<Scope, true> = { project: true, local: true, user: true };

export function scopeFlag(): Option {
  return new Option(
    '--scope <scope>',
    'project: .claude/settings.json; local: .claude/settings.local.json; user: ~/.claude/settings.json',
  )
    .choices(Object.keys(SCOPES))
    .default('project');
}
