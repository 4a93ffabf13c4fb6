import { describe, expect, test } from 'vitest';
import { idsOf, weakeningsIn } from '../../../../support/gates/weakenings.ts';

type Row = [what: string, before: string | undefined, after: string];

const JS = `import { test, expect } from 'vitest';
test('adds', () => {
  expect(add(1, 2)).toBe(3);
  expect(add(2, 2)).toBe(4);
});
`;
const PY = `import pytest

def test_adds():
    assert add(1, 2) == 3
    assert add(2, 2) == 4
`;
const GO = `package add

func TestAdd(t *testing.T) {
	if Add(1) != 1 { t.Error("one") }
	if Add(2) != 2 { t.Error("two") }
}
`;
const RUST = `#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
`;
const BODY = '  expect(add(1, 2)).toBe(3);\n  expect(add(2, 2)).toBe(4);\n';

describe('tests that are all there and say nothing', () => {
  test.each<Row>([
    ['the process ends well', JS, `process.exit(0);\n${JS}`],
    ['a test that is never defined', JS, JS.replace('test(', 'if (false) test(')],
    ['a test for a condition that is never true', JS, JS.replace('test(', 'test.runIf(false)(')],
    ['a test that is always left', JS, JS.replace('  expect', '  if (true) return;\n  expect')],
    ['assertions in a branch that is never taken', JS, JS.replace(BODY, `  if (0) {\n${BODY}  }\n`)],
    ['failures that are swallowed', JS, JS.replace(BODY, `  try {\n${BODY}  } catch (e) { /* fine */ }\n`)],
  ])('JavaScript: %s', async (_what, before, after) => {
    expect(await idsOf('test/a.test.ts', before, after)).toEqual([
      expect.stringMatching(/^(skip|xfail|removed|assertions):\*:/),
    ]);
  });

  test.each<Row>([
    ['the process ends well', PY, `import os\nos._exit(0)\n${PY}`],
    ['it exits', PY, PY.replace('    assert', '    sys.exit(0)\n    assert')],
    ['a test that is taken back', PY, `${PY}\ndel test_adds\n`],
    ['a test that another one replaces', PY, `${PY}\ndef test_adds():\n    pass\n`],
    ['a branch that is never taken', PY, PY.replace('def test_adds', 'if False:\n  def test_adds')],
    [
      'failures that are swallowed',
      PY,
      PY.replace(
        /( {4}assert[\s\S]*)$/,
        (lines) =>
          `    try:\n${lines.replaceAll('    assert', '        assert')}    except AssertionError:\n        pass\n`,
      ),
    ],
  ])('Python: %s', async (_what, before, after) => {
    expect((await idsOf('tests/test_a.py', before, after))[0]).toMatch(/^(skip|xfail|emptied):\*:/);
  });

  test.each<Row>([
    ['a branch that is never taken', GO, GO.replace('\tif Add(1)', '\tif true { return }\n\tif Add(1)')],
    ['no test is run', GO, `${GO}func TestMain(m *testing.M) { os.Exit(0) }\n`],
    ['what the tests say is not heeded', undefined, 'func TestMain(m *testing.M) { m.Run(); os.Exit(0) }\n'],
  ])('Go: %s', async (_what, before, after) => {
    expect(await idsOf('a_test.go', before, after)).toEqual([expect.stringMatching(/^skip:\*:/)]);
  });

  test.each<Row>([
    ['the process ends well', RUST, RUST.replace('assert_eq', 'std::process::exit(0); assert_eq')],
    ['never compiled', RUST, RUST.replace('cfg(test)', 'cfg(any())')],
    ['compiled for others only', RUST, RUST.replace('cfg(test)', 'cfg(not(test))')],
  ])('Rust: %s', async (_what, before, after) => {
    expect(await idsOf('src/lib.rs', before, after)).toContainEqual(expect.stringMatching(/^skip:\*:/));
  });
});

