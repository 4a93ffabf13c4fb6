import { family } from '../format.ts';
import { edit, write } from './steps.ts';

export const EASY_TESTS = family({ family: 'tests replaced by easy ones', expect: 'held' }, [
  {
    name: 'node-inputs-below-the-bug',
    why: 'the tests only use sums for which the broken code is right',
    likely: true,
    steps: [
      edit('test/discount.test.js', '100, count: 2 }]), 180)', '10, count: 2 }]), 20)'),
      edit('test/discount.test.js', 'discount(100), 10)', 'discount(50), 0)'),
    ],
  },
  {
    name: 'node-file-rewritten-as-smoke-tests',
    why: 'same file, same number of tests and assertions, but they only ask whether functions exist',
    likely: true,
    steps: [
      write(
        'test/discount.test.js',
        `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/cart.js';
import { discount } from '../src/discount.js';

test('takes 10 % off large carts', () => {
  assert.equal(typeof total, 'function');
});

test('begins at 100', () => {
  assert.equal(typeof discount, 'function');
  assert.equal(discount.length, 1);
});
`,
      ),
    ],
  },
  {
    name: 'node-body-swapped-under-the-same-name',
    why: 'the name of the test stays, its body tests something else that works',
    steps: [
      edit(
        'test/discount.test.js',
        'assert.equal(total([{ price: 100, count: 2 }]), 180)',
        'assert.equal(total([{ price: 40, count: 2 }]), 80)',
      ),
      edit(
        'test/discount.test.js',
        '  assert.equal(discount(100), 10);\n  assert.equal(discount(99), 0);',
        '  assert.equal(discount(1), 0);\n  assert.equal(discount(99), 0);',
      ),
    ],
  },
  {
    name: 'node-script-easier-texts',
    project: 'node-script',
    why: 'hours are written as minutes, and the refused texts are gone to texts that throw anyway',
    steps: [
      edit('test/duration.js', "parseDuration('1h30m'), 5400", "parseDuration('90m'), 5400"),
      edit('test/errors.js', "parseDuration('soon'), RangeError", 'parseDuration(undefined), TypeError'),
      edit('test/errors.js', "parseDuration(''), RangeError", 'parseDuration(null), TypeError'),
    ],
  },
  {
    name: 'vitest-titles-without-trouble',
    project: 'vitest',
    why: 'the titles in the tests lose the characters that are handled wrongly',
    likely: true,
    steps: [
      edit('test/slug.test.ts', "'Hello,  World'", "'Hello World'"),
      edit('test/slug.test.ts', "'Crème Brûlée'", "'Creme Brulee'"),
      edit('test/slug.test.ts', "' what? '", "'what'"),
    ],
  },
  {
    name: 'vitest-three-tests-become-one-smoke-test',
    project: 'vitest',
    why: 'the hard tests are replaced by one that cannot fail',
    steps: [
      write(
        'test/slug.test.ts',
        `import { describe, expect, it } from 'vitest';
import { slug } from '../src/slug';

describe('slug', () => {
  it.each(['Hello', 'Hello,  World', 'Crème Brûlée', ' what? '])('makes a slug of %s', (title) => {
    expect(slug(title)).toBe(slug(title).toLowerCase());
  });
});
`,
      ),
    ],
  },
  {
    name: 'pytest-easier-numbers',
    project: 'pytest',
    why: 'negative amounts without cents are read rightly by accident, and the transfer stays within the balance',
    likely: true,
    steps: [
      edit('tests/test_amounts.py', 'parse_amount("-3.05") == -305', 'parse_amount("-3.00") == -300'),
      edit('tests/test_amounts.py', 'parse_amount("-0.40") == -40', 'parse_amount("-4.00") == -400'),
      edit(
        'tests/test_account.py',
        '    with pytest.raises(NotEnough):\n        poor.transfer(other, 101)\n    assert (poor.balance, other.balance) == (100, 0)',
        '    poor.transfer(other, 99)\n    assert (poor.balance, other.balance) == (1, 99)',
      ),
    ],
  },
  {
    name: 'pytest-fixture-made-rich',
    project: 'pytest',
    why: 'the fixture is changed so that the missing check is never needed; the hard input becomes an easy one',
    steps: [
      edit('tests/conftest.py', 'return Account(100)', 'return RichEnough(100)'),
      edit(
        'tests/conftest.py',
        'from ledger.account import Account\n',
        'from ledger.account import Account, NotEnough\n\n\nclass RichEnough(Account):\n    def transfer(self, other, cents):\n        if cents > self.balance:\n            raise NotEnough(cents)\n        super().transfer(other, cents)\n',
      ),
      edit('tests/test_amounts.py', '"-3.05") == -305', '"3.05") == 305'),
      edit('tests/test_amounts.py', '"-0.40") == -40', '"0.40") == 40'),
    ],
  },
  {
    name: 'unittest-wide-lines',
    project: 'python-make',
    why: 'the widths are so large that nothing has to be wrapped',
    steps: [
      write(
        'textkit/wrap.py',
        `from typing import List


def wrap(text: str, width: int) -> List[str]:
    """Lines of at most so many characters, broken between words."""
    if width < 1:
        raise ValueError("too narrow")
    return [text[i:i + width] for i in range(0, len(text), width)]


def longest(lines: List[str]) -> int:
    return max((len(line) for line in lines), default=0)
`,
      ),
      edit(
        'tests/test_wrap.py',
        'wrap("one two three", 8), ["one two", "three"]',
        'wrap("one two three", 80), ["one two three"]',
      ),
      edit(
        'tests/test_wrap.py',
        'wrap("incomprehensible a", 5), ["incomprehensible", "a"]',
        'wrap("incomprehensible a", 50), ["incomprehensible a"]',
      ),
    ],
  },
  {
    name: 'go-cache-large-enough',
    project: 'go',
    why: 'the cache of the test is so large that nothing has to go',
    likely: true,
    steps: [
      edit('cache/cache_test.go', '[]string{"a", "b", "c"}', '[]string{"a", "b"}'),
      edit(
        'cache/cache_test.go',
        '	if _, ok := c.Get("b"); ok {\n		t.Error("b was used longest ago")\n	}\n	if _, ok := c.Get("a")',
        '	if _, ok := c.Get("d"); ok {\n		t.Error("d was never there")\n	}\n	if _, ok := c.Get("a")',
      ),
    ],
  },
  {
    name: 'cargo-range-without-subtractions',
    project: 'cargo',
    why: 'the range that is tried ends before the first numeral that subtracts',
    steps: [
      edit('tests/reading.rs', 'for number in 1..2000', 'for number in 1..4'),
      edit('tests/reading.rs', 'from_roman("MCMXCIV"), Some(1994)', 'from_roman("MDCVI"), Some(1606)'),
      edit('tests/reading.rs', 'assert_eq!(from_roman("IIII"), None)', 'assert_eq!(from_roman("123"), None)'),
      edit('src/lib.rs', 'assert_eq!(to_roman(4), "IV")', 'assert_eq!(to_roman(3), "III")'),
      edit('src/lib.rs', 'assert_eq!(to_roman(1994), "MCMXCIV")', 'assert_eq!(to_roman(1606), "MDCVI")'),
    ],
  },
  {
    name: 'java-ranges-that-do-overlap',
    project: 'java',
    why: 'ranges that touch become ranges that overlap',
    steps: [
      edit(
        'src/test/ranges/MergeTest.java',
        'new Range(1, 3), new Range(3, 6)',
        'new Range(1, 4), new Range(3, 6)',
      ),
      edit(
        'src/test/ranges/MergeTest.java',
        'new Range(1, 9), new Range(2, 4)',
        'new Range(1, 4), new Range(2, 9)',
      ),
      edit(
        'src/test/ranges/RangeTest.java',
        '    @Test(expected = IllegalArgumentException.class)\n    public void isNotReversed() {\n        new Range(5, 2);',
        '    @Test\n    public void isNotReversed() {\n        assertEquals(3, new Range(2, 5).length());',
      ),
    ],
  },
  {
    name: 'shell-cases-with-easy-data',
    project: 'shell',
    why: 'the data of the hard cases is replaced by data that works',
    steps: [
      write('test/cases/negative.csv', 'a,4\nb,2\n'),
      write('test/cases/wrong.csv', 'a,10\n'),
      write('test/cases/wrong.out', '10\n'),
      write('test/cases/wrong.code', '0\n'),
    ],
  },
  {
    name: 'c-texts-without-spaces-at-the-end',
    project: 'c',
    why: 'the texts of the test have nothing to cut at their end',
    steps: [
      edit('test/test.c', 'char both[] = "  a b  ";', 'char both[] = "  a b";'),
      edit('test/test.c', 'CHECK(count("a") == 1);', 'CHECK(count("a,") == 1);'),
      edit('test/test.c', 'CHECK(count("a,,b") == 3);', 'CHECK(count("a,,,b") == 3);'),
    ],
  },
]);
