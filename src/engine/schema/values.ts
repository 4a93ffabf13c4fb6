/** Values of a contract. Each says what it expects and gives an example to copy. */
import * as z from 'zod';
import { parseDuration } from '../core/text/duration.ts';
import { patternProblem } from '../core/text/line-pattern.ts';
import { say } from './words.ts';

const DAY = 86_400_000;
const DURATION = /^\s*(\d+(\.\d+)?(ms|s|m|h|d))+\s*$/;
const TOKENS = /^(\d{1,15}(\.\d{1,3})?)(k|K|M|G)$/;
const UNITS: Record<string, number> = { k: 1e3, K: 1e3, M: 1e6, G: 1e9 };

/** The name of a gate or a pattern. It is used in reasons, file names and command lines. */
export const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

export function textOf(what: string, example: string) {
  const words = say(what, example, { anyText: true });
  return z
    .string(words)
    .regex(/\S/, words)
    .refine((text) => !text.includes('\0'), words);
}

export function nameOf(what: string, example: string) {
  const words = say(`${what} of letters, digits, ".", "_" and "-" that begins with a letter`, example);
  // A name that every object inherits would be found in maps that do not hold it.
  const taken = say(`${what} that JavaScript does not give to every object`, example);
  return z
    .string(words)
    .regex(NAME, words)
    .refine((name) => !(name in {}), taken);
}

/** A path below the project's folder, as git spells it. */
export function pathOf(what: string, example: string) {
  const words = say(`${what} inside the project, written with "/"`, example);
  return z
    .string(words)
    .regex(/\S/, words)
    .refine((path) => staysInside(path), words);
}

function staysInside(path: string): boolean {
  if (/^[/~\\]|^[A-Za-z]:|\\/.test(path) || path.includes('\0')) return false;
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth--;
    else if (part !== '.' && part !== '') depth++;
    if (depth < 0) return false;
  }
  return true;
}

export function listOf<Item extends z.ZodType>(item: Item, what: string, example: string) {
  const words = say(`a list with at least one ${what}`, example);
  return z.array(item, words).min(1, words);
}

/** Names of gates. `contract/references.ts` checks that the contract has them. */
export function gateNames(example: string) {
  return listOf(z.string(say('the name of a gate', example)), 'name of a gate', example);
}

/** A regular expression that is matched line by line. */
export function patternOf(example: string) {
  return z.string(say('a regular expression', example)).superRefine((source, context) => {
    const problem = source === '' ? 'a regular expression' : patternProblem(source);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: say(problem, example) });
  });
}

export function flag(example: string) {
  return z.boolean(say('true or false', example));
}

export function onlyTrue(example: string) {
  return z.literal(true, say('true (leave it out to be without it)', example));
}

export function wholeNumber(example: string, expected = 'a whole number from 1') {
  const words = say(expected, example);
  return z.int(words).min(1, words);
}

export function dollars(example: string) {
  const words = say('an amount of US dollars above 0', example);
  return z.number(words).positive(words);
}

export function share(example: string) {
  const words = say('a share of the context window from 0.1 to 0.95', example);
  return z.number(words).min(0.1, words).max(0.95, words);
}

/** A time in milliseconds. Timers of Node cannot wait much longer than `longest`. */
export function timeOf(example: string, longest = 7 * DAY, or = '') {
  const words = say(`a time above 0 with its unit (ms, s, m, h, d)${or}`, example);
  const tooLong = say(`a time of at most ${longest / DAY}d${or}`, example);
  return z
    .string(words)
    .regex(DURATION, words)
    .transform((text, context) => {
      const ms = parseDuration(text) ?? 0;
      if (ms > 0 && ms <= longest) return ms;
      context.issues.push({ code: 'custom', input: text, message: ms > 0 ? tooLong : words });
      return z.NEVER;
    });
}

/** A number of tokens: `500000`, `500k`, `20M`. */
export function tokenCount(what: string, example: string) {
  const words = say(what, example);
  const short = z
    .string(words)
    .regex(TOKENS, words)
    .transform((text, context) => {
      const [, amount, , unit] = TOKENS.exec(text) ?? [];
      const count = Math.round(Number(amount) * (UNITS[unit ?? ''] ?? 0));
      if (count >= 1 && Number.isSafeInteger(count)) return count;
      context.issues.push({ code: 'custom', input: text, message: words });
      return z.NEVER;
    });
  return z.union([z.int(words).min(1, words), short], words);
}

/** A limit is never infinite unless this word says so. */
export function orUnlimited<Value extends z.ZodType>(value: Value, what: string, example: string) {
  return z.union([value, z.literal('unlimited')], say(what, example, { candidates: ['unlimited'] }));
}
