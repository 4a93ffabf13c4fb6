import { describe, expect, test } from 'vitest';
import {
  countOf,
  lostTests,
  ResultsBuilder,
  type TestOutcome,
  type TestResults,
} from '../../../../src/engine/core/proof/test-results.ts';
import { readCargo } from '../../../../src/engine/project/test-report/cargo.ts';
import { readGoJson, readRunnerJson } from '../../../../src/engine/project/test-report/json.ts';
import { readJunit } from '../../../../src/engine/project/test-report/junit.ts';

/** One line a test: its outcomes and its name. */
function lines(results: TestResults | undefined): string[] {
  return [...(results?.tests ?? [])].map(
    ([name, { passed, failed, skipped }]) =>
      `${'+'.repeat(passed)}${'-'.repeat(failed)}${'.'.repeat(skipped)} ${name}`,
  );
}

const NODE_JUNIT = `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testcase name="adds" time="0.001" classname="test"/>
	<testcase name="skipped one" time="0.0001" classname="test">
		<skipped type="skipped" message="true"/>
	</testcase>
	<testsuite name="outer" time="0.001" tests="1" failures="1">
		<testcase name="inner fails" classname="test" failure="1 == 2">
			<failure type="testCodeFailure" message="1 == 2">Error &lt;anonymous> at x</failure>
		</testcase>
	</testsuite>
</testsuites>`;

describe('JUnit', () => {
  test('of node:test, with nested suites', () => {
    expect(lines(readJunit(NODE_JUNIT))).toEqual(['+ adds', '. skipped one', '- outer > inner fails']);
    expect(readJunit(NODE_JUNIT).whole).toBe(true);
  });

  test('of pytest: the class names the group, and cases of a table are tests of their own', () => {
    const text =
      '<?xml version="1.0"?><testsuites name="pytest tests"><testsuite name="pytest" tests="3"><testcase classname="test_a" name="test_ok" /><testcase classname="test_a.TestX" name="test_p[1]" /><testcase classname="test_a" name="test_bad"><error message="x">boom</error></testcase></testsuite></testsuites>';
    expect(lines(readJunit(text))).toEqual([
      '+ test_a > test_ok',
      '+ test_a.TestX > test_p[1]',
      '- test_a > test_bad',
    ]);
  });

  test('a test that is skipped after it failed has failed', () => {
    const text = '<testsuite><testcase name="a"><failure/><skipped/></testcase></testsuite>';
    expect(lines(readJunit(text))).toEqual(['- a']);
  });

  test('that was cut off is not whole, and what came before counts', () => {
    const cut = readJunit(NODE_JUNIT.slice(0, NODE_JUNIT.indexOf('<failure')));
    expect(cut.whole).toBe(false);
    expect(lines(cut)).toEqual(['+ adds', '. skipped one']);
    for (const text of ['', 'not xml', '<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>&a;'])
      expect(readJunit(text).whole).toBe(false);
  });
});

