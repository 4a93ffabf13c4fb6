import { describe, expect, test } from 'vitest';
import { differingLines, fileOf, formOf, isSameForm } from '../../../../src/engine/core/proof/test-forms.ts';

const JS = `import { test } from 'node:test';

describe('cart', () => {
  test('adds', () => {
    equal(add(1, 2), 3);
  });

  it.each([
    [1, 2],
  ])("doubles", (a, b) => {
    equal(2 * a, b);
  });
});
`;
const PYTHON = `import pytest


class TestCart:
    @pytest.mark.parametrize("a", [1])
    def test_adds(
        self, a
    ):
        assert add(a) == 2

    def test_other(self):
        pass
`;
const GO =
  'package a\n\nfunc TestAdd(t *testing.T) {\n\tif add(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestOther(t *testing.T) {}\n';
const RUST =
  '#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    #[ignore]\n    fn adds() {\n        assert_eq!(add(1), 2);\n    }\n}\n';
const JAVA =
  'class CartTest {\n  @Test\n  void adds()\n  {\n    assertEquals(2, add(1));\n  }\n\n  @Test\n  void other() {}\n}\n';

describe('a test is found by the name that its runner gives it', () => {
  test.each<[string, string, string, number, number]>([
    ['test/cart.test.js > cart > adds', 'test/cart.test.js', JS, 4, 3],
    ['tests.test_cart.TestCart > test_adds[1]', 'tests/test_cart.py', PYTHON, 5, 5],
    ['example.com/shop/a > TestAdd/two', 'a/a_test.go', GO, 3, 5],
    ['src/lib.rs > tests::adds', 'src/lib.rs', RUST, 5, 5],
    ['com.shop.CartTest > adds()', 'src/test/java/com/shop/CartTest.java', JAVA, 2, 5],
  ])('%s', (name, path, text, line, count) => {
    const form = formOf(
      name,
      new Map([
        ['other.txt', ''],
        [path, text],
      ]),
    );
    expect(form).toMatchObject({ path, line });
    expect(form?.lines).toHaveLength(count);
    expect(fileOf(name, ['docs/x.md', path])).toBe(path);
  });

  test('and nothing is found where there is none', () => {
    expect(formOf('test/a.test.js > subtracts', new Map([['test/a.test.js', JS]]))).toBeUndefined();
    expect(fileOf('everything', ['test/a.test.js'])).toBeUndefined();
  });
});

test('only the lines that differ are shown, white space aside', () => {
  const one = (text: string) => formOf('a > adds', new Map([['a', text]]));
  const [then, now] = [one(JS), one(JS.replace('3)', '4)'))];
  expect(differingLines(then, now)).toEqual(['- equal(add(1, 2), 3);', '+ equal(add(1, 2), 4);']);
  expect(isSameForm(then, one(JS.replace(/^ {2}/gm, '\t')))).toBe(true);
  expect(isSameForm(then, undefined)).toBe(false);
});
