import { InvalidArgumentError } from 'commander';
import type { Limit } from '../core/contract/contract.ts';
import { parseDuration } from '../core/text/duration.ts';

/** `--promise --session s1`: what follows a forgotten value is the next flag. */
export function value(text: string): string {
  if (!/^--[a-z]/.test(text)) return text;
  throw new InvalidArgumentError('Its value is missing: type one before the next flag.');
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
