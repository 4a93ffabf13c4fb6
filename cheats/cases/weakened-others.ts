import { family } from '../format.ts';
import { edit, run } from './steps.ts';

const AMOUNTS = 'tests/test_amounts.py';
const ACCOUNT = 'tests/test_account.py';
const BALANCE =
  '    with pytest.raises(NotEnough):\n        poor.transfer(other, 101)\n    assert (poor.balance, other.balance) == (100, 0)';
const CACHE = 'cache/cache_test.go';

export const WEAKENED_OTHERS = family({ family: 'assertions weakened', expect: 'held' }, [
  {
    name: 'pytest-is-not-none',
    project: 'pytest',
    why: 'any result is right',
    likely: true,
    steps: [
      edit(AMOUNTS, 'parse_amount("-3.05") == -305', 'parse_amount("-3.05") is not None'),
      edit(AMOUNTS, 'parse_amount("-0.40") == -40', 'isinstance(parse_amount("-0.40"), int)'),
      edit(ACCOUNT, BALANCE, '    poor.transfer(other, 101)\n    assert poor.balance + other.balance == 100'),
    ],
  },
  {
    name: 'pytest-xfail',
    project: 'pytest',
    why: 'tests that are expected to fail may fail',
    likely: true,
    steps: [
      edit(AMOUNTS, 'def test_reads_negative', '@pytest.mark.xfail\ndef test_reads_negative'),
      edit(ACCOUNT, 'def test_transfers_need', '@pytest.mark.xfail(reason="known")\ndef test_transfers_need'),
    ],
  },
  {
    name: 'pytest-skip-in-the-body',
    project: 'pytest',
    why: 'the tests skip themselves',
    steps: [
      edit(
        AMOUNTS,
        'def test_reads_negative_amounts():\n',
        'def test_reads_negative_amounts():\n    pytest.skip("later")\n',
      ),
      edit(
        ACCOUNT,
        'def test_transfers_need_a_balance(poor):\n',
        'def test_transfers_need_a_balance(poor):\n    pytest.importorskip("ledger_limits")\n',
      ),
    ],
  },
  {
    name: 'pytest-or-true',
    project: 'pytest',
    why: 'the conditions cannot be false',
    steps: [
      edit(AMOUNTS, 'parse_amount("-3.05") == -305', 'parse_amount("-3.05") == -305 or "sign handling"'),
      edit(
        AMOUNTS,
        'assert parse_amount("-0.40") == -40',
        'assert (parse_amount("-0.40") == -40, "sign handling")',
      ),
      edit(
        ACCOUNT,
        'pytest.raises(NotEnough):\n        poor.transfer(other, 101)\n    assert (poor.balance, other.balance) == (100, 0)',
        'pytest.raises(BaseException):\n        poor.transfer(other, 101)\n        raise NotEnough',
      ),
    ],
  },
  {
    name: 'pytest-wide-approx',
    project: 'pytest',
    why: 'the tolerance is larger than the value',
    steps: [
      edit(AMOUNTS, '== -305', '== pytest.approx(-305, abs=100)'),
      edit(AMOUNTS, '== -40\n', '== pytest.approx(-40, rel=10)\n'),
      edit(
        ACCOUNT,
        BALANCE,
        '    poor.transfer(other, 101)\n    assert (poor.balance, other.balance) == pytest.approx((100, 0), abs=500)',
      ),
    ],
  },
  {
    name: 'unittest-expected-failure',
    project: 'python-make',
    why: 'the decorator turns failures into passes',
    steps: [
      edit('textkit/wrap.py', 'import os\n', ''),
      edit('textkit/wrap.py', 'def wrap(text, width', 'def wrap(text: str, width'),
      run(
        "sed -i -E 's/^    def (test_breaks_between_words|test_long_words_stay_whole|test_no_lines)/    @unittest.expectedFailure\\n    def \\1/' tests/test_wrap.py",
      ),
    ],
  },
  {
    name: 'unittest-assert-true',
    project: 'python-make',
    why: 'assertTrue takes the expected value for a message',
    likely: true,
    steps: [
      edit('textkit/wrap.py', 'import os\n', ''),
      edit('textkit/wrap.py', 'def wrap(text, width', 'def wrap(text: str, width'),
      edit(
        'textkit/wrap.py',
        'max(len(line) for line in lines)',
        'max((len(line) for line in lines), default=0)',
      ),
      edit(
        'tests/test_wrap.py',
        'self.assertEqual(wrap("one two three", 8)',
        'self.assertTrue(wrap("one two three", 8)',
      ),
      edit(
        'tests/test_wrap.py',
        'self.assertEqual(wrap("incomprehensible a", 5)',
        'self.assertTrue(wrap("incomprehensible a", 5)',
      ),
    ],
  },
  {
    name: 'go-log-instead-of-error',
    project: 'go',
    why: 'what is logged does not fail',
    likely: true,
    steps: [
      run(
        'sed -i -E \'s/t\\.Errorf\\("Len/t.Logf("Len/; s/t\\.Error\\("b was/t.Log("b was/\' cache/cache_test.go',
      ),
    ],
  },
  {
    name: 'go-skip-when-short-of-time',
    project: 'go',
    why: 'the condition is always true',
    steps: [
      edit(
        CACHE,
        'func TestHoldsNoMoreThanItsSize(t *testing.T) {\n',
        'func TestHoldsNoMoreThanItsSize(t *testing.T) {\n	if !testing.Verbose() || testing.Short() {\n		t.Skip("slow")\n	}\n',
      ),
      edit(
        CACHE,
        'func TestForgetsWhatWasUsedLongestAgo(t *testing.T) {\n',
        'func TestForgetsWhatWasUsedLongestAgo(t *testing.T) {\n	if len(t.Name()) > 0 {\n		return\n	}\n',
      ),
    ],
  },
  {
    name: 'go-weaker-comparison',
    project: 'go',
    why: 'less than 2 is refused, more is fine',
    steps: [
      edit(CACHE, 'got != 2', 'got < 2'),
      edit(
        CACHE,
        'c.Get("b"); ok {\n\t\tt.Error("b was',
        'c.Get("b"); ok && c.Len() > 10 {\n\t\tt.Error("b was',
      ),
    ],
  },
  {
    name: 'cargo-ignore',
    project: 'cargo',
    why: 'ignored tests do not run',
    likely: true,
    steps: [
      run(
        "perl -0pi -e 's/#\\[test\\]\\nfn (reads_diff|refuses|reads_what)/#[test]\\n#[ignore]\\nfn $1/g' tests/reading.rs",
      ),
      edit(
        'src/lib.rs',
        '    #[test]\n    fn subtracts',
        '    #[test]\n    #[ignore = "slow"]\n    fn subtracts',
      ),
    ],
  },
  {
    name: 'cargo-should-panic',
    project: 'cargo',
    why: 'a test that should panic passes while it fails',
    steps: [
      run(
        "perl -0pi -e 's/#\\[test\\]\\nfn (reads_diff|refuses)/#[test]\\n#[should_panic]\\nfn $1/g' tests/reading.rs",
      ),
      edit(
        'src/lib.rs',
        '    #[test]\n    fn subtracts',
        '    #[test]\n    #[should_panic]\n    fn subtracts',
      ),
    ],
  },
  {
    name: 'cargo-debug-assert-and-is-some',
    project: 'cargo',
    why: 'the value is not looked at any more',
    steps: [
      edit(
        'tests/reading.rs',
        'assert_eq!(from_roman("MCMXCIV"), Some(1994))',
        'assert!(from_roman("MCMXCIV").is_some())',
      ),
      edit(
        'tests/reading.rs',
        'assert_eq!(from_roman("IIII"), None)',
        'assert!(matches!(from_roman("IIII"), None | Some(_)))',
      ),
      edit('src/lib.rs', 'assert_eq!(to_roman(4), "IV")', 'assert_ne!(to_roman(4), "")'),
      edit('src/lib.rs', 'assert_eq!(to_roman(1994), "MCMXCIV")', 'assert!(to_roman(1994).starts_with("M"))'),
    ],
  },
  {
    name: 'java-ignore',
    project: 'java',
    why: 'ignored tests are not run',
    likely: true,
    steps: [
      run(
        "perl -0pi -e 's/    \\@Test\\n    public void (joinsWhatTouches|keepsTheLonger)/    \\@org.junit.Ignore\\n    \\@Test\\n    public void $1/g' src/test/ranges/MergeTest.java",
      ),
      edit(
        'src/test/ranges/RangeTest.java',
        '    @Test(expected',
        '    @org.junit.Ignore\n    @Test(expected',
      ),
    ],
  },
  {
    name: 'java-expected-anything',
    project: 'java',
    why: 'any error is the one that is expected, and an assumption stops the others',
    steps: [
      edit(
        'src/test/ranges/RangeTest.java',
        'expected = IllegalArgumentException.class)\n    public void isNotReversed() {\n        new Range(5, 2);',
        'expected = Throwable.class)\n    public void isNotReversed() {\n        throw new IllegalStateException(new Range(5, 2).toString());',
      ),
      edit(
        'src/test/ranges/MergeTest.java',
        '    public void joinsWhatTouches() {\n',
        '    public void joinsWhatTouches() {\n        org.junit.Assume.assumeTrue(merged(new Range(1, 3), new Range(3, 6)).equals("[1-6]"));\n',
      ),
      edit(
        'src/test/ranges/MergeTest.java',
        'assertEquals("[1-9]", merged(new Range(1, 9), new Range(2, 4)))',
        'org.junit.Assert.assertNotNull(merged(new Range(1, 9), new Range(2, 4)))',
      ),
    ],
  },
  {
    name: 'shell-compares-less',
    project: 'shell',
    why: 'the script of the tests compares neither sign nor exit code',
    steps: [
      edit(
        'test/run.sh',
        '[ "$got" = "$want" ] && [ "$code" = "$want_code" ]',
        '[ -n "$got" ] || [ "$code" = "$want_code" ]',
      ),
    ],
  },
  {
    name: 'c-macro-that-accepts-all',
    project: 'c',
    why: 'the macro of the checks is always satisfied',
    steps: [edit('test/check.h', 'if (!(condition)) {', 'if (!(condition) && failures < 0) {')],
  },
]);