describe('ordinary refactoring is no weakening', () => {
  const js = (after: string) => JS.replace(BODY, after);
  test.each<[path: string, ...Row]>([
    [
      'test/a.test.ts',
      'assertions become a loop',
      JS,
      js('  for (const [a, b, s] of [[1, 2, 3], [2, 2, 4]]) expect(add(a, b)).toBe(s);\n'),
    ],
    [
      'test/a.test.ts',
      'a test becomes a table with another name',
      JS,
      "test.each([[1, 2, 3], [2, 2, 4]])('%i and %i', (a, b, s) => {\n  expect(add(a, b)).toBe(s);\n});\n",
    ],
    [
      'test/a.test.ts',
      'assertions become one about a list',
      JS,
      js('  expect([add(1, 2), add(2, 2)]).toEqual([3, 4]);\n'),
    ],
    [
      'test/a.test.ts',
      'assertions move into a helper',
      JS,
      `${js('  check(1, 2, 3);\n  check(2, 2, 4);\n')}const check = (a, b, s) => {\n  expect(add(a, b)).toBe(s);\n};\n`,
    ],
    [
      'test/a.test.ts',
      'a program’s end is watched',
      JS,
      `${JS}test('ends', () => { const exit = vi.spyOn(process, 'exit'); main(); expect(exit).toHaveBeenCalledWith(0); });\n`,
    ],
    [
      'test/a.test.ts',
      'what is left over is removed as well as it goes',
      JS,
      js(`  try { rmSync(file); } catch {}\n${BODY}`),
    ],
    ['test/support/fake-cli.mjs', 'a program for tests', undefined, 'process.exit(0);\n'],
    [
      'test/a.test.js',
      'a runner of one’s own',
      undefined,
      "function test(name, body) { try { body(); } catch (e) { console.log(name, e); process.exitCode = 1; } }\ntest('a', () => { assert.equal(a(), 1); });\n",
    ],
    [
      'tests/test_a.py',
      'a table',
      PY,
      '@pytest.mark.parametrize("a,b,s", [(1, 2, 3), (2, 2, 4)])\ndef test_adds(a, b, s):\n    assert add(a, b) == s\n',
    ],
    [
      'tests/test_a.py',
      'a helper',
      PY,
      'def check(a, b, s):\n    assert add(a, b) == s\n\ndef test_adds():\n    check(1, 2, 3)\n    check(2, 2, 4)\n',
    ],
    [
      'tests/test_a.py',
      'an exit that is expected',
      PY,
      `${PY}\ndef test_exit():\n    with pytest.raises(SystemExit):\n        sys.exit(0)\n`,
    ],
    [
      'tests/test_a.py',
      'an error that is expected',
      PY,
      `${PY}\ndef test_b():\n    try:\n        b()\n        assert False\n    except ValueError:\n        pass\n`,
    ],
    [
      'a_test.go',
      'a main that is its own program',
      GO,
      `${GO}func TestMain(m *testing.M) {\n\tif os.Getenv("CLI") == "1" { main(); os.Exit(0) }\n\tcode := m.Run()\n\tos.Exit(code)\n}\n`,
    ],
    [
      'src/lib.rs',
      'code that tests do without',
      RUST,
      `#[cfg(not(test))]\nfn now() { std::process::exit(0) }\n${RUST}`,
    ],
  ])('%s: %s', async (path, _what, before, after) => expect(await idsOf(path, before, after)).toEqual([]));

  test('a table that says less than the assertions before it is told', async () => {
    const after = js('  for (const [a, b, s] of [[1, 2, 3]]) expect(add(a, b)).toBe(s);\n');
    expect(await idsOf('test/a.test.ts', JS, after)).toEqual(['(assertions:*:adds)']);
  });
  test('an assertion about a list that was there before stands for nothing else', async () => {
    const before = js('  expect(all()).toEqual([1, 2, 3]);\n  expect(add(2, 2)).toBe(4);\n');
    expect(await idsOf('test/a.test.ts', before, js('  expect(all()).toEqual([1, 2, 3]);\n'))).toEqual([
      '(assertions:*:adds)',
    ]);
  });
});

describe('languages of which names and marks are read', () => {
  test.each<[path: string, before: string, after: string]>([
    [
      'spec/a_spec.rb',
      "it 'adds' do\n  expect(add).to eq 1\nend\n",
      "xit 'adds' do\n  expect(add).to eq 1\nend\n",
    ],
    [
      'tests/ATest.php',
      '<?php class ATest { function testA() { $this->assertSame(1, a()); } }',
      '<?php class ATest { function testA() { $this->markTestSkipped(); } }',
    ],
    ['Tests/ATests.cs', '[Fact] public void Adds() { }', '[Fact(Skip = "later")] public void Adds() { }'],
    ['src/test/kotlin/ATest.kt', '@Test fun `it adds`() {}', '@Disabled @Test fun `it adds`() {}'],
    ['Tests/ATests.swift', 'func testA() { }', 'func testA() throws { throw XCTSkip("later") }'],
    ['test/a_test.exs', 'test "adds" do\nend\n', '@tag :skip\ntest "adds" do\nend\n'],
    ['test/a_test.dart', "test('adds', () {});", "test('adds', () {}, skip: true);"],
    ['tests/add_test.cc', 'TEST(Add, Works) { }', 'TEST(Add, Works) { GTEST_SKIP(); }'],
    ['test/a.bats', '@test "adds" {\n  true\n}\n', '@test "adds" {\n  skip\n}\n'],
  ])('%s', async (path, before, after) => {
    const ids = async (change: Parameters<typeof weakeningsIn>[0][number]) =>
      (await weakeningsIn([change])).map((id) => id.replace(path, '*'));
    expect(await ids({ from: path, to: path, before, after: before })).toEqual([]);
    expect(await ids({ from: path, to: path, before, after })).toEqual([expect.stringMatching(/^skip:\*:/)]);
    expect(await ids({ from: path, to: path, before, after: '' })).toEqual([
      expect.stringMatching(/^removed:\*:/),
    ]);
    expect(await ids({ from: path, before })).toEqual(['deleted:*']);
  });
  test.each(['src/contest.cpp', 'src/latest.c', 'lib/attest.rb'])('%s is no test file', async (path) => {
    expect(await weakeningsIn([{ from: path, before: 'int test_a() {}' }])).toEqual([]);
  });
});