describe('JSON', () => {
  test('of vitest and jest: files without the folder of the project, and files that cannot be loaded', () => {
    const text = JSON.stringify({
      numTotalTests: 3,
      testResults: [
        {
          name: '/room/test/a.test.ts',
          status: 'failed',
          assertionResults: [
            { ancestorTitles: ['sum'], title: 'adds', status: 'passed' },
            { ancestorTitles: [], title: 'fails', status: 'failed' },
            { ancestorTitles: [], title: 'later', status: 'todo' },
          ],
        },
        { name: '/room/test/b.test.ts', status: 'failed', message: 'SyntaxError', assertionResults: [] },
      ],
    });
    expect(lines(readRunnerJson(text, '/room'))).toEqual([
      '+ test/a.test.ts > sum > adds',
      '- test/a.test.ts > fails',
      '. test/a.test.ts > later',
      '- test/b.test.ts',
    ]);
  });

  test('of mocha', () => {
    const text = JSON.stringify({
      stats: { tests: 3 },
      tests: [
        { fullTitle: 'sum adds', file: '/room/test/a.js', err: {} },
        { fullTitle: 'sum fails', file: '/room/test/a.js', err: { message: 'no' } },
        { fullTitle: 'sum later', file: '/room/test/a.js', err: {} },
      ],
      pending: [{ fullTitle: 'sum later' }],
    });
    expect(lines(readRunnerJson(text, '/room'))).toEqual([
      '+ test/a.js > sum adds',
      '- test/a.js > sum fails',
      '. test/a.js > sum later',
    ]);
  });

  test.each(['', '[]', '{"a":1}', '{"testResults":[', 'null'])('anything else is no report: %s', (text) => {
    expect(readRunnerJson(text, '/room')).toBeUndefined();
  });

  const go = (...events: object[]) => events.map((event) => JSON.stringify(event)).join('\n');

  test('of go: subtests, packages that cannot be built, and a run that was cut off', () => {
    const start = { Action: 'start', Package: 'm/a' };
    const whole = go(
      start,
      { Action: 'run', Package: 'm/a', Test: 'TestX' },
      { Action: 'run', Package: 'm/a', Test: 'TestX/one' },
      { Action: 'output', Package: 'm/a', Test: 'TestX/one', Output: '{"Action":"pass"}' },
      { Action: 'pass', Package: 'm/a', Test: 'TestX/one' },
      { Action: 'pass', Package: 'm/a', Test: 'TestX' },
      { Action: 'pass', Package: 'm/a' },
      { Action: 'fail', Package: 'm/b' },
    );
    expect(lines(readGoJson(`${whole}\nok m/a 0.1s`))).toEqual(['+ m/a > TestX/one', '- m/b']);
    expect(readGoJson(whole)?.whole).toBe(true);
    expect(readGoJson(go(start))?.whole).toBe(false);
    expect(readGoJson('ok m/a 0.1s')).toBeUndefined();
  });
});

const CARGO = `     Running unittests src/lib.rs (target/debug/deps/x-b885)

running 4 tests
test tests::ig ... ignored
test tests::ok ... ok
test tests::pan - should panic ... ok
test tests::bad ... FAILED

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.59s

   Doc-tests x

running 1 test
test src/lib.rs - add (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out
`;

describe('cargo', () => {
  test('unit tests and documentation tests, whose lines do not count', () => {
    expect(lines(readCargo(CARGO))).toEqual([
      '. src/lib.rs > tests::ig',
      '+ src/lib.rs > tests::ok',
      '+ src/lib.rs > tests::pan',
      '- src/lib.rs > tests::bad',
      '+ x > src/lib.rs - add',
    ]);
    expect(readCargo(CARGO)?.whole).toBe(true);
  });

  test('a target without its result, or with another count, is not whole', () => {
    expect(readCargo(CARGO.slice(0, CARGO.indexOf('test result: ok')))?.whole).toBe(false);
    expect(readCargo(CARGO.replace('test tests::ok ... ok\n', ''))?.whole).toBe(false);
    const target = '     Running unittests src/lib.rs (target/debug/deps/shop-1)\n\nrunning 1 test\n';
    expect(readCargo(target)).toMatchObject({ whole: false });
    expect(readCargo('error: could not compile')).toBeUndefined();
  });
});

test('tests are lost when they fail, are skipped, are missing, or pass less often', () => {
  const results = (...seen: [string, TestOutcome][]) => {
    const builder = new ResultsBuilder();
    for (const [name, outcome] of seen) builder.add([name], outcome);
    return builder.results(true);
  };
  const before = results(
    ...['a', 'b', 'c', 'd', 'd'].map((name): [string, TestOutcome] => [name, 'passed']),
    ['e', 'failed'],
  );
  const now = results(['a', 'passed'], ['b', 'failed'], ['c', 'skipped'], ['d', 'passed']);
  expect(lostTests(before, now)).toEqual([
    { name: 'b', now: 'failed' },
    { name: 'c', now: 'skipped' },
    { name: 'd', now: 'missing' },
  ]);
  expect(lostTests(before, before)).toEqual([]);
  expect(countOf(before, 'passed')).toBe(5);
});
