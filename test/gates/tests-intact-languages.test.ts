import { describe, expect, test } from 'vitest';
import { findWeakenings } from '../../src/gates/tests_intact/index.ts';

/** What, the file then, the file now, ids of the findings. */
type Row = [what: string, before: string, after: string, ids: string[]];

function idsOf(path: string, before: string, after: string): string[] {
  return findWeakenings([{ from: path, to: path, before, after }]).map(({ id }) => id.replace(path, '*'));
}

const JS = `import { test, expect, describe } from 'vitest';
describe('math', () => {
  test('adds', () => {
    expect(add(1, 2)).toBe(3);
    expect(add(0, 0)).toBe(0);
  });
  it('divides', async () => {
    await expect(divide(1, 0)).rejects.toThrow('zero');
  });
});
`;

describe('JavaScript and TypeScript', () => {
  const edit = (...changes: [from: string, to: string][]) =>
    changes.reduce((text, [from, to]) => {
      expect(text).toContain(from);
      return text.replace(from, to);
    }, JS);

  test.each<[what: string, after: () => string, ids: string[]]>([
    ['nothing changed', () => JS, []],
    ['.skip', () => edit(["test('adds'", "test.skip('adds'"]), ['skip:*:adds']],
    ['.only', () => edit(["it('divides'", "it.only('divides'"]), ['only:*:divides']],
    [
      '.todo instead of a body',
      () => edit([/test\('adds'[\s\S]*?\}\);/.exec(JS)?.[0] ?? '', "test.todo('adds');"]),
      ['skip:*:adds', 'emptied:*:adds'],
    ],
    ['.fails', () => edit(["it('divides'", "it.fails('divides'"]), ['xfail:*:divides']],
    ['xit', () => edit(["it('divides'", "xit('divides'"]), ['skip:*:divides']],
    ['a chain', () => edit(["it('divides'", "it.concurrent.skip('divides'"]), ['skip:*:divides']],
    ['skipIf', () => edit(["it('divides'", "it.skipIf(true)('divides'"]), ['skip:*:divides']],
    ['an option', () => edit(["'divides', async", "'divides', { skip: true }, async"]), ['skip:*:divides']],
    ['describe.skip', () => edit(["describe('math'", "describe.skip('math'"]), ['skip:*:math']],
    ['a skip inside', () => edit(['async () => {', 'async (t) => { t.skip();']), ['skip:*:divides']],
    [
      'an emptied test',
      () => edit([`\n    expect(add(1, 2)).toBe(3);\n    expect(add(0, 0)).toBe(0);\n  `, '']),
      ['emptied:*:adds'],
    ],
    [
      'a test that returns at once',
      () => edit(['expect(add(1', 'return;\n    expect(add(1']),
      ['emptied:*:adds'],
    ],
    [
      'a removed test',
      () => edit([/ {2}it\('divides'[\s\S]*?\}\);\n/.exec(JS)?.[0] ?? '', '']),
      ['removed:*:divides'],
    ],
    [
      'a test in a comment',
      () => edit(["it('divides'", "/* it('divides'"], ["'zero');\n  });", "'zero');\n  }); */"]),
      ['removed:*:divides'],
    ],
    ['a lost assertion', () => edit(['    expect(add(0, 0)).toBe(0);\n', '']), ['assertions:*:adds']],
    ['an assertion in a comment', () => edit(['expect(add(0', '// expect(add(0']), ['assertions:*:adds']],
    [
      'an assertion that says nothing',
      () => edit(['expect(add(1, 2)).toBe(3)', 'expect(true).toBe(true)']),
      ['assertions:*:adds'],
    ],
    [
      'a condition that is always true',
      () => edit(['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2) === 3 || true).toBe(true)']),
      ['assertions:*:adds'],
    ],
    [
      'a looser matcher',
      () => edit(['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2)).toBeDefined()']),
      ['weaker:*:adds'],
    ],
    ['another expected value', () => edit(['toBe(3)', 'toBe(4)']), []],
    ['a stricter matcher', () => edit(['toBe(3)', 'toStrictEqual(3)']), []],
    ['a renamed test', () => edit(["'adds'", "'adds two numbers'"]), []],
    ['renamed identifiers', () => edit(['add(1, 2)', 'sum(1, 2)'], ['add(0, 0)', 'sum(0, 0)']), []],
    [
      'a test split in two',
      () =>
        edit([
          '    expect(add(0, 0)).toBe(0);\n  });',
          "  });\n  test('adds nothing', () => {\n    expect(add(0, 0)).toBe(0);\n  });",
        ]),
      [],
    ],
    [
      'an assertion moved into a helper',
      () =>
        edit(
          ["describe('math'", "function checkZero() {\n  expect(add(0, 0)).toBe(0);\n}\ndescribe('math'"],
          ['    expect(add(0, 0)).toBe(0);\n  });', '    checkZero();\n  });'],
        ),
      [],
    ],
    [
      'an added test',
      () =>
        edit(["  it('divides'", "  it('subtracts', () => { expect(1).toBe(sub(2, 1)); });\n  it('divides'"]),
      [],
    ],
    [
      'comments and layout',
      () => edit(["  test('adds', () => {", "  // about it.skip('adds')\n  test(\n    'adds',\n    () => {"]),
      [],
    ],
    ['words in strings', () => edit(["'zero'", '"it.skip(\'x\') and debugger"']), []],
    ['a timeout', () => edit(["'zero');\n  });", "'zero');\n  }, 10_000);"]), []],
  ])('%s', (_what, after, ids) => {
    expect(idsOf('test/math.test.ts', JS, after())).toEqual(ids);
  });

  const tagged = (...rows: string[]) =>
    ['test.each`', 'a | b', ...rows, '`("x", () => { expect(f()).toBe(1); });']
      .join('\n')
      .replaceAll('@', '$');
  const table = (rows: string) => `test.each([${rows}])('%s', (a, b) => { expect(f(a)).toBe(b); });\n`;

  test.each<Row>([
    ['a row that is gone', table('[1, 2], [3, 4], [5, [6, 7]]'), table('[1, 2], [3, 4]'), ['cases:*:%s']],
    ['more rows', table('[1, 2]'), table('[1, 2], [3, 4]'), []],
    ['a template', tagged('@{1} | @{2}', '@{3} | @{4}'), tagged('@{1} | @{2}'), ['cases:*:x']],
    [
      'assert',
      "it('a', () => { assert.equal(f(), 1); assert(g()); });",
      "it('a', () => { assert.equal(f(), 1); });",
      ['assertions:*:a'],
    ],
    [
      'assert that says nothing',
      "it('a', () => { assert.equal(f(), 1); });",
      "it('a', () => { assert.ok(true); });",
      ['assertions:*:a'],
    ],
    ['chai', "it('a', () => { f().should.equal(1); });", "it('a', () => { f(); });", ['assertions:*:a']],
    ['AVA', "test('a', (t) => { t.is(f(), 1); });", "test('a', (t) => { t.pass(); f(); });", []],
    [
      'JSX and regular expressions',
      `it('a', () => { render(<p>Don't</p>); expect(x).toMatch(/it\\('b'/); });`,
      `it('a', () => { render(<p>Don't</p>); expect(x).toMatch(/it\\('c'/); });`,
      [],
    ],
    [
      'hooks are no tests',
      "test.beforeEach(() => { expect(1).toBe(f()); });\nit('a', () => { expect(f()).toBe(1); });",
      "it('a', () => { expect(f()).toBe(1); });",
      ['assertions:*'],
    ],
    [
      'a skip that was there',
      "it.skip('a', () => { expect(f()).toBe(1); });",
      "it.skip('a', () => { expect(f()).toBe(2); });",
      [],
    ],
    [
      'a skip that was taken away',
      "it.skip('a', () => { expect(f()).toBe(1); });",
      "it('a', () => { expect(f()).toBe(1); });",
      [],
    ],
    [
      'a name with quotes',
      `it("it's", () => { expect(f()).toBe(1); });`,
      `it.skip("it's", () => { expect(f()).toBe(1); });`,
      ["skip:*:it's"],
    ],
  ])('%s', (_what, before, after, ids) => {
    expect(idsOf('src/a.spec.tsx', before, after)).toEqual(ids);
  });
});

