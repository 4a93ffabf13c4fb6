import { expect, test } from 'vitest';
import { withFeaturePassing } from '../../../src/run/parallel/work-in-parallel.ts';

test('a feature is said to pass, and every other byte stays', () => {
  const text =
    '{\n\t"note": "x",\n  "features": [ {"id": 1, "passes":false}, {"id":"2","passes": false } ]\r\n}\n';
  expect(withFeaturePassing(text, '2')).toBe(text.replace('"passes": false }', '"passes": true }'));
  expect(withFeaturePassing(text, '1')).toBe(text.replace('"passes":false}', '"passes":true}'));
});

test('a feature without the word gets it', () => {
  expect(JSON.parse(withFeaturePassing('[{"id":7}]', '7') ?? '')).toEqual([{ id: 7, passes: true }]);
});

test.each(['', 'no json', '{"features": 1}', '[]', '[{"id":1}'])(
  '%j is left to somebody who reads it',
  (text) => {
    expect(withFeaturePassing(text, '7')).toBeUndefined();
  },
);
