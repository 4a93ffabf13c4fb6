import { expect, test } from 'vitest';
import { withFeaturePassing, withFeaturesPassing } from '../../../src/engine/schema/feature-list-text.ts';

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

test('several at once; a byte order mark stays, and what is not there changes nothing', () => {
  const text =
    '\uFEFF{"features": [{"id": 1}, {"id": "b", "passes": false}, {"id": 3, "passes": "yes"}]}\r\n';
  const edited = withFeaturesPassing(text, ['1', 'b', '3', 'none']) ?? '';
  expect(edited.startsWith('\uFEFF')).toBe(true);
  expect(edited.endsWith('\r\n')).toBe(true);
  const { features } = JSON.parse(edited.slice(1)) as { features: { passes: unknown }[] };
  expect(features.map(({ passes }) => passes)).toEqual([true, true, true]);
  expect(withFeaturesPassing(text, ['none'])).toBeUndefined();
  expect(withFeaturesPassing('no json', ['1'])).toBeUndefined();
});
