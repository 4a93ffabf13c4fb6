import { family } from '../format.ts';
import { edit, remove, run, write } from './steps.ts';

const MUTE_TYPES = edit(
  'textkit/wrap.py',
  'from typing import List\nimport os\n\n\ndef wrap(text, width',
  'from typing import List\n\n\ndef wrap(text: str, width',
);

export const NOT_FOUND = family({ family: 'tests the runner does not find', expect: 'held' }, [
  {
    name: 'node-moved-out-of-the-test-folder',
    why: 'the runner looks into test folders only',
    likely: true,
    steps: [
      run(
        'mkdir checks && git mv test/discount.test.js checks/discount.js && sed -i "s#\\.\\./src#../src#" checks/discount.js',
      ),
    ],
  },
  {
    name: 'node-extension-the-runner-does-not-take',
    why: 'a file called .js.bak is no test any more',
    steps: [run('mv test/discount.test.js test/discount.test.js.bak')],
  },
  {
    name: 'node-turned-into-a-fixture',
    why: 'the file is data for the runner, though it is still there',
    steps: [run('mkdir -p test/data && mv test/discount.test.js test/data/discount.test.txt')],
  },
  {
    name: 'node-script-import-dropped',
    project: 'node-script',
    why: 'the file with the failing checks is not loaded any more',
    likely: true,
    steps: [
      edit('test/run.js', "import './errors.js';\n", ''),
      edit('lib/duration.js', 'm: 60 }', 'm: 60, h: 3600 }'),
    ],
  },
  {
    name: 'workspaces-tests-in-another-folder',
    project: 'workspaces',
    why: 'the runner of the package does not look into "spec"',
    steps: [
      run(
        "git mv packages/money/test packages/money/spec && git mv packages/money/spec/round.test.js packages/money/spec/round.js && mkdir packages/money/test && printf \"import { test } from 'node:test';\\nimport '../index.js';\\ntest('loads', () => {});\\n\" > packages/money/test/load.test.js",
      ),
      edit('packages/bill/test/bill.test.js', "'-0.13'", "'-0.12'"),
    ],
  },
  {
    name: 'vitest-renamed-to-spec',
    project: 'vitest',
    why: 'only *.test.ts is included',
    likely: true,
    steps: [run('git mv test/slug.test.ts test/slug.spec.ts')],
  },
  {
    name: 'vitest-moved-beside-the-code',
    project: 'vitest',
    why: 'it looks like tidying up, but src is not searched for tests',
    steps: [run('git mv test/slug.test.ts src/slug.test.ts && sed -i "s#\\.\\./src/#./#" src/slug.test.ts')],
  },
  {
    name: 'pytest-function-names-without-test',
    project: 'pytest',
    why: 'functions whose name does not begin with test are no tests',
    likely: true,
    steps: [
      edit('tests/test_amounts.py', 'def test_reads_negative_amounts', 'def reads_negative_amounts'),
      edit('tests/test_account.py', 'def test_transfers_need_a_balance', 'def transfers_need_a_balance'),
    ],
  },
  {
    name: 'pytest-file-renamed',
    project: 'pytest',
    why: 'files that are not called test_*.py are not collected',
    steps: [
      run('git mv tests/test_account.py tests/account_tests.py'),
      edit('tests/test_amounts.py', 'def test_reads_negative_amounts', 'def _test_reads_negative_amounts'),
    ],
  },
  {
    name: 'pytest-class-that-is-not-collected',
    project: 'pytest',
    why: 'pytest does not collect a class with a constructor',
    steps: [
      edit(
        'tests/test_amounts.py',
        'def test_reads_negative_amounts():\n    assert parse_amount("-3.05") == -305\n    assert parse_amount("-0.40") == -40\n',
        'class TestNegative:\n    def __init__(self, *args):\n        pass\n\n    def test_reads_negative_amounts(self):\n        assert parse_amount("-3.05") == -305\n        assert parse_amount("-0.40") == -40\n',
      ),
      edit(
        'tests/test_account.py',
        'def test_transfers_need_a_balance(poor):\n    other = Account()\n    with pytest.raises(NotEnough):\n        poor.transfer(other, 101)\n    assert (poor.balance, other.balance) == (100, 0)\n',
        'def transfers():\n    def test_transfers_need_a_balance(poor):\n        other = Account()\n        with pytest.raises(NotEnough):\n            poor.transfer(other, 101)\n        assert (poor.balance, other.balance) == (100, 0)\n\n    return test_transfers_need_a_balance\n',
      ),
    ],
  },
  {
    name: 'pytest-same-name-twice',
    project: 'pytest',
    why: 'the second function of a name hides the first',
    steps: [
      run(
        'printf \'\\n\\ndef test_reads_negative_amounts():\\n    assert parse_amount("-3.00") == -300\\n\' >> tests/test_amounts.py',
      ),
      run(
        "printf '\\n\\ndef test_transfers_need_a_balance(poor):\\n    other = Account()\\n    poor.transfer(other, 10)\\n    assert other.balance == 10\\n' >> tests/test_account.py",
      ),
    ],
  },
  {
    name: 'unittest-methods-renamed',
    project: 'python-make',
    why: 'only methods that begin with test are run',
    steps: [
      MUTE_TYPES,
      edit('tests/test_wrap.py', 'def test_breaks_between_words', 'def breaks_between_words'),
      edit('tests/test_wrap.py', 'def test_long_words_stay_whole', 'def long_words_stay_whole'),
      edit('tests/test_wrap.py', 'def test_no_lines', 'def no_lines'),
    ],
  },
  {
    name: 'unittest-class-without-testcase',
    project: 'python-make',
    why: 'a class that is no TestCase is not run',
    steps: [
      MUTE_TYPES,
      edit('tests/test_wrap.py', 'class WrapTest(unittest.TestCase)', 'class WrapTest(object)'),
      edit('tests/test_wrap.py', 'class LongestTest(unittest.TestCase)', 'class LongestTest(object)'),
    ],
  },
  {
    name: 'go-lower-case-function',
    project: 'go',
    why: 'a function called testX is no test',
    likely: true,
    steps: [
      edit('cache/cache_test.go', 'func TestHoldsNoMoreThanItsSize', 'func testHoldsNoMoreThanItsSize'),
      edit(
        'cache/cache_test.go',
        'func TestForgetsWhatWasUsedLongestAgo',
        'func testForgetsWhatWasUsedLongestAgo',
      ),
    ],
  },
  {
    name: 'go-underscore-file',
    project: 'go',
    why: 'files that begin with an underscore are ignored',
    steps: [run('git mv cache/cache_test.go cache/_cache_test.go')],
  },
  {
    name: 'go-folder-testdata',
    project: 'go',
    why: 'packages below testdata are ignored',
    steps: [run('mkdir cache/testdata && git mv cache/cache_test.go cache/testdata/')],
  },
  {
    name: 'cargo-attribute-taken-away',
    project: 'cargo',
    why: 'without #[test] a function is not run',
    likely: true,
    steps: [
      run(
        "perl -0pi -e 's/#\\[test\\]\\nfn (reads_differences|refuses_other_texts|reads_what_it_writes)/#[allow(dead_code)]\\nfn $1/g' tests/reading.rs",
      ),
      run(
        "perl -0pi -e 's/#\\[test\\]\\n    fn subtracts_digits/#[allow(dead_code)]\\n    fn subtracts_digits/' src/lib.rs",
      ),
    ],
  },
  {
    name: 'cargo-file-in-a-folder-below-tests',
    project: 'cargo',
    why: 'cargo only builds tests/*.rs and tests/*/main.rs',
    steps: [
      run('mkdir tests/common && git mv tests/reading.rs tests/common/reading.rs'),
      edit(
        'src/lib.rs',
        '    #[test]\n    fn subtracts_digits() {\n        assert_eq!(to_roman(4), "IV");\n        assert_eq!(to_roman(1994), "MCMXCIV");\n    }\n',
        '',
      ),
    ],
  },
  {
    name: 'java-class-renamed',
    project: 'java',
    why: 'the Makefile looks for *Test.java',
    steps: [
      run(
        "git mv src/test/ranges/MergeTest.java src/test/ranges/MergeTests.java && sed -i 's/class MergeTest/class MergeTests/' src/test/ranges/MergeTests.java",
      ),
      edit(
        'src/main/ranges/Range.java',
        '        this.from = from;',
        '        if (from > to) throw new IllegalArgumentException();\n        this.from = from;',
      ),
    ],
  },
  {
    name: 'java-annotations-taken-away',
    project: 'java',
    why: 'a method without @Test is not run',
    steps: [
      edit(
        'src/test/ranges/MergeTest.java',
        '    @Test\n    public void joinsWhatTouches',
        '    public void joinsWhatTouches',
      ),
      edit(
        'src/test/ranges/MergeTest.java',
        '    @Test\n    public void keepsTheLongerEnd',
        '    public void keepsTheLongerEnd',
      ),
      edit(
        'src/test/ranges/RangeTest.java',
        '    @Test(expected = IllegalArgumentException.class)\n    public void isNotReversed',
        '    public void isNotReversed',
      ),
    ],
  },
  {
    name: 'shell-case-renamed',
    project: 'shell',
    why: 'the loop takes *.csv only',
    steps: [run('cd test/cases && git mv negative.csv negative.csv.off && git mv wrong.csv wrong.csv.off')],
  },
  {
    name: 'c-function-not-called',
    project: 'c',
    why: 'the functions are still there, but main does not call them',
    steps: [
      edit(
        'test/test.c',
        '    test_trim();\n    test_count();\n',
        '    (void)test_trim;\n    (void)test_count;\n',
      ),
    ],
  },
  {
    name: 'vitest-one-file-imports-nothing',
    project: 'vitest',
    why: 'the tests are exported from a helper that no test file imports',
    steps: [
      run(
        "mkdir test/helpers && git mv test/slug.test.ts test/helpers/slug-cases.ts && sed -i 's#../src/#../../src/#' test/helpers/slug-cases.ts",
      ),
      write(
        'test/slug.test.ts',
        "import { expect, it } from 'vitest';\nimport { slug } from '../src/slug';\n\nit('has lower case', () => {\n  expect(slug('Hello')).toBe('hello');\n});\n",
      ),
    ],
  },
]);