describe('Python', () => {
  const PY = `import pytest

class TestMath:
    def test_adds(self):
        """Adds."""
        assert add(1, 2) == 3
        assert add(0, 0) == 0

    @pytest.mark.parametrize("a,b", [(1, 2), (3, 4), (5, 6)])
    def test_table(self, a, b):
        assert f(a) == b

def test_raises():
    with pytest.raises(ValueError):
        divide(1, 0)
`;
  const edit = (from: string, to: string) => {
    expect(PY).toContain(from);
    return PY.replace(from, to);
  };

  test.each<[what: string, after: () => string, ids: string[]]>([
    ['nothing changed', () => PY, []],
    [
      'skip',
      () => edit('def test_raises', '@pytest.mark.skip(reason="x")\ndef test_raises'),
      ['skip:*:test_raises'],
    ],
    [
      'skipif',
      () => edit('    def test_adds', '    @pytest.mark.skipif(True, reason="x")\n    def test_adds'),
      ['skip:*:test_adds'],
    ],
    [
      'unittest.skip on a class',
      () => edit('class TestMath', '@unittest.skip("x")\nclass TestMath'),
      ['skip:*:TestMath'],
    ],
    ['xfail', () => edit('def test_raises', '@pytest.mark.xfail\ndef test_raises'), ['xfail:*:test_raises']],
    [
      'a skip inside',
      () => edit('    with pytest', '    pytest.skip("later")\n    with pytest'),
      ['skip:*:test_raises'],
    ],
    [
      'the whole file',
      () => edit('import pytest\n', 'import pytest\npytestmark = pytest.mark.skip\n'),
      ['skip:*:pytestmark = pytest.mark.skip'],
    ],
    [
      'an emptied test',
      () => edit('assert add(1, 2) == 3\n        assert add(0, 0) == 0', 'pass'),
      ['emptied:*:test_adds'],
    ],
    [
      'a removed test',
      () => edit('def test_raises():\n    with pytest.raises(ValueError):\n        divide(1, 0)\n', ''),
      ['removed:*:test_raises'],
    ],
    [
      'a name that is not collected',
      () => edit('def test_raises', 'def _test_raises'),
      ['removed:*:test_raises'],
    ],
    ['a lost assertion', () => edit('        assert add(0, 0) == 0\n', ''), ['assertions:*:test_adds']],
    [
      'an assertion in a string',
      () =>
        edit('        assert add(0, 0) == 0\n', '        """\n        assert add(0, 0) == 0\n        """\n'),
      ['assertions:*:test_adds'],
    ],
    [
      'an assertion that says nothing',
      () => edit('assert add(1, 2) == 3', 'assert True'),
      ['assertions:*:test_adds'],
    ],
    [
      'or True',
      () => edit('assert add(1, 2) == 3', 'assert add(1, 2) == 3 or True'),
      ['assertions:*:test_adds'],
    ],
    [
      'a looser assertion',
      () => edit('assert add(1, 2) == 3', 'assert add(1, 2) is not None'),
      ['weaker:*:test_adds'],
    ],
    ['a row that is gone', () => edit(', (5, 6)]', ']'), ['cases:*:test_table']],
    ['another value', () => edit('== 3', '== 4'), []],
    ['a renamed test', () => edit('test_adds', 'test_adds_numbers'), []],
    ['an added test', () => `${PY}\ndef test_more():\n    assert more() == 1\n`, []],
    [
      'a docstring about skipping',
      () => edit('"""Adds."""', '"""Not @pytest.mark.skip: pytest.skip() is meant."""'),
      [],
    ],
  ])('%s', (_what, after, ids) => {
    expect(idsOf('tests/test_math.py', PY, after())).toEqual(ids);
  });

  const UNITTEST = `class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(f(
            1,
        ), 2)
        self.assertTrue(g())
`;

  test.each<Row>([
    ['unittest', UNITTEST, UNITTEST.replace('        self.assertTrue(g())\n', ''), ['assertions:*:test_a']],
    [
      'unittest that says nothing',
      UNITTEST,
      UNITTEST.replace('assertTrue(g())', 'assertTrue(True)'),
      ['assertions:*:test_a'],
    ],
    [
      'expectedFailure',
      UNITTEST,
      UNITTEST.replace('    def test_a', '    @unittest.expectedFailure\n    def test_a'),
      ['xfail:*:test_a'],
    ],
    [
      'skipTest',
      UNITTEST,
      UNITTEST.replace('(self):\n', '(self):\n        self.skipTest("x")\n'),
      ['skip:*:test_a'],
    ],
  ])('%s', (_what, before, after, ids) => {
    expect(idsOf('test_a.py', before, after)).toEqual(ids);
  });
});

