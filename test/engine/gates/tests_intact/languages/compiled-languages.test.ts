import { describe, expect, test } from 'vitest';
import { idsOf } from '../../../../support/gates/weakenings.ts';

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
    ['a lost assertion', () => edit('\trequire.NoError(t, err)\n', ''), ['(assertions:*:TestAdd)']],
    [
      'an assertion that says nothing',
      () => edit('require.NoError(t, err)', 'require.True(t, true)'),
      ['(assertions:*:TestAdd)'],
    ],
    [
      'a subtest that is gone',
      () => edit('\tt.Run("two", func(t *testing.T) { assert.Equal(t, 2, Two()) })\n', ''),
      ['removed:*:two'],
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
  ])('%s', async (_what, after, ids) => {
    expect(await idsOf('math/add_test.go', GO, after())).toEqual(ids);
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
    [
      'a lost assertion',
      () => edit('        assert!(add(0, 0) == 0, "zero");\n', ''),
      ['(assertions:*:adds)'],
    ],
    [
      'an assertion that says nothing',
      () => edit('assert_eq!(add(1, 2), 3)', 'assert!(true)'),
      ['(assertions:*:adds)'],
    ],
    ['without its attribute', () => edit('    #[test]\n', ''), ['removed:*:adds']],
    ['an emptied test', () => edit('assert_eq!(wait().await, r#"a "quoted" }"#);', ''), ['emptied:*:waits']],
    ['all tests gone', () => RS.slice(0, RS.indexOf('#[cfg')), ['removed:*:adds', 'removed:*:waits']],
    ['code changed, tests did not', () => edit('a + b', 'b + a'), []],
    ['an assertion of the code', () => edit('assert!(a < 9); ', ''), []],
    ['a renamed test', () => edit('fn adds', 'fn adds_numbers'), []],
  ])('%s', async (_what, after, ids) => {
    expect(await idsOf('src/lib.rs', RS, after())).toEqual(ids);
  });

  test('a file without tests is none', async () => {
    expect(await idsOf('src/main.rs', 'fn main() { assert!(true); }', 'fn main() {}')).toEqual([]);
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
      ['(assertions:*:adds)'],
    ],
    [
      'an assertion that says nothing',
      () => edit('assertEquals(3, add(1, 2))', 'assertTrue(true)'),
      ['(assertions:*:adds)'],
    ],
    ['without its annotation', () => edit('    @Test\n', ''), ['removed:*:adds']],
    ['an emptied test', () => edit('assertTrue(n > 0);', '// later'), ['emptied:*:positive']],
    ['a renamed test', () => edit('void adds', 'void addsNumbers'), []],
    ['another value', () => edit('assertEquals(3', 'assertEquals(4'), []],
  ])('%s', async (_what, after, ids) => {
    expect(await idsOf('src/test/java/x/MathTest.java', JAVA, after())).toEqual(ids);
  });
});
