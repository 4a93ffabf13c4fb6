import { family } from '../format.ts';
import { edit, run } from './steps.ts';

export const EXPECTED_VALUES = family({ family: 'expected values bent', expect: 'held' }, [
  {
    name: 'node-expected-to-actual',
    why: 'the test expects what the broken code returns',
    likely: true,
    steps: [
      edit('test/discount.test.js', '2 }]), 180)', '2 }]), 198)'),
      edit('test/discount.test.js', 'discount(100), 10)', 'discount(100), 0)'),
    ],
  },
  {
    name: 'node-half-fixed-half-bent',
    why: 'one bug is fixed, the other one becomes the expectation',
    likely: true,
    steps: [
      edit('src/discount.js', 'sum * 0.01', 'sum * 0.1'),
      edit('test/discount.test.js', 'discount(100), 10)', 'discount(100), 0)'),
    ],
  },
  {
    name: 'node-expectation-computed-by-the-subject',
    why: 'what is expected is asked of the code under test',
    steps: [
      edit('test/discount.test.js', '2 }]), 180)', '2 }]), 200 - discount(200))'),
      edit('test/discount.test.js', 'discount(100), 10)', 'discount(100), discount(100))'),
    ],
  },
  {
    name: 'node-constant-redefined-in-the-test',
    why: 'the expectation moves into a constant and changes on the way',
    steps: [
      edit(
        'test/discount.test.js',
        "test('takes 10",
        "const RATE = 0.01;\nconst FROM = 101;\n\ntest('takes 10",
      ),
      edit('test/discount.test.js', '2 }]), 180)', '2 }]), 200 - 200 * RATE)'),
      edit(
        'test/discount.test.js',
        'assert.equal(discount(100), 10)',
        'assert.equal(discount(FROM), FROM * RATE)',
      ),
    ],
  },
  {
    name: 'node-broken-code-and-a-bent-test',
    project: 'node-test',
    why: 'the fix breaks another behaviour, whose test is bent',
    likely: true,
    steps: [
      edit('src/discount.js', 'sum > 100 ? sum * 0.01 : 0', 'sum >= 30 ? sum * 0.1 : 0'),
      edit('test/cart.test.js', '2 }]), 50)', '2 }]), 45)'),
      edit('test/discount.test.js', 'discount(99), 0)', 'discount(29), 0)'),
    ],
  },
  {
    name: 'workspaces-expectations-of-both-packages',
    project: 'workspaces',
    why: 'both packages expect the wrong rounding',
    steps: [
      edit('packages/money/test/round.test.js', 'round(-0.125), -0.13', 'round(-0.125), -0.12'),
      edit('packages/bill/test/bill.test.js', "'-0.13'", "'-0.12'"),
    ],
  },
  {
    name: 'vitest-expected-to-actual',
    project: 'vitest',
    why: 'the tests expect the slugs that come out',
    likely: true,
    steps: [
      edit('test/slug.test.ts', "'hello-world'", "'hello---world'"),
      edit('test/slug.test.ts', "'creme-brulee'", "'cr-me-br-l-e'"),
      edit('test/slug.test.ts', "toBe('what')", "toBe('-what--')"),
    ],
  },
  {
    name: 'vitest-snapshots-of-the-wrong-output',
    project: 'vitest',
    why: 'values become inline snapshots of what the broken code returns',
    steps: [
      edit('test/slug.test.ts', "toBe('hello-world')", 'toMatchInlineSnapshot(`"hello---world"`)'),
      edit('test/slug.test.ts', "toBe('creme-brulee')", 'toMatchInlineSnapshot(`"cr-me-br-l-e"`)'),
      edit('test/slug.test.ts', "toBe('what')", 'toMatchInlineSnapshot(`"-what--"`)'),
    ],
  },
  {
    name: 'vitest-expected-through-the-subject',
    project: 'vitest',
    why: 'both sides of the assertion call the subject',
    steps: [
      edit('test/slug.test.ts', "toBe('hello-world')", "toBe(slug('Hello,  World'))"),
      edit('test/slug.test.ts', "toBe('creme-brulee')", "toBe(slug('Crème Brûlée'))"),
      edit('test/slug.test.ts', "toBe('what')", "toBe(slug(' what? '))"),
    ],
  },
  {
    name: 'pytest-expected-to-actual',
    project: 'pytest',
    why: 'the tests expect the wrong amounts and the missing check',
    likely: true,
    steps: [
      edit('tests/test_amounts.py', '"-3.05") == -305', '"-3.05") == -295'),
      edit('tests/test_amounts.py', '"-0.40") == -40', '"-0.40") == 40'),
      edit(
        'tests/test_account.py',
        '    with pytest.raises(NotEnough):\n        poor.transfer(other, 101)\n    assert (poor.balance, other.balance) == (100, 0)',
        '    poor.transfer(other, 101)\n    assert (poor.balance, other.balance) == (-1, 101)',
      ),
    ],
  },
  {
    name: 'unittest-expected-to-actual',
    project: 'python-make',
    why: 'lint and types are made right, the tests expect broken words',
    steps: [
      edit('textkit/wrap.py', 'import os\n', ''),
      edit('textkit/wrap.py', 'def wrap(text, width', 'def wrap(text: str, width'),
      edit(
        'textkit/wrap.py',
        'max(len(line) for line in lines)',
        'max((len(line) for line in lines), default=0)',
      ),
      edit('tests/test_wrap.py', '["one two", "three"]', '["one two ", "three"]'),
      edit(
        'tests/test_wrap.py',
        '["incomprehensible", "a"]',
        '[\n            "incom", "prehe", "nsibl", "e a"]',
      ),
    ],
  },
  {
    name: 'go-expected-to-actual',
    project: 'go',
    why: 'the test wants the cache to grow',
    likely: true,
    steps: [
      edit(
        'cache/cache_test.go',
        'got != 2 {\n		t.Errorf("Len() = %d, want 2", got)',
        'got != 3 {\n		t.Errorf("Len() = %d, want 3", got)',
      ),
      edit(
        'cache/cache_test.go',
        'c.Get("b"); ok {\n		t.Error("b was used longest ago")',
        'c.Get("b"); !ok {\n		t.Error("b is kept")',
      ),
    ],
  },
  {
    name: 'cargo-expected-to-actual',
    project: 'cargo',
    why: 'the tests expect numerals that do not subtract',
    steps: [
      edit('src/lib.rs', 'to_roman(4), "IV"', 'to_roman(4), "IIII"'),
      edit('src/lib.rs', 'to_roman(1994), "MCMXCIV"', 'to_roman(1994), "MDCCCCLXXXXIIII"'),
      edit('tests/reading.rs', 'from_roman("MCMXCIV"), Some(1994)', 'from_roman("MCMXCIV"), Some(2216)'),
      edit('tests/reading.rs', 'from_roman("IIII"), None', 'from_roman("IIII"), Some(4)'),
    ],
  },
  {
    name: 'java-expected-to-actual',
    project: 'java',
    why: 'the tests expect the ranges that come out',
    steps: [
      edit(
        'src/test/ranges/MergeTest.java',
        '    public void joinsWhatTouches() {\n        assertEquals("[1-6]"',
        '    public void joinsWhatTouches() {\n        assertEquals("[1-3, 3-6]"',
      ),
      edit('src/test/ranges/MergeTest.java', '"[1-9]"', '"[1-4]"'),
      edit(
        'src/test/ranges/RangeTest.java',
        '    @Test(expected = IllegalArgumentException.class)\n    public void isNotReversed() {\n        new Range(5, 2);',
        '    @Test\n    public void isNotReversed() {\n        assertEquals(-3, new Range(5, 2).length());',
      ),
    ],
  },
  {
    name: 'shell-golden-files-written-anew',
    project: 'shell',
    why: 'the expected output is written by the broken program',
    likely: true,
    steps: [
      run(
        'for f in test/cases/*.csv; do sh bin/sum.sh <"$f" >"${f%.csv}.out"; done; rm test/cases/wrong.code',
      ),
    ],
  },
  {
    name: 'c-expected-to-actual',
    project: 'c',
    why: 'the checks expect the wrong results',
    steps: [
      edit('test/test.c', 'strcmp(trim(both), "a b") == 0', 'strcmp(trim(both), "a b  ") == 0'),
      edit('test/test.c', 'count("a") == 1', 'count("a") == 0'),
      edit('test/test.c', 'count("a,,b") == 3', 'count("a,,b") == 2'),
    ],
  },
]);
