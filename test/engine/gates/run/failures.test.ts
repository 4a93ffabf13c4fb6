import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { usefulLines } from '../../../../src/engine/gates/run/outcome.ts';
import { workMs } from '../../../support/work-time.ts';

const OUTPUTS = join(import.meta.dirname, '../../../fixtures/outputs');

function recorded(name: string): string {
  return readFileSync(join(OUTPUTS, `${name}.txt`), 'utf8');
}

/** What each tool's failure must be reduced to, in this order; the end of the output follows. */
const FIRST_LINES: Record<string, string[]> = {
  'node-test-tap': [
    'not ok 1 - adds prices',
    'at /home/dev/shop/nodetest/cart.test.js:5:3',
    'Expected values to be strictly equal: 3 !== 2',
    'not ok 1 - cart',
    'at /home/dev/shop/nodetest/cart.test.js:4:1',
    'not ok 2 - gives a discount',
    'at /home/dev/shop/nodetest/cart.test.js:8:1',
    'rate is not a number',
  ],
  'node-test-spec': [
    '✖ adds prices',
    'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
    '3 !== 2',
    'at TestContext.<anonymous> (/home/dev/shop/nodetest/cart.test.js:5:34)',
    '✖ cart',
    '✖ gives a discount',
    'TypeError [Error]: rate is not a number',
    'at exports.discount (/home/dev/shop/cart.js:2:35)',
    'test at nodetest/cart.test.js:5:3',
    'test at nodetest/cart.test.js:8:1',
  ],
  vitest: [
    '× adds prices',
    '× gives a discount',
    'FAIL vitesttest/cart.test.mjs > cart > adds prices',
    'AssertionError: expected 3 to be 2 // Object.is equality',
    '❯ vitesttest/cart.test.mjs:3:57',
    'FAIL vitesttest/cart.test.mjs > cart > gives a discount',
    'TypeError: rate is not a number',
    '❯ exports.discount cart.js:2:35',
    '❯ vitesttest/cart.test.mjs:5:34',
  ],
  jest: [
    'FAIL jesttest/cart.test.js',
    '✕ adds prices',
    '✕ gives a discount',
    '● cart › adds prices',
    'Expected: 2',
    'Received: 3',
    'at Object.toBe (jesttest/cart.test.js:3:57)',
    '● cart › gives a discount',
    'TypeError: rate is not a number',
    'at exports.discount (cart.js:2:35)',
  ],
  mocha: [
    '1) cart › adds prices',
    'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
    '3 !== 2',
    'at Context.<anonymous> (mochatest/cart.test.js:3:34)',
    '2) cart › gives a discount',
    'TypeError: rate is not a number',
    'at exports.discount (cart.js:2:35)',
  ],
  pytest: [
    'FAILED test_cart.py::test_adds - assert 3 == 2',
    'FAILED test_cart.py::TestCart::test_many[2] - assert 3 == ((2 + 1) + 2 == 2)',
    'ERROR test_cart.py::test_with_database - RuntimeError: no database',
    'E RuntimeError: no database',
    'test_cart.py:8: RuntimeError',
    'E assert 3 == 2',
    'E + where 3 = total([2])',
    'test_cart.py:5: AssertionError',
    'E assert 3 == ((2 + 1) + 2 == 2)',
    'test_cart.py:14: AssertionError',
  ],
  'python-unittest': [
    'ERROR: test_breaks (test_unit.CartTest.test_breaks)',
    'File "/home/dev/shop/test_unit.py", line 7, in test_breaks',
    "KeyError: 'price'",
    'FAIL: test_adds (test_unit.CartTest.test_adds)',
    'File "/home/dev/shop/test_unit.py", line 5, in test_adds',
    'AssertionError: 3 != 2',
  ],
  'go-test': [
    'cart_test.go:12: total = 3, want 2',
    '--- FAIL: TestTotal',
    'cart_test.go:25:',
    'Error: Not equal:',
    'expected: 9',
    'actual : 10',
    '--- FAIL: TestDiscount',
    '--- FAIL: TestDiscount/ten_percent',
    'FAIL example.com/shop/cart',
  ],
  'go-build': ['./cart.go:7:9: undefined: missing', './cart.go:9:2: declared and not used: unused'],
  'go-panic': [
    '--- FAIL: TestTotal',
    'panic: runtime error: index out of range [3] with length 2 [recovered]',
    'panic: runtime error: index out of range [3] with length 2',
    '/home/dev/shop/cart.go:8',
    '/home/dev/shop/cart_test.go:11 +0x1d',
  ],
  'cargo-test': [
    'test tests::adds_prices ... FAILED',
    "thread 'tests::adds_prices' panicked at src/lib.rs:7:9:",
    'assertion `left == right` failed',
    'left: 3',
    'right: 2',
  ],
  'cargo-build': [
    'src/lib.rs:1:21: error[E0308]: mismatched types',
    'src/lib.rs:2:25: error[E0425]: cannot find function `missing` in this scope',
  ],
  maven: [
    '[ERROR] CartTest.breaks <<< ERROR!',
    'java.lang.IllegalStateException: no database',
    'at CartTest.breaks(CartTest.java:8)',
    '[ERROR] CartTest.addsPrices <<< FAILURE!',
    'org.opentest4j.AssertionFailedError: expected: <2> but was: <3>',
    'at CartTest.addsPrices(CartTest.java:5)',
    '[ERROR] CartTest.addsPrices:5 expected: <2> but was: <3>',
    '[ERROR] CartTest.breaks:8 IllegalState no database',
  ],
  'maven-compile': [
    '[ERROR] /home/dev/shop/src/main/java/Cart.java:[2,11] incompatible types: java.lang.String cannot be converted to int',
  ],
  gradle: [
    'CartTest > addsPrices() FAILED',
    'org.opentest4j.AssertionFailedError at CartTest.java:5',
    'CartTest > breaks() FAILED',
    'java.lang.IllegalStateException at CartTest.java:8',
  ],
  tsc: [
    "bad.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    "bad.ts(2,41): error TS2339: Property 'foo' does not exist on type 'string'.",
  ],
  'tsc-pretty': [
    "bad.ts:1:7 - error TS2322: Type 'string' is not assignable to type 'number'.",
    "bad.ts:2:41 - error TS2339: Property 'foo' does not exist on type 'string'.",
  ],
  eslint: [
    "/home/dev/shop/lint/a.js:2:5 'x' is not defined no-undef",
    "/home/dev/shop/lint/a.js:2:7 Expected '===' and instead saw '==' eqeqeq",
    "/home/dev/shop/lint/a.js:2:15 'undefinedCall' is not defined no-undef",
    "/home/dev/shop/lint/b.js:2:1 Unexpected 'debugger' statement no-debugger",
  ],
  biome: [
    'a.js:1:1 lint/suspicious/noDebugger: This is an unexpected use of the debugger statement.',
    'a.js format: Formatter would have printed the following content:',
  ],
  ruff: ['cart.py:1:8: F401 [*] `os` imported but unused', 'cart.py:4:5: E741 Ambiguous variable name: `l`'],
  'ruff-full': ['cart.py:1:8: F401 [*] `os` imported but unused'],
  mypy: [
    'cart.py:4: error: Incompatible return value type (got "str", expected "int") [return-value]',
    'stock.py:2:5: error: Name "missing" is not defined [name-defined]',
  ],
  gcc: [
    'main.c:4:19: error: expected ‘)’ before ‘;’ token',
    'main.c:4:20: error: expected ‘;’ before ‘}’ token',
  ],
  'gcc-link': ["link.c:(.text+0xa): undefined reference to `helper'"],
  make: [
    'main.c:4:19: error: expected ‘)’ before ‘;’ token',
    'main.c:4:20: error: expected ‘;’ before ‘}’ token',
    'make: *** [Makefile:2: all] Error 1',
  ],
};

