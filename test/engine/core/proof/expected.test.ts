import { describe, expect, test } from 'vitest';
import { withOtherExpectations } from '../../../../src/engine/core/proof/expected.ts';

const script = (line: string) => `test('it', () => {\n  ${line}\n});\n`;
const python = (line: string) => `def test_it():\n    ${line}\n`;
const go = (line: string) => `func TestIt(t *testing.T) {\n\t${line}\n}\n`;

function spoiled(path: string, text: string, name: string): string | undefined {
  return withOtherExpectations(path, text, [name])?.text.split('\n')[1]?.trim();
}

describe('expected values become other ones', () => {
  test.each([
    ['assert.equal(add(1, 2), 3);', 'assert.equal(add(1, 2), 4);'],
    ['assert.deepEqual(all(), [1, 2]);', "assert.deepEqual(all(), ['something else']);"],
    ["expect(name()).toBe('a, b');", "expect(name()).toBe('a, b or not');"],
    ['expect(add(1, 2)).to.equal(-1.5);', 'expect(add(1, 2)).to.equal(-1.51);'],
    ['expect(isIt()).toEqual(true)', 'expect(isIt()).toEqual(false)'],
    ['assert.strictEqual(null, f());', "assert.strictEqual('something else', f());"],
  ])('in scripts: %s', (line, other) => {
    expect(spoiled('a.test.js', script(line), 'a.test.js > it')).toBe(other);
  });

  test.each([
    ['assert add(1, 2) == 3', 'assert add(1, 2) == 4'],
    ['assert name() == "x", "a name"', 'assert name() == "x or not", "a name"'],
    ['self.assertEqual(f(1), None)', "self.assertEqual(f(1), 'something else')"],
  ])('in Python: %s', (line, other) => {
    expect(spoiled('test_a.py', python(line), 'test_a > test_it')).toBe(other);
  });

  test('in Go', () => {
    const line = 'if got := Add(1, 2); got != 3 {';
    expect(spoiled('a_test.go', go(line), 'shop > TestIt')).toBe('if got := Add(1, 2); got != 4 {');
  });

  test.each([
    script('expect(f()).not.toBe(3);'),
    script('assert.throws(() => assert.equal(f(), 3));'),
    script('assert.ok(f());'),
    script('assert.equal(f(), other());'),
  ])('not where another value may pass, too, or none is written: %j', (text) => {
    expect(withOtherExpectations('a.test.js', text, ['a.test.js > it'])).toBeUndefined();
  });

  test('in the tests that are named, and in no others', () => {
    const text = `${script('assert.equal(f(), 1);')}${script('assert.equal(f(), 2);').replace("'it'", "'that'")}`;
    const found = withOtherExpectations('a.test.js', text, ['a.test.js > that']);
    expect(found?.text).toBe(text.replace('2)', '3)'));
    expect([...(found?.tests ?? [])]).toEqual([['a.test.js > that', { line: 5, was: '2', is: '3' }]]);
  });
});