describe('Go', () => {
  const GO = `package math

import "testing"

func TestAdd(t *testing.T) {
	tests := []struct {
		a, b int
	}{
		{1, 2},
		{3, 4},
	}
	for _, tc := range tests {
		if Add(tc.a) != tc.b {
			t.Errorf("got %d", tc.a)
		}
	}
	require.NoError(t, err)
}

func TestRun(t *testing.T) {
	t.Run("one", func(t *testing.T) { assert.Equal(t, 1, One()) })
	t.Run("two", func(t *testing.T) { assert.Equal(t, 2, Two()) })
}
`;
  const edit = (from: string, to: string) => {
    expect(GO).toContain(from);
    return GO.replace(from, to);
  };

  test.each<[what: string, after: () => string, ids: string[]]>([
    ['nothing changed', () => GO, []],
    ['t.Skip', () => edit('{\n\ttests', '{\n\tt.Skip("flaky")\n\ttests'), ['skip:*:TestAdd']],
    ['short runs', () => edit('{\n\ttests', '{\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n\ttests'), []],
    ['a build tag', () => `//go:build integration\n\n${GO}`, ['skip:*://go:build integration']],
    ['a lost assertion', () => edit('\trequire.NoError(t, err)\n', ''), ['assertions:*:TestAdd']],
    [
      'an assertion that says nothing',
      () => edit('require.NoError(t, err)', 'require.True(t, true)'),
      ['assertions:*:TestAdd'],
    ],
    ['a row that is gone', () => edit('\t\t{3, 4},\n', ''), ['cases:*:TestAdd']],
    [
      'a subtest that is gone',
      () => edit('\tt.Run("two", func(t *testing.T) { assert.Equal(t, 2, Two()) })\n', ''),
      ['assertions:*:TestRun'],
    ],
    ['a removed test', () => GO.slice(0, GO.indexOf('func TestRun')), ['removed:*:TestRun']],
    ['a name that is not run', () => edit('func TestRun', 'func testRun'), ['removed:*:TestRun']],
    [
      'an emptied test',
      () => `${GO.slice(0, GO.indexOf('func TestRun'))}func TestRun(t *testing.T) {\n}\n`,
      ['emptied:*:TestRun'],
    ],
    ['an added test', () => `${GO}func TestMore(t *testing.T) { t.Fatal(1) }\n`, []],
    ['a comment', () => edit('func TestRun', '// t.Skip() is not called\nfunc TestRun'), []],
  ])('%s', (_what, after, ids) => {
    expect(idsOf('math/add_test.go', GO, after())).toEqual(ids);
  });
});

