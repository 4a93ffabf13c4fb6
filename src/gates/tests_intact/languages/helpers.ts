/** Functions of a test file that assert for its tests: to call one is to assert. */
import type { MaskedSource } from '../../../core/source/mask.ts';
import type { Span } from './text.ts';

const MOST_HELPERS = 50;
const MOST_FUNCTIONS = 500;
const LONGEST_BODY = 10_000;

/** `calls`, and the names of those functions of the file whose bodies it fits. `heads` finds them, their names in its first group. */
export function withHelpers(
  { code }: MaskedSource,
  calls: RegExp,
  heads: RegExp,
  bodyAfter: (end: number) => Span,
): RegExp {
  const names = new Set<string>();
  for (const match of [...code.matchAll(heads)].slice(0, MOST_FUNCTIONS)) {
    const name = match.slice(1).find((group) => group !== undefined);
    const { start, end } = bodyAfter(match.index + match[0].length);
    if (
      name !== undefined &&
      names.size < MOST_HELPERS &&
      calls.test(code.slice(start, Math.min(end, start + LONGEST_BODY)))
    )
      names.add(name);
  }
  if (names.size === 0) return calls;
  const called = `(?<![\\w$.])(?<!function )(?<!def )(?<!func )(?:${[...names].join('|')})\\s*\\(`;
  return new RegExp(`${calls.source}|${called}`, calls.flags);
}
