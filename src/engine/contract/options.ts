/** Keys of the contract that are options of a run: their schema, and what they are called in the program. */
import type * as z from 'zod';
import { defaultWords, type OptionValue, type RunOption, runOptions } from '../core/run/options.ts';
import {
  dollars,
  listOf,
  orUnlimited,
  share,
  textOf,
  timeOf,
  tokenCount,
  wholeNumber,
} from '../schema/values.ts';
import { oneOf } from '../schema/words.ts';

type Part = NonNullable<RunOption['contract']>['at'];

/** Limits and waits may be longer than a timer can be. */
const YEAR = 365 * 86_400_000;

/** The keys of a part, for a map that may have others beside them. */
export function keysOf(part: Part): Record<string, z.ZodExactOptional<z.ZodType>> {
  return Object.fromEntries(
    runOptions.flatMap(([, option]) => {
      const { contract } = option;
      if (contract?.at !== part) return [];
      const schema = schemaOf(option.value, contract.example).describe(wordsOf(option, contract.says));
      return [[contract.key, schema.exactOptional()]];
    }),
  );
}

/**
 * What was written in a part, by the names of the options. Keys that have another name come last, as ever: what you trust is
 * known by the digest of a text in which the order counts.
 */
export function optionsFrom<Rules>(part: Part, written: Readonly<Record<string, unknown>>): Rules {
  const renamed = runOptions.filter(([name, { contract }]) => contract?.at === part && contract.key !== name);
  const keys = new Map(renamed.map(([name, { contract }]) => [contract?.key ?? '', name]));
  const same = Object.entries(written).filter(([key]) => !keys.has(key));
  const others = [...keys].flatMap(([key, name]) =>
    written[key] === undefined ? [] : [[name, written[key]]],
  );
  return Object.fromEntries([...same, ...others]) as Rules;
}

/** The default is said as one would write it here; a text that explains each of its words says it itself. */
function wordsOf(option: RunOption, says: string): string {
  const { value, default: given } = option;
  if (given === undefined || says.includes('(default)')) return `${says}.`;
  const words = value.is === 'tokens' ? `${Number(given) / 1e6}M` : defaultWords(option);
  return `${says} (default ${words}).`;
}

function schemaOf(value: OptionValue, example: string): z.ZodType {
  switch (value.is) {
    case 'text':
      return value.known ? oneOf(value.known, example) : textOf(value.what, example);
    case 'texts':
      return listOf(textOf(`a ${value.what}`, example), value.what, example);
    case 'one_of':
      return oneOf(value.of, example);
    case 'share':
      return share(example);
    default:
      return value.unlimited === 'unlimited' ? endless(value.is, example) : amount(value.is, example);
  }
}

type Amount = 'count' | 'tokens' | 'usd' | 'time';

/** A number that may be `unlimited`. */
function endless(is: Amount, example: string): z.ZodType {
  const words = `${AMOUNTS[is]}, or unlimited`;
  return orUnlimited(amount(is, example, words), words, example);
}

const AMOUNTS: Record<Amount, string> = {
  count: 'a whole number from 1',
  tokens: 'a number of tokens such as 500k or 20M',
  usd: 'an amount of US dollars',
  time: 'a time above 0 with its unit (ms, s, m, h, d)',
};

function amount(is: Amount, example: string, words = AMOUNTS[is]): z.ZodType {
  switch (is) {
    case 'count':
      return wholeNumber(example, words);
    case 'tokens':
      return tokenCount(words, example);
    case 'usd':
      return dollars(example);
    case 'time':
      return words === AMOUNTS.time ? timeOf(example) : timeOf(example, YEAR, ', or unlimited');
  }
}
