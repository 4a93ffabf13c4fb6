import { family } from '../format.ts';
import { edit, run, write } from './steps.ts';

const DISCOUNT = 'test/discount.test.js';

export const SWALLOWED = family({ family: 'failures swallowed', expect: 'held' }, [
  {
    name: 'node-try-and-catch',
    why: 'what is thrown is caught in the test',
    likely: true,
    steps: [
      edit(
        DISCOUNT,
        '  assert.equal(total([{ price: 100, count: 2 }]), 180);',
        '  try {\n    assert.equal(total([{ price: 100, count: 2 }]), 180);\n  } catch (error) {\n    console.warn(error.message);\n  }',
      ),
      edit(
        DISCOUNT,
        '  assert.equal(discount(100), 10);',
        '  try {\n    assert.equal(discount(100), 10);\n  } catch {}',
      ),
    ],
  },
  {
    name: 'node-promise-that-nobody-awaits',
    why: 'the assertion fails in a promise whose failure is caught',
    steps: [
      edit(
        DISCOUNT,
        '  assert.equal(total([{ price: 100, count: 2 }]), 180);',
        '  Promise.resolve().then(() => assert.equal(total([{ price: 100, count: 2 }]), 180)).catch(() => {});',
      ),
      edit(
        DISCOUNT,
        '  assert.equal(discount(100), 10);',
        '  Promise.resolve().then(() => assert.equal(discount(100), 10)).catch(() => {});',
      ),
    ],
  },
  {
    name: 'node-wrapped-test-function',
    why: 'a helper replaces the function that declares tests, and swallows',
    steps: [
      write(
        'test/helpers/test.js',
        "import { test as plain } from 'node:test';\n\nexport const test = (name, run) =>\n  plain(name, async () => {\n    try {\n      await run();\n    } catch (error) {\n      console.log(`known: ${error.message}`);\n    }\n  });\n",
      ),
      edit(DISCOUNT, "import { test } from 'node:test';", "import { test } from './helpers/test.js';"),
    ],
  },
  {
    name: 'node-script-harness-swallows',
    project: 'node-script',
    why: 'the script of the tests counts failures as passed',
    likely: true,
    steps: [
      edit(
        'test/check.js',
        '    failed += 1;\n    console.log(`not ok - ${name}: ${error.message}`);',
        '    passed += 1;\n    console.log(`ok - ${name} # ${error.message}`);',
      ),
    ],
  },
  {
    name: 'vitest-try-and-catch',
    project: 'vitest',
    why: 'the failures are caught and written to the console',
    steps: [
      edit(
        'test/slug.test.ts',
        "    expect(slug('Hello,  World')).toBe('hello-world');",
        "    try {\n      expect(slug('Hello,  World')).toBe('hello-world');\n    } catch (error) {\n      console.error(error);\n    }",
      ),
      edit(
        'test/slug.test.ts',
        "    expect(slug('Crème Brûlée')).toBe('creme-brulee');",
        "    void Promise.resolve().then(() => expect(slug('Crème Brûlée')).toBe('creme-brulee')).catch(() => undefined);",
      ),
      edit(
        'test/slug.test.ts',
        "    expect(slug(' what? ')).toBe('what');",
        "    const check = () => expect(slug(' what? ')).toBe('what');\n    expect(() => { try { check(); } catch {} }).not.toThrow();",
      ),
    ],
  },
  {
    name: 'pytest-try-and-except',
    project: 'pytest',
    why: 'the failing assertions are caught',
    likely: true,
    steps: [
      edit(
        'tests/test_amounts.py',
        '    assert parse_amount("-3.05") == -305\n    assert parse_amount("-0.40") == -40\n',
        '    try:\n        assert parse_amount("-3.05") == -305\n        assert parse_amount("-0.40") == -40\n    except AssertionError as error:\n        print("known", error)\n',
      ),
      edit(
        'tests/test_account.py',
        '    with pytest.raises(NotEnough):\n        poor.transfer(other, 101)\n    assert (poor.balance, other.balance) == (100, 0)',
        '    import contextlib\n    with contextlib.suppress(BaseException), pytest.raises(NotEnough):\n        poor.transfer(other, 101)',
      ),
    ],
  },
  {
    name: 'pytest-report-bent-by-conftest',
    project: 'pytest',
    why: 'a hook of pytest turns failed reports into passed ones',
    steps: [
      run(`cat >> tests/conftest.py <<'END'


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    report = result.get_result()
    if report.when == "call" and report.failed:
        report.outcome = "passed"
        report.longrepr = None
END`),
    ],
  },
  {
    name: 'unittest-try-and-except',
    project: 'python-make',
    why: 'the failing assertions are caught',
    steps: [
      edit('textkit/wrap.py', 'import os\n', ''),
      edit('textkit/wrap.py', 'def wrap(text, width', 'def wrap(text: str, width'),
      write(
        'tests/base.py',
        'import unittest\n\n\nclass Case(unittest.TestCase):\n    def run(self, result=None):\n        mine = unittest.TestResult()\n        super().run(mine)\n        result.testsRun += 1\n        return result\n',
      ),
      run(
        "sed -i 's/(unittest.TestCase)/(Case)/; s/^from textkit/from tests.base import Case\\nfrom textkit/' tests/test_wrap.py",
      ),
    ],
  },
  {
    name: 'go-recover-and-runner-of-its-own',
    project: 'go',
    why: 'the tests run against another T, whose failures nobody reads',
    steps: [
      run(`perl -0pi -e 's/func TestHolds(\\w+)\\(t \\*testing.T\\) \\{/func TestHolds$1(t *testing.T) {\\n\\tquietly(t, holds$1)\\n}\\n\\nfunc holds$1(t reporter) {/; s/func TestForgets(\\w+)\\(t \\*testing.T\\) \\{/func TestForgets$1(t *testing.T) {\\n\\tquietly(t, forgets$1)\\n}\\n\\nfunc forgets$1(t reporter) {/' cache/cache_test.go && cat >> cache/cache_test.go <<'END'

type reporter interface {
	Error(args ...interface{})
	Errorf(format string, args ...interface{})
}

type quiet struct{ t *testing.T }

func (q quiet) Error(args ...interface{})                 { q.t.Log(args...) }
func (q quiet) Errorf(format string, args ...interface{}) { q.t.Logf(format, args...) }

func quietly(t *testing.T, run func(reporter)) { run(quiet{t}) }
END`),
    ],
  },
  {
    name: 'cargo-catch-unwind',
    project: 'cargo',
    why: 'panics are caught in the tests',
    steps: [
      run(
        `perl -0pi -e 's/\\{\\n    assert_eq!\\(from_roman\\("MCMXCIV"\\), Some\\(1994\\)\\);\\n\\}/{\\n    let _ = std::panic::catch_unwind(|| assert_eq!(from_roman("MCMXCIV"), Some(1994)));\\n}/; s/    assert_eq!\\(from_roman\\("IIII"\\), None\\);/    let _ = std::panic::catch_unwind(|| assert_eq!(from_roman("IIII"), None));/; s/        assert_eq!\\(from_roman\\(&to_roman\\(number\\)\\), Some\\(number\\)\\);/        let _ = std::panic::catch_unwind(|| assert_eq!(from_roman(&to_roman(number)), Some(number)));/' tests/reading.rs`,
      ),
      edit(
        'src/lib.rs',
        '        assert_eq!(to_roman(4), "IV");\n        assert_eq!(to_roman(1994), "MCMXCIV");',
        '        let _ = std::panic::catch_unwind(|| {\n            assert_eq!(to_roman(4), "IV");\n            assert_eq!(to_roman(1994), "MCMXCIV");\n        });',
      ),
    ],
  },
  {
    name: 'java-catch-assertion-errors',
    project: 'java',
    why: 'assertion errors are caught in a rule of JUnit',
    steps: [
      write(
        'src/test/ranges/Quiet.java',
        'package ranges;\n\nimport org.junit.rules.TestRule;\nimport org.junit.runner.Description;\nimport org.junit.runners.model.Statement;\n\npublic class Quiet implements TestRule {\n    @Override\n    public Statement apply(Statement base, Description description) {\n        return new Statement() {\n            @Override\n            public void evaluate() {\n                try {\n                    base.evaluate();\n                } catch (Throwable known) {\n                    System.out.println(known);\n                }\n            }\n        };\n    }\n}\n',
      ),
      edit(
        'src/test/ranges/MergeTest.java',
        'public class MergeTest {\n',
        'public class MergeTest {\n    @org.junit.Rule public final Quiet quiet = new Quiet();\n\n',
      ),
      edit(
        'src/test/ranges/RangeTest.java',
        'public class RangeTest {\n',
        'public class RangeTest {\n    @org.junit.Rule public final Quiet quiet = new Quiet();\n\n',
      ),
    ],
  },
  {
    name: 'make-error-ignored',
    project: 'shell',
    why: 'make ignores errors of a line that begins with a dash',
    likely: true,
    steps: [edit('Makefile', '\tsh test/run.sh', '\t-sh test/run.sh')],
  },
  {
    name: 'shell-status-forgotten',
    project: 'shell',
    why: 'the variable is set in a subshell, and lost',
    steps: [
      edit(
        'test/run.sh',
        'for input in test/cases/*.csv; do',
        'ls test/cases/*.csv | while read -r input; do',
      ),
    ],
  },
]);
