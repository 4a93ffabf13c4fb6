import * as z from 'zod';
import { listOf, nameOf, pathOf, patternOf, textOf, wholeNumber } from '../../schema/values.ts';
import { say, strict } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const ARTEFACT = 'plan: { artefact: PLAN.md, section: Plan, words: 50 }';
const HAS = String.raw`class: { artefact: PLAN.md, has: ['complexity: *\d+'] }`;
const NAMED = String.raw`class: { artefact: PLAN.md, has: [{ name: complexity, pattern: 'complexity: *\d+' }] }`;
/** Enough for a sentence or two. */
const WORDS = 20;

const pattern = patternOf(HAS);

const hasItem = z.union(
  [
    pattern,
    strict(
      {
        name: nameOf('a name', NAMED).describe('How the pattern is called in the reason.'),
        pattern: pattern.describe('A JavaScript regular expression, matched against every line.'),
      },
      'a pattern with a name',
      NAMED,
    ),
  ],
  say('a regular expression, or { name, pattern }', HAS),
);

export const artefactGrammar = gateKind({
  kind: 'artefact',
  about:
    'Something was written down since the start: a file, or a section of it. A claim that people can read.',
  example: ARTEFACT,
  what: pathOf('a file', ARTEFACT).describe('A file, or a glob (its newest file).'),
  main: 'file',
  options: {
    section: textOf('a heading', ARTEFACT).describe('Only what stands below this heading.').exactOptional(),
    has: listOf(hasItem, 'pattern', HAS)
      .describe('Patterns that a line of it has to fit; a pattern each, or { name, pattern }.')
      .exactOptional(),
    words: wholeNumber(ARTEFACT)
      .describe(`How many words of text it has at least; ${WORDS} when absent. Placeholders do not count.`)
      .exactOptional(),
  },
  build: (file, { section, has = [], words = WORDS }) => ({
    file,
    section,
    has: has.map((item) => (typeof item === 'string' ? { name: item, pattern: item } : item)),
    words,
  }),
});
