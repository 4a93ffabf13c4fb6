import { describe, expect, test } from 'vitest';
import { pathInProject, placeIn } from '../../../../src/engine/core/report/places.ts';
import { workMs } from '../../../support/work-time.ts';

const FILES = ['src/a.ts', 'src/lib.rs', 'tests/test_a.py', 'a.test.js', 'test/a.test.ts', 'calc_test.go'];
const isFile = (path: string) => FILES.includes(path);

/** The place that a line names in the project `/home/me/shop`. */
function found(line: string): string | undefined {
  const place = placeIn(line);
  const path = place && pathInProject(place, '/home/me/shop', isFile);
  if (!place || path === undefined) return undefined;
  return [path, place.line, place.column].filter((part) => part !== undefined).join(':');
}

describe('the place that a line names', () => {
  test.each([
    ['src/a.ts:3:5: wrong', 'src/a.ts:3:5'],
    ['./src/a.ts:3: wrong', 'src/a.ts:3'],
    ['src/a.ts:3 types: // @ts-ignore [ts-ignore:src/a.ts]', 'src/a.ts:3'],
    ['src/a.ts:3-7: all tests still pass without these lines', 'src/a.ts:3'],
    ['src/gone.ts:3:5: wrong', 'src/gone.ts:3:5'],
    ['src/a.ts(3,5): error TS2322: wrong', 'src/a.ts:3:5'],
    ['File "/home/me/shop/tests/test_a.py", line 3, in test_b', 'tests/test_a.py:3'],
    ['File "tests/test_a.py", line 3', 'tests/test_a.py:3'],
    ['at TestContext.<anonymous> (file:///home/me/shop/a.test.js:3:5)', 'a.test.js:3:5'],
    ['at TestContext.<anonymous> (/tmp/rooms/x1/project/test/a.test.ts:3:5)', 'test/a.test.ts:3:5'],
    ['test at a.test.js:3:5', 'a.test.js:3:5'],
    ["thread 'adds' panicked at src/lib.rs:3:5:", 'src/lib.rs:3:5'],
    ['❯ src/a.ts:3:5', 'src/a.ts:3:5'],
    ['--> src/lib.rs:3:5', 'src/lib.rs:3:5'],
    ['calc_test.go:3: Add(1, 2) = 4', 'calc_test.go:3'],
    ['FAILED tests/test_a.py::test_b - assert 1 == 2', 'tests/test_a.py'],
    ['test/a.test.ts was deleted [deleted:test/a.test.ts]', 'test/a.test.ts'],
    // No place, or none in the project.
    ['', undefined],
    ['Expected: 3', undefined],
    ['12:30:45 started', undefined],
    ['http://127.0.0.1:8080/ answered', undefined],
    ['at node:internal/main.js:3:5', undefined],
    ['at x (/home/me/shop/node_modules/y/index.js:3:5)', undefined],
    ['File "/usr/lib/python3/unittest/case.py", line 3', undefined],
    ['../../etc/passwd:1: root', undefined],
    ['at x (/home/me/shop/../../etc/a.conf:3:5)', undefined],
  ])('%s', (line, place) => expect(found(line)).toBe(place));

  test('a hostile line takes no longer', () => {
    const began = workMs();
    for (const part of ['a/', ' (', 'a.b:1', '"', 'File "', '(1,1)']) placeIn(part.repeat(100_000));
    expect(workMs() - began).toBeLessThan(1_000);
  });
});