describe('Rust', () => {
  const RS = `pub fn add(a: i32, b: i32) -> i32 { assert!(a < 9); a + b }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        let c = '\\'';
        assert_eq!(add(1, 2), 3);
        assert!(add(0, 0) == 0, "zero");
    }

    #[tokio::test]
    async fn waits() {
        assert_eq!(wait().await, r#"a "quoted" }"#);
    }
}
`;
  const edit = (from: string, to: string) => {
    expect(RS).toContain(from);
    return RS.replace(from, to);
  };

  test.each<[what: string, after: () => string, ids: string[]]>([
    ['nothing changed', () => RS, []],
    ['#[ignore]', () => edit('#[test]\n', '#[test]\n    #[ignore = "slow"]\n'), ['skip:*:adds']],
    ['#[cfg_attr]', () => edit('#[test]\n', '#[test]\n    #[cfg_attr(all(), ignore)]\n'), ['skip:*:adds']],
    ['#[should_panic]', () => edit('#[test]\n', '#[test]\n    #[should_panic]\n'), ['xfail:*:adds']],
    ['a lost assertion', () => edit('        assert!(add(0, 0) == 0, "zero");\n', ''), ['assertions:*:adds']],
    [
      'an assertion that says nothing',
      () => edit('assert_eq!(add(1, 2), 3)', 'assert!(true)'),
      ['assertions:*:adds'],
    ],
    ['without its attribute', () => edit('    #[test]\n', ''), ['removed:*:adds']],
    ['an emptied test', () => edit('assert_eq!(wait().await, r#"a "quoted" }"#);', ''), ['emptied:*:waits']],
    ['all tests gone', () => RS.slice(0, RS.indexOf('#[cfg')), ['removed:*:adds', 'removed:*:waits']],
    ['code changed, tests did not', () => edit('a + b', 'b + a'), []],
    ['an assertion of the code', () => edit('assert!(a < 9); ', ''), []],
    ['a renamed test', () => edit('fn adds', 'fn adds_numbers'), []],
  ])('%s', (_what, after, ids) => {
    expect(idsOf('src/lib.rs', RS, after())).toEqual(ids);
  });

  test('a file without tests is none', () => {
    expect(idsOf('src/main.rs', 'fn main() { assert!(true); }', 'fn main() {}')).toEqual([]);
  });

  test('cases of a table', () => {
    const rows = (n: number) =>
      `#[rstest]\n${'#[case(1)]\n'.repeat(n)}fn f(#[case] a: i32) { assert_eq!(g(a), 1); }`;
    expect(idsOf('tests/a.rs', rows(3), rows(2))).toEqual(['cases:*:f']);
  });
});

