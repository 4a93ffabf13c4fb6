import { expect, test } from 'vitest';
import { goOutput } from '../../../../src/engine/project/test-report/json.ts';
import { readUnittest } from '../../../../src/engine/project/test-report/unittest.ts';

const OUTPUT = `test_adds (tests.test_sum.Sums.test_adds) ... ok
test_fails (tests.test_sum.Sums.test_fails) ... FAIL
test_old (tests.test_sum.Sums) ... ok
test_broken (tests.test_sum.Sums.test_broken) ... ERROR
test_later (tests.test_sum.Sums.test_later) ... skipped 'not today'
test_known (tests.test_sum.Sums.test_known) ... expected failure
test_said (tests.test_sum.Sums.test_said)
What it is about. ... ok

======================================================================
FAIL: test_fails (tests.test_sum.Sums.test_fails)
----------------------------------------------------------------------
Ran 7 tests in 0.001s

FAILED (failures=1, errors=1, skipped=1, expected failures=1)
`;

test('the lines of unittest are read, in old and new spelling, with and without a description', () => {
  const found = readUnittest(OUTPUT);
  expect(found?.whole).toBe(true);
  const passed = (name: string) => found?.tests.get(`tests.test_sum.Sums > ${name}`);
  expect(passed('test_adds')).toEqual({ passed: 1, failed: 0, skipped: 0 });
  expect(passed('test_old')?.passed).toBe(1);
  expect(passed('test_said')?.passed).toBe(1);
  expect(passed('test_known')?.passed).toBe(1);
  expect(passed('test_fails')?.failed).toBe(1);
  expect(passed('test_broken')?.failed).toBe(1);
  expect(passed('test_later')?.skipped).toBe(1);
});

test('a count that does not fit means that lines are missing', () => {
  expect(readUnittest(OUTPUT.replace('Ran 7', 'Ran 9'))?.whole).toBe(false);
  expect(readUnittest('test_adds (a.B.test_adds) ... ok\n')).toBeUndefined();
  expect(readUnittest('Ran 0 tests in 0.000s\n')).toEqual({ tests: new Map(), whole: true });
});

test('events of go are shown as go shows them', () => {
  const events = [
    { Action: 'run', Package: 'p', Test: 'TestSum' },
    { Action: 'output', Package: 'p', Test: 'TestSum', Output: '--- FAIL: TestSum (0.00s)\n' },
    { Action: 'fail', Package: 'p', Test: 'TestSum' },
  ];
  const text = `${events.map((event) => JSON.stringify(event)).join('\n')}\n# a build error\n`;
  expect(goOutput(text)).toBe('--- FAIL: TestSum (0.00s)\n# a build error\n\n');
});

test('a count without names is no report', () => {
  expect(readUnittest('......\nRan 6 tests in 0.001s\n\nOK\n')).toBeUndefined();
});