describe('the output of', () => {
  test.each(Object.keys(FIRST_LINES))('%s begins with its failures', (name) => {
    const expected = FIRST_LINES[name] ?? [];
    const lines = usefulLines(recorded(name));
    expect(lines.slice(0, expected.length)).toEqual(expected);
    expect(lines.length).toBeLessThanOrEqual(34);
  });
});

test('colours change nothing', () => {
  const plain = (name: string) =>
    usefulLines(recorded(name)).filter((line) => !/Start at|Duration|failed\)/.test(line));
  expect(plain('vitest-colours')).toEqual(plain('vitest'));
});

test('a test that is expected to fail is no failure', () => {
  expect(usefulLines(recorded('node-test-spec')).slice(0, 10).join('\n')).not.toContain('later');
  expect(usefulLines(recorded('node-test-tap')).slice(0, 8).join('\n')).not.toContain('not yet');
});

test('warnings are shown where nothing worse is', () => {
  const output =
    '/p/a.js\n  1:5  warning  unused variable  no-unused-vars\n\n1 problem (0 errors, 1 warning)\n';
  expect(usefulLines(output)[0]).toBe('/p/a.js:1:5 unused variable no-unused-vars');
  expect(usefulLines('a.c:1:2: warning: unused\n')).toEqual(['a.c:1:2: warning: unused']);
});

test('without anything known, the last lines are shown', () => {
  const output = Array.from({ length: 50 }, (_, i) => `step ${i}`).join('\n');
  expect(usefulLines(output)).toEqual(Array.from({ length: 10 }, (_, i) => `step ${i + 40}`));
});

test('a line that was drawn again and again is shown once, in its last state', () => {
  expect(usefulLines('10%\r50%\r100% done\r\n\u001b[31mbroken\u001b[0m\n')).toEqual(['100% done', 'broken']);
});

test('rulers and what npm adds to every failure are left out', () => {
  expect(usefulLines('broken\n=======\nnpm error code 1\nnpm ERR! errno 1\n')).toEqual(['broken']);
});

test('a private key over several lines is not shown in part', () => {
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEA0123456789\n'.repeat(20)}-----END RSA PRIVATE KEY-----`;
  expect(usefulLines(`loading\n${key}\nfailed`)).toEqual(['loading', '[redacted]', 'failed']);
});

test('an empty output has no useful lines', () => {
  expect(usefulLines('')).toEqual([]);
});

describe('hostile outputs cost no more than long ones', () => {
  const long = 80_000;
  test.each([
    ['blanks', ' '.repeat(long)],
    ['carriage returns', '\r'.repeat(long)],
    ['escapes', '\u001b]'.repeat(long / 2)],
    ['dots', `at ${'a.'.repeat(long / 2)}`],
    ['open brackets', `at (${'('.repeat(long)}`],
    ['colons', 'a:1'.repeat(long / 3)],
    ['words like secrets', 'password '.repeat(long / 9)],
    ['assignments', 'token='.repeat(long / 6)],
    ['schemes', 'a+b.c-'.repeat(long / 6)],
    ['open keys', '-----BEGIN PRIVATE KEY-----'.repeat(long / 27)],
    ['short lines', 'E  x\n'.repeat(long / 5)],
    ['failures', 'not ok 1 - x\n'.repeat(long / 13)],
  ])('%s', (_name, output) => {
    const began = workMs();
    usefulLines(output);
    expect(workMs() - began).toBeLessThan(2_000);
  });
});