describe('Java', () => {
  const JAVA = `package x;

class MathTest {
    @Test
    void adds() throws Exception {
        assertEquals(3, add(1, 2));
        assertThat(add(0, 0)).isEqualTo(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void positive(int n) {
        assertTrue(n > 0);
    }
}
`;
  const edit = (from: string, to: string) => {
    expect(JAVA).toContain(from);
    return JAVA.replace(from, to);
  };

  test.each<[what: string, after: () => string, ids: string[]]>([
    ['nothing changed', () => JAVA, []],
    ['@Disabled', () => edit('    @Test\n', '    @Disabled("x")\n    @Test\n'), ['skip:*:adds']],
    [
      '@Disabled on the class',
      () => edit('class MathTest', '@Disabled\nclass MathTest'),
      ['skip:*:MathTest'],
    ],
    ['enabled = false', () => edit('@Test\n', '@Test(enabled = false)\n'), ['skip:*:adds']],
    [
      'an assumption',
      () => edit('        assertEquals', '        assumeTrue(false);\n        assertEquals'),
      ['skip:*:adds'],
    ],
    ['an expected exception', () => edit('@Test\n', '@Test(expected = Exception.class)\n'), ['xfail:*:adds']],
    [
      'a lost assertion',
      () => edit('        assertThat(add(0, 0)).isEqualTo(0);\n', ''),
      ['assertions:*:adds'],
    ],
    [
      'an assertion that says nothing',
      () => edit('assertEquals(3, add(1, 2))', 'assertTrue(true)'),
      ['assertions:*:adds'],
    ],
    [
      'a looser assertion',
      () => edit('assertEquals(3, add(1, 2))', 'assertNotNull(add(1, 2))'),
      ['weaker:*:adds'],
    ],
    ['a row that is gone', () => edit('{1, 2, 3}', '{1, 2}'), ['cases:*:positive']],
    ['without its annotation', () => edit('    @Test\n', ''), ['removed:*:adds']],
    ['an emptied test', () => edit('assertTrue(n > 0);', '// later'), ['emptied:*:positive']],
    ['a renamed test', () => edit('void adds', 'void addsNumbers'), []],
    ['another value', () => edit('assertEquals(3', 'assertEquals(4'), []],
  ])('%s', (_what, after, ids) => {
    expect(idsOf('src/test/java/x/MathTest.java', JAVA, after())).toEqual(ids);
  });
});
