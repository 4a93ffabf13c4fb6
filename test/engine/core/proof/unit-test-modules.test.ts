import { describe, expect, test } from 'vitest';
import { withoutUnitTests, withUnitTestsOf } from '../../../../src/engine/core/proof/unit-test-modules.ts';

const file = (code: string, tests: string) =>
  `${code}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    ${tests}\n}\n`;
const THEN = file('fn add(a: i32) -> i32 { a }', '#[test] fn adds() { assert_eq!(add(1), 2); }');
const NOW = file('fn add(a: i32) -> i32 { a + 0 }', '#[test] fn adds() { assert_eq!(add(1), 1); }');

describe('unit tests of Rust', () => {
  test('are laid back into the code of now, and the other way round', () => {
    expect(withUnitTestsOf('src/lib.rs', NOW, THEN)).toBe(
      file('fn add(a: i32) -> i32 { a + 0 }', '#[test] fn adds() { assert_eq!(add(1), 2); }'),
    );
    expect(withUnitTestsOf('src/lib.rs', THEN, NOW)).toContain('assert_eq!(add(1), 1)');
  });
  test('that were removed come back, and that are new vanish', () => {
    expect(withUnitTestsOf('src/lib.rs', 'fn add() {}\n', THEN)).toContain('fn adds()');
    expect(withUnitTestsOf('src/lib.rs', NOW, 'fn add() {}\n')).not.toContain('fn adds()');
  });
  test('that are the same change nothing', () => {
    expect(withUnitTestsOf('src/lib.rs', THEN.replace('{ a }', '{ a + 1 }'), THEN)).toBeUndefined();
    expect(withUnitTestsOf('src/lib.rs', 'fn a() {}', 'fn b() {}')).toBeUndefined();
    expect(withUnitTestsOf('src/lib.py', THEN, NOW)).toBeUndefined();
  });
  test('are found between other code, with braces in texts', () => {
    const text = file('fn a() {}', 'fn x() { let s = "}"; let c = \'}\'; }').concat('\nfn after() {}\n');
    expect(withoutUnitTests('src/lib.rs', text)).toMatch(/^fn a\(\) \{\}\s+fn after\(\) \{\}$/);
  });
});
