import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineMatcher, patternProblem } from '../../../../src/engine/core/text/line-pattern.ts';
import { rounds } from '../../../support/long.ts';

test.each([
  'console\\.log',
  '\\bTODO\\b',
  '^\\s*print\\(',
  '(foo|bar)baz',
  '(\\d{1,3}\\.){3}\\d{1,3}',
  'a.*b.*c',
  '[(+*]+x',
  '\\(a+\\)+x',
  '(?:abc)+x',
  'x{2,20}',
  '(a+)?b',
  '(a+)+x',
  '(a|a)*x',
  '.*.*.*.*.*x',
  '(?<name>a)b',
  '[^]x',
  '\\p{L}',
])('%s is usable', (source) => {
  expect(patternProblem(source)).toBeUndefined();
});

describe('refused', () => {
  test.each([
    ['(', 'a valid regular expression (Unterminated group)'],
    ['[a', 'a valid regular expression (Unterminated character class)'],
    ['a{2,1}', 'a valid regular expression (numbers out of order in {} quantifier)'],
    ['a*', 'a pattern that does not match an empty line'],
    ['foo|', 'a pattern that does not match an empty line'],
    ['x'.repeat(501), 'a pattern of at most 500 characters'],
    ['x{1001}', 'a pattern that repeats nothing more than 1000 times'],
    ['(?:x{100}){100}', 'a pattern that repeats nothing more than 1000 times'],
    ['(?:x?){999}y', 'a shorter pattern, or one with smaller repetitions'],
    ['foo(?=bar)', 'a pattern without lookahead "(?=...)" (let the pattern match what follows as well)'],
    ['foo(?!bar)', 'a pattern without lookahead "(?!...)" (say what may follow, such as ([^x]|$))'],
    [
      '(?<=a)foo',
      'a pattern without lookbehind "(?<=...)" (let the pattern match what comes before as well)',
    ],
    ['(?<!a)foo', 'a pattern without lookbehind "(?<!...)" (say what may come before, such as (^|[^x]))'],
    ['(a)b\\1', 'a pattern without backreference "\\1" (write out what is repeated)'],
    ['\\1(a)', 'a pattern without backreference "\\1" (write out what is repeated)'],
    ['(?<q>a)b\\k<q>', 'a pattern without backreference "\\k" (write out what is repeated)'],
    ['(?i)todo', 'a pattern without flags "(?i)" (name both letters, such as [Tt]odo)'],
    ['(?i:todo)', 'a pattern without flags "(?i)" (name both letters, such as [Tt]odo)'],
  ])('%s', (source, problem) => {
    expect(patternProblem(source)).toBe(problem);
    expect(() => lineMatcher(source)).toThrow(problem);
  });

  test.each(['[(?=a]', '\\(\\?=a', '[\\]()]\\2', '(a)\\8', '\\k<q>', '[(?<q>]\\k<q>', '\\\\(a)[\\1]'])(
    '%s only looks like one of these',
    (source) => {
      expect(patternProblem(source)).toBeUndefined();
    },
  );
});

/** All that a pattern can hold, apart from what is refused. */
const atom = fc.oneof(
  fc.constantFrom(...'abAB09_ -/.,:;=!@#%&~<>"\'`]}{é€'),
  fc.constantFrom('\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\b', '\\B', '^', '$', '.'),
  fc.constantFrom('\\t', '\\v', '\\f', '\\r', '\\0', '\\cA', '\\cj', '\\c', '\\c1', '\\x41', '\\x4', '\\xg'),
  fc.constantFrom(
    '\\u0041',
    '\\u004',
    '\\u{61}',
    '\\12',
    '\\101',
    '\\377',
    '\\477',
    '\\08',
    '\\8',
    '\\k',
    '\\k<a>',
  ),
  fc.constantFrom(
    '\\a',
    '\\z',
    '\\A',
    '\\Q',
    '\\E',
    '\\C',
    '\\p{L}',
    '\\pL',
    '\\G',
    '\\h',
    '\\e',
    '\\i',
    '\\_',
    '\\-',
  ),
  fc.constantFrom(
    '\\.',
    '\\*',
    '\\(',
    '\\[',
    '\\]',
    '\\{',
    '\\\\',
    '\\/',
    '\\é',
    'a{',
    'a{,2}',
    '{a}',
    'a{1',
    '}a',
  ),
);
const member = fc.oneof(
  fc.constantFrom(...'abzAZ09_ -.^$[({)}*+?|:,&~é€'),
  fc.constantFrom(
    'a-z',
    'A-Z',
    '0-9',
    '!-~',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\b',
    '\\B',
    '\\]',
    '\\\\',
  ),
  fc.constantFrom(
    '\\w-z',
    'a-\\d',
    '\\t-\\r',
    '\\x41-\\x5a',
    '\\u0041',
    '\\12',
    '\\c1',
    '\\cA',
    '\\c',
    '\\-',
    '[:alpha:',
  ),
  fc.constantFrom('\\k', '\\p{L}', '\\a', '\\Q', '&&', '--', '\\8', '\\1'),
);
const characterClass = fc
  .tuple(fc.boolean(), fc.array(member, { maxLength: 4 }))
  .map(([negated, members]) => `[${negated ? '^' : ''}${members.join('')}]`);
const repeat = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{2,}');
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc
    .tuple(
      fc.oneof(
        { maxDepth: 2, depthSize: 'small' },
        atom,
        characterClass,
        tie('pattern').map((inner) => `(?:${inner})`),
        tie('pattern').map((inner) => `(${inner})`),
      ),
      repeat,
    )
    .map(([one, times]) => one + times),
  pattern: fc
    .array(fc.array(tie('piece'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((choices) => choices.map((pieces) => pieces.join('')).join('|')),
}));
const text = fc
  .array(
    fc.constantFrom(
      ...'abzABZ019_ -/.,:{}[]()<>\\^$|?*+k8pLQEcgux\t\v\f\r\0\u0001\u000a\u00a0\u2003\u2028\ufeffé€ſK',
    ),
    { maxLength: 12 },
  )
  .map((characters) => characters.join('').replaceAll('\n', ''));

function native(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'g');
  } catch {
    return undefined;
  }
}

const REPEATED_GROUP = /\)[*+?{]/;

test('a pattern means what it means in JavaScript', () => {
  let compared = 0;
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 6 }), (source, lines) => {
      const expected = native(source);
      if (!expected || patternProblem(source) !== undefined) return;
      const ours = lineMatcher(source);
      for (const line of lines) {
        compared++;
        expect(ours.test(line)).toBe(expected.test(line));
        expected.lastIndex = 0;
        // JavaScript goes on after a round of a group that matched nothing in a way of its own.
        if (REPEATED_GROUP.test(source)) continue;
        expect(ours.replace(line, ([found]) => `<${found}>`)).toBe(line.replace(expected, '<$&>'));
      }
    }),
    { numRuns: rounds(10_000) },
  );
  expect(compared).toBeGreaterThan(rounds(2_000));
});

test('a replacement gets the match and its groups', () => {
  const { replace } = lineMatcher('(a)(b)?(?<c>c)');
  expect(replace('xacabc', (found) => JSON.stringify(found))).toBe('x["ac","a",null,"c"]["abc","a","b","c"]');
});
