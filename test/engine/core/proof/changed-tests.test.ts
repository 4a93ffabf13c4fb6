import { expect, test } from 'vitest';
import { changedTestLines, changedTestsBefore } from '../../../../src/engine/core/loop/started-with.ts';
import { testsChangedBefore } from '../../../../src/engine/core/proof/changed-tests.ts';

const NUMSTAT = [
  '2\t10\ttest/a.test.js',
  '0\t40\ttests/test_old.py',
  '5\t5\tsrc/code.js',
  '-\t-\ttest/picture.png',
  '1\t0\ttest/odd\nname\t.js',
  '',
].join('\0');

test('tests that differ from the last commit, and how', () => {
  expect(testsChangedBefore(NUMSTAT, 'tests/test_old.py\0src/gone.js\0')).toEqual({
    changedTests: [
      { path: 'test/a.test.js', added: 2, removed: 10 },
      { path: 'tests/test_old.py', added: 0, removed: 40, deleted: true },
      { path: 'test/picture.png' },
      { path: 'test/odd\nname\t.js', added: 1, removed: 0 },
    ],
  });
  expect(testsChangedBefore('5\t5\tsrc/code.js\0', '')).toBeUndefined();
  expect(testsChangedBefore('', '')).toBeUndefined();
});

test('you read them in a short block, and an ending names their number', () => {
  const found = testsChangedBefore(NUMSTAT, 'tests/test_old.py');
  expect(changedTestLines(found)).toEqual([
    '4 test files differ from the last commit. The loop takes the tests as they are now:',
    '  test/a.test.js: +2 -10',
    '  tests/test_old.py: deleted',
    '  test/picture.png: changed',
    expect.stringMatching(/^ {2}test\/odd.*: \+1 -0$/),
    'If you did not change them, look first: git diff HEAD',
  ]);
  expect(changedTestsBefore(found)).toBe('4 test files differed from the last commit when the loop began');
  expect(changedTestLines(undefined)).toEqual([]);
  expect(changedTestsBefore(undefined)).toBeUndefined();
});

test('of very many only the first are kept, and shown', () => {
  const many = Array.from({ length: 60 }, (_, i) => `1\t1\ttest/${i}.js`).join('\0');
  const found = testsChangedBefore(many, '');
  expect(found?.changedTests).toHaveLength(50);
  expect(found?.more).toBe(10);
  expect(changedTestLines(found)).toHaveLength(13);
  expect(changedTestLines(found).at(-2)).toBe('  ... and 50 more');
});
