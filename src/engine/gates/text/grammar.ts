import * as z from 'zod';
import { TEXT_GROUPS } from '../../core/contract/gate-options.ts';
import { listOf, nameOf, patternOf, textOf, wholeNumber } from '../../schema/values.ts';
import { say, strict } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const TEXT = 'no-secrets: { text: { forbid: [secrets] } }';
const CUSTOM = "calm: { text: { forbid: [{ name: shouting, pattern: '!!!' }] } }";
const MATCHES = String.raw`ticket: { text: { matches: '[A-Z]+-\d+', say: name the ticket } }`;
const LENGTH = 'clear: { text: { at_least: 20 } }';

const item = z.union(
  [
    z.enum(TEXT_GROUPS).describe('A built-in group of patterns.'),
    strict(
      {
        name: nameOf('a name', CUSTOM).describe('How the pattern is called in the reason.'),
        pattern: patternOf(CUSTOM).describe('A JavaScript regular expression, matched against every line.'),
      },
      'a pattern of your own',
      CUSTOM,
    ),
  ],
  say(`one of ${TEXT_GROUPS.join(', ')}, or { name, pattern }`, TEXT, { candidates: TEXT_GROUPS }),
);

export const textGrammar = gateKind({
  kind: 'text',
  about: 'The text of a prompt or of a task: what it must not hold, what it has to hold, how long it is.',
  example: TEXT,
  what: listOf(item, 'pattern', TEXT).describe('What no line of it may hold.'),
  main: 'forbid',
  otherwise: [],
  options: {
    matches: patternOf(MATCHES)
      .describe('A JavaScript regular expression that some line of it has to match.')
      .exactOptional(),
    say: textOf('a text', MATCHES)
      .describe('What is said when no line matches: what to add, not the expression.')
      .exactOptional(),
    at_least: wholeNumber(LENGTH).describe('At least so many characters.').exactOptional(),
    at_most: wholeNumber('short: { text: { at_most: 4000 } }')
      .describe('At most so many characters.')
      .exactOptional(),
  },
  conflict: (items, { matches, say: words, at_least, at_most }) => {
    if (items.length === 0 && matches === undefined && at_least === undefined && at_most === undefined)
      return 'at least one of forbid, matches, at_least, at_most';
    if (words !== undefined && matches === undefined) return 'say only beside matches';
    if (at_least !== undefined && at_most !== undefined && at_least > at_most)
      return 'at_least to be no more than at_most';
    const names = items.map((one) => (typeof one === 'string' ? one : one.name));
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    return twice === undefined ? undefined : `every pattern once (${twice} is there twice)`;
  },
  build: (items, { matches, say: words, at_least, at_most }) => ({
    forbid: items.filter((one) => typeof one === 'string'),
    custom: items.filter((one) => typeof one !== 'string'),
    matches:
      matches === undefined
        ? undefined
        : { pattern: matches, say: words ?? `a line that matches ${matches}` },
    atLeast: at_least,
    atMost: at_most,
  }),
});
