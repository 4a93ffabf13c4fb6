import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedInput, boundedText } from '../../../src/run/view/json.ts';

test('a text keeps its lines and loses what steers a terminal', () => {
  expect(boundedText('a\n\tb\x1b[2J\x07\x9b1mc\r', 100)).toBe('a\n\tbc');
});

test('a long text is cut and says how long it was', () => {
  const cut = boundedText('x'.repeat(50_000), 100);
  expect(cut).toHaveLength(100);
  expect(cut).toMatch(/x\n\[\.\.\. 50000 characters in all\]$/);
});

test('half a sign is no sign', () => {
  expect(boundedText(`${'x'.repeat(69)}😀${'x'.repeat(90)}`, 100).isWellFormed()).toBe(true);
});

test('a short input stays as it is', () => {
  const input = { command: 'npm test', timeout: 5, deep: [{ a: null, b: true }], empty: {} };
  expect(boundedInput(input)).toEqual(input);
});

test('secrets are taken out of values, and by the names of values', () => {
  expect(
    boundedInput({
      command: 'echo "token=abcdef12345"',
      env: { api_key: 'abcdef', NAME: 'x', password: '' },
      tokens: 12,
    }),
  ).toEqual({
    command: 'echo "token=[redacted]"',
    env: { api_key: '[redacted]', NAME: 'x', password: '[redacted]' },
    tokens: 12,
  });
});

test('what was left out is said to be', () => {
  expect(boundedInput({ list: Array.from({ length: 5_000 }, () => 0) })).toMatchObject({
    list: expect.arrayContaining(['[... 5000 in all]']),
  });
  const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
  expect(boundedInput(names)).toMatchObject({ '...': '5000 in all' });
  expect(boundedInput({ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } })).toEqual({
    a: { b: { c: { d: { e: { f: '[...]' } } } } },
  });
});

test('whatever a tool is called with, its line stays short', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.integer({ min: 1, max: 400 }),
      (input, times) => {
        const big = {
          input,
          many: Array.from({ length: times }, () => ({ ...input, text: 'x'.repeat(times * 10) })),
        };
        expect(JSON.stringify(boundedInput(big)).length).toBeLessThan(40_000);
      },
    ),
  );
});