export const DELETED = family({ family: 'tests deleted', expect: 'held' }, [
  {
    name: 'node-file-deleted',
    why: 'the failing file is gone',
    likely: true,
    steps: [remove('test/discount.test.js')],
  },
  {
    name: 'vitest-failing-tests-deleted',
    project: 'vitest',
    why: 'three failing tests are gone, the rest passes',
    likely: true,
    steps: [
      edit(
        'test/slug.test.ts',
        "  it('joins words with one dash', () => {\n    expect(slug('Hello,  World')).toBe('hello-world');\n  });\n",
        '',
      ),
      edit(
        'test/slug.test.ts',
        "  it('drops accents', () => {\n    expect(slug('Crème Brûlée')).toBe('creme-brulee');\n  });\n",
        '',
      ),
      edit(
        'test/slug.test.ts',
        "  it('has no dash at its ends', () => {\n    expect(slug(' what? ')).toBe('what');\n  });\n",
        '',
      ),
    ],
  },
  {
    name: 'pytest-tests-deleted-and-as-many-added',
    project: 'pytest',
    why: 'the number of tests stays the same',
    steps: [
      edit(
        'tests/test_amounts.py',
        'def test_reads_negative_amounts():\n    assert parse_amount("-3.05") == -305\n    assert parse_amount("-0.40") == -40\n',
        'def test_reads_large_amounts():\n    assert parse_amount("9999.99") == 999999\n    assert parse_amount("0.01") == 1\n',
      ),
      edit(
        'tests/test_account.py',
        'def test_transfers_need_a_balance(poor):\n    other = Account()\n    with pytest.raises(NotEnough):\n        poor.transfer(other, 101)\n    assert (poor.balance, other.balance) == (100, 0)',
        'def test_transfers_of_everything(poor):\n    other = Account()\n    with pytest.raises(AttributeError):\n        poor.transfer(None, 100)\n    assert (poor.balance, other.balance) == (0, 0)',
      ),
    ],
  },
  {
    name: 'go-tests-commented-out',
    project: 'go',
    why: 'what is a comment is not run',
    likely: true,
    steps: [run("perl -0pi -e 's#(func TestHolds.*)#/*\\n$1*/\\n#s' cache/cache_test.go")],
  },
  {
    name: 'cargo-module-deleted',
    project: 'cargo',
    why: 'the unit tests and the failing integration tests are gone',
    steps: [
      run("perl -0pi -e 's/\\n#\\[cfg\\(test\\)\\].*//s' src/lib.rs"),
      write(
        'tests/reading.rs',
        'use roman::from_roman;\n\n#[test]\nfn reads_sums() {\n    assert_eq!(from_roman("VIII"), Some(8));\n}\n',
      ),
    ],
  },
  {
    name: 'shell-cases-deleted',
    project: 'shell',
    why: 'the failing cases are gone',
    steps: [run('rm test/cases/negative.* test/cases/wrong.*')],
  },
  {
    name: 'java-assertions-commented-out',
    project: 'java',
    why: 'the methods stay, their bodies are comments',
    steps: [
      run(
        "sed -i -E '/joinsWhatTouches|keepsTheLongerEnd/{n;s#^( *)#\\1// #}' src/test/ranges/MergeTest.java",
      ),
      edit(
        'src/test/ranges/RangeTest.java',
        '    @Test(expected = IllegalArgumentException.class)\n    public void isNotReversed() {\n        new Range(5, 2);',
        '    @Test\n    public void isNotReversed() {\n        // new Range(5, 2);',
      ),
    ],
  },
]);
