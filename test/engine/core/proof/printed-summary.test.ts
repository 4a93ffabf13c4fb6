import { describe, expect, test } from 'vitest';
import { contradiction, summaryIn } from '../../../../src/engine/core/proof/printed-summary.ts';

describe('the counts at the end of an output', () => {
  test.each<[string, ReturnType<typeof summaryIn>]>([
    ['ok - a\nnot ok - b\n2 passed, 3 failed\n', { passed: 2, failed: 3 }],
    ['# tests 5\n# pass 3\n# fail 2\n# duration_ms 12', { passed: 3, failed: 2, total: 5 }],
    ['Tests run: 7, Failures: 1, Errors: 0', { failed: 1, total: 7 }],
    ['\u001b[32m5 passing\u001b[39m (12ms)', { passed: 5 }],
    ['All 9 tests passed.', { passed: 9 }],
    ['OK (3 tests, 8 assertions)', { total: 3 }],
    ['Passed: 4\nFailed: 0', { passed: 4, failed: 0 }],
    ['12 specs, 0 failures', { failed: 0, total: 12 }],
    ['3 failed', { failed: 3 }],
    ['all good', undefined],
    ['', undefined],
    ['listening on port 8080\ndone in 12 ms', undefined],
    ['test 1\nok', { total: 1 }],
  ])('%j', (output, found) => {
    expect(summaryIn(output)).toEqual(found);
  });
  test('what tests print long before the end is no summary', () => {
    expect(summaryIn(`3 failed\n${'a line\n'.repeat(20)}2 passed\n`)).toEqual({ passed: 2 });
  });
});

describe('a run that ends with exit code 0', () => {
  const start = '2 passed, 3 failed';
  test.each<[then: string, now: string, sameTests: boolean, why: string | undefined]>([
    [start, '5 passed, 0 failed', true, undefined],
    [start, '5 passed', true, undefined],
    [start, 'All 5 tests passed', true, undefined],
    [start, '2 passed, 3 failed', true, 'it says that 3 failed'],
    [start, 'ok - a\nok - b', true, 'without counting any'],
    [start, '', true, 'without counting any'],
    [start, '2 passed, 0 failed', true, 'only 2 of them'],
    [start, '2 passed, 0 failed', false, undefined],
    ['3 failed', 'all good', true, undefined],
    ['all good', '', true, undefined],
    ['', '4 passed', true, undefined],
  ])('%j at the start, %j now (same tests: %s)', (then, now, sameTests, why) => {
    const found = contradiction(
      { green: false, printed: summaryIn(then) },
      { green: true, printed: summaryIn(now) },
      sameTests,
    );
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(why);
  });
  test('may say that some failed where that was so at the start', () => {
    const run = { green: true, printed: { passed: 3, failed: 1 } };
    expect(contradiction(run, run, true)).toBeUndefined();
  });
  test('a red run needs no words', () => {
    expect(contradiction({ green: true, printed: { passed: 3 } }, { green: false }, true)).toBeUndefined();
  });
});
