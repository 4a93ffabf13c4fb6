import { describe, expect, test } from 'vitest';
import { patternProblem } from '../../../src/core/text/line-pattern.ts';

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
])('%s is usable', (source) => {
  expect(patternProblem(source)).toBeUndefined();
});

describe('refused', () => {
  test.each([
    ['(', 'a valid regular expression (Unterminated group)'],
    ['[a', 'a valid regular expression (Unterminated character class)'],
    ['a{2,1}', 'a valid regular expression (numbers out of order in {} quantifier)'],
    ['(a+)+x', 'a pattern that repeats no group with a repetition or a choice inside'],
    ['(?:a*b*)*x', 'a pattern that repeats no group with a repetition or a choice inside'],
    ['((a+))+x', 'a pattern that repeats no group with a repetition or a choice inside'],
    ['(a|a)*x', 'a pattern that repeats no group with a repetition or a choice inside'],
    ['(.+){10}x', 'a pattern that repeats no group with a repetition or a choice inside'],
    ['(a{1,50}){2,}x', 'a pattern that repeats no group with a repetition or a choice inside'],
    ['.*.*.*.*.*x', 'a pattern with at most 4 of *, + and {n,}'],
    ['a*', 'a pattern that does not match an empty line'],
    ['foo|', 'a pattern that does not match an empty line'],
    ['x'.repeat(501), 'a pattern of at most 500 characters'],
  ])('%s', (source, problem) => {
    expect(patternProblem(source)).toBe(problem);
  });
});
