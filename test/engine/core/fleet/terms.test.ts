import { describe, expect, test } from 'vitest';
import {
  checkedEnv,
  checkedFolder,
  checkedKey,
  checkedLabels,
  checkedScheduleName,
  partsOf,
} from '../../../../src/engine/core/fleet/terms.ts';

describe('labels', () => {
  test('are sorted, each once, whether given together or one by one', () => {
    expect(checkedLabels(['linux,gpu', ' gpu ', ''])).toEqual(['gpu', 'linux']);
    expect(checkedLabels([])).toEqual([]);
  });

  test.each(['a b', '-x', '.x', 'ü', 'a:b', 'a/b', 'x'.repeat(64), '{a}'])('%j is refused', (label) => {
    expect(() => checkedLabels([label])).toThrow('is no label');
  });

  test('nine are too many', () => {
    expect(() => checkedLabels(['1,2,3,4,5,6,7,8,9'])).toThrow('at most 8');
  });
});

describe('variables', () => {
  test('are named, sorted, each once', () => {
    expect(checkedEnv(['NPM_TOKEN,API_KEY', 'API_KEY'])).toEqual(['API_KEY', 'NPM_TOKEN']);
  });

  test('with a value are refused, and the value is not repeated', () => {
    const call = () => checkedEnv(['TOKEN=geheim,with,commas']);
    expect(call).toThrow('type --env TOKEN, and set it where the worker runs');
    expect(call).not.toThrow('geheim');
  });

  test.each(['UNTILDONE_QUEUE', 'UNTILDONE_FLEET_SECRET', 'LD_PRELOAD', 'NODE_OPTIONS', 'GIT_DIR'])(
    '%s steers the worker, so no run gets it',
    (name) => expect(() => checkedEnv([name])).toThrow('no run gets it'),
  );

  test.each(['1A', 'A-B', 'A B', ''.padEnd(101, 'A')])('%j is no name', (name) =>
    expect(() => checkedEnv([name])).toThrow('is no name of a variable'),
  );
});

test.each([
  ['packages/api', 'packages/api'],
  ['./packages//api/', 'packages/api'],
  ['.', undefined],
  ['a/../b', 'b'],
  [undefined, undefined],
])('folder %j', (text, folder) => expect(checkedFolder(text)).toBe(folder));

test.each(['/etc', '../x', 'a/../../x', '.git', '.git/hooks', 'a\nb'])('folder %j is refused', (text) =>
  expect(() => checkedFolder(text)).toThrow('no folder in the repository'),
);

test('a key is one line of at most 200 characters', () => {
  expect(checkedKey(' nightly 2026 ')).toBe('nightly 2026');
  for (const text of ['', '  ', 'a\nb', 'x'.repeat(201)]) expect(() => checkedKey(text)).toThrow('a key has');
});

test('the name of a schedule is part of a ref', () => {
  expect(checkedScheduleName('nightly-1')).toBe('nightly-1');
  for (const text of ['a..b', 'a.lock', 'a.', 'a b', 'a/b', '-a', ''])
    expect(() => checkedScheduleName(text)).toThrow('is no name of a schedule');
});

test('values with commas', () => expect(partsOf(['a, b', '', 'c,,'])).toEqual(['a', 'b', 'c']));
