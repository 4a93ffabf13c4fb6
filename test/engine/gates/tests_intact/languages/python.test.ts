import { describe, expect, test } from 'vitest';
import { idsOf, type SourceRow } from '../../../../support/gates/weakenings.ts';

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
    ['a lost assertion', () => edit('        assert add(0, 0) == 0\n', ''), ['(assertions:*:test_adds)']],
    [
      'an assertion in a string',
      () =>
        edit('        assert add(0, 0) == 0\n', '        """\n        assert add(0, 0) == 0\n        """\n'),
      ['(assertions:*:test_adds)'],
    ],
    [
      'an assertion that says nothing',
      () => edit('assert add(1, 2) == 3', 'assert True'),
      ['(assertions:*:test_adds)'],
    ],
    [
      'or True',
      () => edit('assert add(1, 2) == 3', 'assert add(1, 2) == 3 or True'),
      ['(assertions:*:test_adds)'],
    ],
    ['another value', () => edit('== 3', '== 4'), []],
    ['a renamed test', () => edit('test_adds', 'test_adds_numbers'), []],
    ['an added test', () => `${PY}\ndef test_more():\n    assert more() == 1\n`, []],
    [
      'a docstring about skipping',
      () => edit('"""Adds."""', '"""Not @pytest.mark.skip: pytest.skip() is meant."""'),
      [],
    ],
  ])('%s', async (_what, after, ids) => {
    expect(await idsOf('tests/test_math.py', PY, after())).toEqual(ids);
  });

  const UNITTEST = `class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(f(
            1,
        ), 2)
        self.assertTrue(g())
`;

  test.each<SourceRow>([
    ['unittest', UNITTEST, UNITTEST.replace('        self.assertTrue(g())\n', ''), ['(assertions:*:test_a)']],
    [
      'unittest that says nothing',
      UNITTEST,
      UNITTEST.replace('assertTrue(g())', 'assertTrue(True)'),
      ['(assertions:*:test_a)'],
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
  ])('%s', async (_what, before, after, ids) => {
    expect(await idsOf('test_a.py', before, after)).toEqual(ids);
  });
});
