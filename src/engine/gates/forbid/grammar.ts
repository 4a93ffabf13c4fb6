import * as z from 'zod';
import { FORBID_GROUPS } from '../../core/contract/gate-options.ts';
import { listOf, nameOf, pathOf, patternOf } from '../../schema/values.ts';
import { say, strict } from '../../schema/words.ts';
import { gateKind } from '../kind-grammar.ts';

const FORBID = 'tidy: { forbid: [debug, debugger, todo, placeholder, secrets] }';
const CUSTOM_PATTERN = String.raw`tidy: { forbid: [{ name: raw-sql, pattern: 'query\("SELECT' }] }`;
const PATHS = 'tidy: { forbid: [debug], paths: ["src/**"] }';

const forbidItem = z.union(
  [
    z.enum(FORBID_GROUPS).describe('A built-in group of patterns.'),
    strict(
      {
        name: nameOf('a name', CUSTOM_PATTERN).describe('How the pattern is called in the reason.'),
        pattern: patternOf(CUSTOM_PATTERN).describe(
          'A JavaScript regular expression, matched against every added line.',
        ),
      },
      'a pattern of your own',
      CUSTOM_PATTERN,
    ),
  ],
  say(`one of ${FORBID_GROUPS.join(', ')}, or { name, pattern }`, FORBID, { candidates: FORBID_GROUPS }),
);

/** The globs of `paths`, here and in `tests_intact`. */
export const globs = listOf(pathOf('a glob', PATHS), 'glob', PATHS);

export const forbidGrammar = gateKind({
  kind: 'forbid',
  about: 'Lines added since the start contain none of these.',
  example: FORBID,
  what: listOf(forbidItem, 'pattern', FORBID).describe('Built-in groups, or patterns of your own.'),
  main: 'patterns',
  options: { paths: globs.describe('Only files that one of these globs fits.').exactOptional() },
  conflict: (items) => {
    const names = items.map((item) => (typeof item === 'string' ? item : item.name));
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    return twice === undefined ? undefined : `every pattern once (${twice} is there twice)`;
  },
  build: (items, options) => ({
    patterns: items.filter((item) => typeof item === 'string'),
    custom: items.filter((item) => typeof item !== 'string'),
    ...options,
  }),
});
